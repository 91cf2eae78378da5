"""A GGUF model run in this process by llama.cpp, through the C interface that llama-cpp-python carries.

https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h

Its high-level class is not used: that one compiles the chat template it finds in the file, and splits a prompt into
batches that depend on what was computed before. Here a prompt is always computed in blocks of the same tokens, and only
whole blocks are reused, so that an answer is the same to the last byte whether its prefix was known or not.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from itertools import takewhile
from time import monotonic
from typing import Any

from gitcontext_pipeline.answer.circles import runs_in_circles
from gitcontext_pipeline.answer.cores import physical_cores, threads_to_use
from gitcontext_pipeline.answer.model import Finish, Generation, Limits, Segment
from gitcontext_pipeline.answer.model_files import ModelFile
from gitcontext_pipeline.errors import GitContextError

CONTEXT = 4096
"""Tokens of prompt and reply together; a model made for less gets less."""

BLOCK = 128
"""Tokens of a prompt that are computed at once. A cancelled generation stops between two blocks."""

LIKELIEST = 64
"""Tokens that the grammar is asked about before all of the vocabulary is."""

SPARE = 64
"""Tokens before the last at which a reply is closed: enough to cite once more and to write the shortest sentence."""

_QUIET: list[Any] = []
"""Holds the log callback: llama.cpp keeps its address, so it must never be collected."""


class LlamaModel:
    """A loaded model; see `LanguageModel`. Not for two threads at a time."""

    def __init__(self, file: ModelFile, *, threads: int | None = None, context: int = CONTEXT) -> None:
        """Load the model in `file`, which was verified. Raises GitContextError when it cannot be loaded."""
        import llama_cpp

        self.name = file.name
        self.digest = file.sha256
        self.runtime = f"llama-cpp-python {llama_cpp.__version__}"
        self.marks = file.header.marks
        self._api: Any = llama_cpp
        self._size = min(context, file.header.context)
        self._known: list[int] = []
        self._model: Any = None
        self._context: Any = None
        _silence(llama_cpp)
        llama_cpp.llama_backend_init()
        self._model = llama_cpp.llama_model_load_from_file(
            str(file.path).encode(), llama_cpp.llama_model_default_params()
        )
        settings = llama_cpp.llama_context_default_params()
        settings.n_ctx = self._size
        settings.n_batch = settings.n_ubatch = BLOCK
        settings.n_threads = settings.n_threads_batch = threads or physical_cores()
        self._threads = threads
        self._context = self._model and llama_cpp.llama_init_from_model(self._model, settings)
        if not self._context:
            self.close()
            raise GitContextError(
                "llama.cpp cannot load this model", where=file.path, fix="name another one: gitcontext setup-model"
            )
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        self._tokens = int(llama_cpp.llama_vocab_n_tokens(self._vocabulary))

    def count(self, text: str) -> int:
        return len(self._tokenize(text, control=False))

    def generate(
        self,
        prompt: Sequence[Segment],
        grammar: str,
        *,
        ending: str,
        seed: int,
        limits: Limits,
        heard: Callable[[str], None] = lambda text: None,
    ) -> Generation:
        """See `LanguageModel`; the likeliest token is taken each time, so the seed is recorded and changes nothing.

        Raises:
            GitContextError: the prompt is too long for the model, or llama.cpp fails.
        """
        began = monotonic()
        threads = self._threads or threads_to_use()
        self._api.llama_set_n_threads(self._context, threads, threads)
        deadline = began + limits.seconds
        tokens = [token for segment in prompt for token in self._tokenize(segment.text, segment.control)]
        if len(tokens) >= self._size:
            raise GitContextError(
                f"a prompt of {len(tokens)} tokens does not fit into {self._size}", fix="lower the token budget"
            )
        reused = self._rewind(tokens)

        def stopped() -> Finish | None:
            return "cancelled" if limits.cancelled() else "timeout" if monotonic() >= deadline else None

        for start in range(reused, len(tokens), BLOCK):
            finish = stopped()
            if finish is not None:
                return Generation("", finish, len(tokens), reused, 0, monotonic() - began, 0.0)
            block = tokens[start : start + BLOCK]
            self._decode(block)
            if len(block) == BLOCK:
                self._known += block
        read = monotonic()
        room = min(limits.tokens, self._size - len(tokens))
        text, written, finish = self._write(grammar, ending, room, stopped, heard)
        return Generation(text, finish, len(tokens), reused, written, read - began, monotonic() - read)

    def close(self) -> None:
        """Give the memory back; calling it twice does no harm."""
        if self._context:
            self._api.llama_free(self._context)
        if self._model:
            self._api.llama_model_free(self._model)
        self._model = self._context = None

    def _write(
        self,
        grammar: str,
        ending: str,
        room: int,
        stopped: Callable[[], Finish | None],
        heard: Callable[[str], None],
    ) -> tuple[str, int, Finish]:
        sampler = self._api.llama_sampler_init_grammar(self._vocabulary, grammar.encode(), b"root")
        if not sampler:
            raise GitContextError("llama.cpp does not accept the grammar of the reply")
        last = self._tokenize(ending, control=False)
        content = b""
        try:
            for written in range(room):
                finish = stopped()
                if finish is not None:
                    return content.decode(errors="replace"), written, finish
                nearly_full = written >= room - len(last) - SPARE
                if (nearly_full or runs_in_circles(content)) and self._fits(sampler, last):
                    return content.decode(errors="replace") + ending, written + len(last), "length"
                token = self._likeliest(sampler)
                if self._api.llama_vocab_is_eog(self._vocabulary, token):
                    return content.decode(errors="replace"), written, "stop"
                self._api.llama_sampler_accept(sampler, token)
                content += self._piece(token)
                heard(content.decode(errors="ignore"))
                self._decode([token])
        finally:
            self._api.llama_sampler_free(sampler)
        return content.decode(errors="replace"), room, "length"

    def _fits(self, sampler: Any, tokens: Sequence[int]) -> bool:
        """Whether the grammar allows these tokens next; the sampler itself stays where it is."""
        trial = self._api.llama_sampler_clone(sampler)
        try:
            for token in tokens:
                if not self._permitted(trial, [token]):
                    return False
                self._api.llama_sampler_accept(trial, token)
        finally:
            self._api.llama_sampler_free(trial)
        return True

    def _likeliest(self, sampler: Any) -> int:
        """The likeliest token that the grammar allows; the grammar is slow, so few tokens are asked about at first."""
        import numpy as np

        pointer = self._api.llama_get_logits_ith(self._context, -1)
        logits = np.ctypeslib.as_array(pointer, shape=(self._tokens,))
        best = [int(np.argmax(logits))]
        few = np.argpartition(-logits, min(LIKELIEST, self._tokens - 1))[:LIKELIEST]
        for candidates in (best, few.tolist(), range(self._tokens)):
            permitted = self._permitted(sampler, candidates)
            if permitted:
                return max(permitted, key=lambda token: (logits[token], -token))
        raise GitContextError("the grammar of the reply allows no further token")

    def _permitted(self, sampler: Any, tokens: Sequence[int]) -> list[int]:
        """Those of `tokens` that the grammar allows next."""
        import numpy as np

        rows = np.zeros(len(tokens), dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        rows["id"] = tokens
        array = self._api.llama_token_data_array(
            data=rows.ctypes.data_as(self._api.llama_token_data_p), size=len(rows), selected=-1, sorted=False
        )
        self._api.llama_sampler_apply(sampler, ctypes.byref(array))  # a token it forbids gets a logit of -inf
        kept: list[int] = rows["id"][np.isfinite(rows["logit"])].tolist()
        return kept

    def _rewind(self, tokens: Sequence[int]) -> int:
        """Forget all but the whole blocks that this prompt begins with; returns how many tokens those are."""
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._known, tokens, strict=False)))
        # The last token must be computed again in any case: its logits are what the reply begins from.
        kept = min(common, len(tokens) - 1) // BLOCK * BLOCK
        self._known = self._known[:kept]
        self._api.llama_memory_seq_rm(self._api.llama_get_memory(self._context), 0, kept, -1)
        return kept

    def _decode(self, tokens: Sequence[int]) -> None:
        array = (self._api.llama_token * len(tokens))(*tokens)
        code = self._api.llama_decode(self._context, self._api.llama_batch_get_one(array, len(tokens)))
        if code:
            self._known = []
            self._api.llama_memory_clear(self._api.llama_get_memory(self._context), True)
            raise GitContextError(f"llama.cpp stopped with the code {code}", fix="ask again, or choose a smaller model")

    def _tokenize(self, text: str, control: bool) -> list[int]:
        content = text.encode("utf-8", "replace")
        room = len(content) + 8
        array = (self._api.llama_token * room)()
        count = self._api.llama_tokenize(self._vocabulary, content, len(content), array, room, False, control)
        if count < 0:
            raise GitContextError("llama.cpp cannot tokenize the prompt")
        return list(array[:count])

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(256)
        size = self._api.llama_token_to_piece(self._vocabulary, token, buffer, len(buffer), 0, False)
        return buffer.raw[: max(0, size)]


def _silence(api: Any) -> None:
    """llama.cpp would write pages about every model to standard error."""
    if not _QUIET:
        _QUIET.append(api.llama_log_callback(lambda level, text, data: None))
        api.llama_log_set(_QUIET[0], ctypes.c_void_p(0))
