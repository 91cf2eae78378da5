"""The header of a GGUF file, read strictly before anything is loaded from it.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

A model file is foreign input to a C++ parser, so what does not follow the format to the letter is refused here. A chat
template in the file is a program; it is neither run nor read: the prompt has a template of its own.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitcontext_pipeline.errors import GitContextError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_PAIRS = 4096
MOST_TENSORS = 65536
LONGEST_KEY = 65535
LONGEST_STRING = 1 << 24
MOST_DIMENSIONS = 4

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY, _BOOL = 8, 9, 7
_MARKS = ("<|im_start|>", "<|im_end|>", "<think>", "</think>")


class Malformed(Exception):
    """Where the file leaves the format, and how."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a header tells. `context` is the longest context in tokens that the model was trained for."""

    version: int
    architecture: str
    name: str
    context: int
    tensors: int
    vocabulary: int
    marks: tuple[str, ...]
    """Which of the tokens that a prompt may be built with are in the vocabulary."""


def read_header(path: Path) -> Header:
    """Read and check the header of the file at `path`.

    Raises:
        GitContextError: the file cannot be read, or is not a well-formed GGUF file of a language model.
    """
    fix = "fetch the file again (gitcontext setup-model), or name another GGUF file"
    try:
        with path.open("rb") as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).header()
    except (OSError, ValueError) as error:  # mmap of an empty file is a ValueError
        raise GitContextError(f"the model file cannot be read: {error}", where=path, fix=fix) from error
    except Malformed as error:
        raise GitContextError(f"not a well-formed GGUF file: {error}", where=path, fix=fix) from error


class _Reader:
    def __init__(self, data: Any) -> None:
        self._data = data
        self._at = 0

    def header(self) -> Header:
        if self._take(4) != MAGIC:
            raise Malformed("it does not begin with GGUF")
        version = self._number("I")
        if version not in VERSIONS:
            raise Malformed(f"version {version} is none of {', '.join(map(str, VERSIONS))}")
        tensors, pairs = self._number("Q"), self._number("Q")
        if not 0 < tensors <= MOST_TENSORS or not 0 < pairs <= MOST_PAIRS:
            raise Malformed(f"it announces {tensors} tensors and {pairs} metadata pairs")
        metadata: dict[str, Any] = {}
        for _ in range(pairs):
            key = self._string(LONGEST_KEY)
            if key in metadata:
                raise Malformed(f"the key {key!r} is there twice")
            metadata[key] = self._value(self._number("I"))
        self._tensors(tensors, _typed(metadata, "general.alignment", int, 32))
        return _header(version, tensors, metadata)

    def _tensors(self, count: int, alignment: int) -> None:
        if alignment < 1 or alignment & (alignment - 1):
            raise Malformed(f"an alignment of {alignment}")
        names: set[str] = set()
        last = 0
        for _ in range(count):
            name = self._string(LONGEST_KEY)
            dimensions = self._number("I")
            if name in names or not 1 <= dimensions <= MOST_DIMENSIONS:
                raise Malformed(f"the tensor {name!r} is there twice or has {dimensions} dimensions")
            names.add(name)
            if not all(self._number("Q") for _ in range(dimensions)):
                raise Malformed(f"the tensor {name!r} has a dimension of 0")
            self._number("I")
            offset = self._number("Q")
            if offset % alignment:
                raise Malformed(f"the tensor {name!r} is not aligned")
            last = max(last, offset)
        start = self._at + -self._at % alignment
        if start + last >= len(self._data):
            raise Malformed("its tensors end after the file does")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string(LONGEST_STRING)
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise Malformed(f"a value of the unknown type {kind}")
        if kind == _BOOL and self._data[self._at : self._at + 1] not in (b"\0", b"\1"):
            raise Malformed("a boolean that is neither 0 nor 1")
        return self._number(_SCALARS[kind])

    def _array(self) -> tuple[Any, ...]:
        """Strings are kept; numbers are skipped over, because nothing here asks for them."""
        kind, count = self._number("I"), self._number("Q")
        if kind == _STRING:
            if count * 8 > len(self._data) - self._at:
                raise Malformed(f"a list of {count} strings is longer than the file")
            return tuple(self._string(LONGEST_STRING) for _ in range(count))
        if kind not in _SCALARS:
            raise Malformed(f"a list of the type {kind}")
        self._take(count * struct.calcsize("<" + _SCALARS[kind]))
        return ()

    def _string(self, longest: int) -> str:
        length = self._number("Q")
        if length > longest:
            raise Malformed(f"a text of {length} bytes")
        try:
            return self._take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Malformed("a text that is not UTF-8") from error

    def _number(self, form: str) -> int:
        (number,) = struct.unpack("<" + form, self._take(struct.calcsize("<" + form)))
        return number  # type: ignore[no-any-return]

    def _take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise Malformed(f"it ends in the middle of its header, at byte {len(self._data)}")
        taken: bytes = self._data[self._at : self._at + size]
        self._at += size
        return taken


def _header(version: int, tensors: int, metadata: dict[str, Any]) -> Header:
    architecture = _typed(metadata, "general.architecture", str)
    tokens = _typed(metadata, "tokenizer.ggml.tokens", tuple)
    if not tokens:
        raise Malformed("it has no vocabulary")
    _typed(metadata, "tokenizer.ggml.model", str)
    context = _typed(metadata, f"{architecture}.context_length", int)
    if context < 1:
        raise Malformed(f"a context of {context} tokens")
    known = frozenset(tokens)
    return Header(
        version=version,
        architecture=architecture,
        name=_typed(metadata, "general.name", str, architecture),
        context=context,
        tensors=tensors,
        vocabulary=len(tokens),
        marks=tuple(mark for mark in _MARKS if mark in known),
    )


def _typed(metadata: dict[str, Any], key: str, kind: type, default: Any = None) -> Any:
    value = metadata.get(key, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Malformed(f"{key} is {'missing' if value is None else 'of another type'}")
    return value
