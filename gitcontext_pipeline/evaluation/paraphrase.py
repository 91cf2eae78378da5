"""Candidate queries in other words, by any endpoint that speaks OpenAI's chat completions.

What the model writes is only ever a candidate: one line, of bounded length, screened like every other and reviewed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.candidates import Candidate, names_symbol, one_line

KEY_VARIABLES = ("GITCONTEXT_LLM_KEY", "OPENAI_API_KEY")
URL_VARIABLES = ("GITCONTEXT_LLM_URL", "OPENAI_BASE_URL")
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
EXCERPT = 1500
"""Characters of the gold text that the model is shown."""
LENGTH = (3, 40)
"""Words of a usable question."""
GIVE_UP_AFTER = 3
"""Failures in a row after which the endpoint is taken to be down."""

INSTRUCTION = (
    "You write questions for testing a code search engine. You are given an excerpt. Write one question, on one line, "
    "that a developer who has never seen the code could ask and that this excerpt answers. Describe the behaviour or "
    "the symptom. Do not use any identifier from the excerpt. Reply with the question alone."
)


@dataclass
class Paraphraser:
    """One endpoint and model. `key` is sent as a bearer token when there is one."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    seconds: float = 60.0
    _failures: int = field(default=0, repr=False)

    @classmethod
    def from_environment(cls, model: str, base_url: str | None = None) -> Paraphraser:
        """`base_url`, or the first of URL_VARIABLES that is set; the key from KEY_VARIABLES. UsageError without a
        URL."""
        url = base_url or next((os.environ[name] for name in URL_VARIABLES if os.environ.get(name)), None)
        if not url or not url.startswith(("http://", "https://")):
            raise UsageError(
                "no endpoint to paraphrase with", fix=f"Set {URL_VARIABLES[0]}, such as http://127.0.0.1:8080/v1."
            )
        return cls(url, model, next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), None))

    def paraphrase(self, candidate: Candidate) -> Candidate:
        """The candidate with its query in the model's words; as it was, with a flag, where the model gives none.

        Raises GitContextError when the endpoint failed GIVE_UP_AFTER times in a row.
        """
        import httpx

        try:
            question = self._ask(candidate.text[:EXCERPT] or candidate.query)
        except (httpx.HTTPError, ValueError, KeyError, IndexError, TypeError) as error:
            self._failures += 1
            if self._failures >= GIVE_UP_AFTER:
                raise GitContextError(
                    f"failed {self._failures} times in a row: {type(error).__name__}: {error}",
                    where=self.base_url,
                    fix="Check the endpoint, the model and the key.",
                ) from error
            return replace(candidate, flags=(*candidate.flags, "not paraphrased: the endpoint failed"))
        self._failures = 0
        if not LENGTH[0] <= len(question.split()) <= LENGTH[1]:
            return replace(candidate, flags=(*candidate.flags, "not paraphrased: the model wrote no question"))
        named = sorted(
            {entry.symbol for entry in candidate.gold if entry.symbol and names_symbol(question, entry.symbol)}
        )
        flags = tuple(f"the paraphrase names {symbol}" for symbol in named)
        return replace(
            candidate,
            query=question,
            original=candidate.query,
            style="identifier" if named else "paraphrase",
            flags=(*candidate.flags, *flags),
        )

    def _ask(self, excerpt: str) -> str:
        import httpx

        response = httpx.post(
            f"{self.base_url.rstrip('/')}/chat/completions",
            headers={"Authorization": f"Bearer {self.key}"} if self.key else {},
            json={
                "model": self.model,
                "temperature": 0,
                "max_tokens": 120,
                "messages": [
                    {"role": "system", "content": INSTRUCTION},
                    {"role": "user", "content": excerpt},
                ],
            },
            timeout=self.seconds,
            trust_env=urlsplit(self.base_url).hostname not in LOOPBACK,
        )
        response.raise_for_status()
        content = response.json()["choices"][0]["message"]["content"]
        if not isinstance(content, str):
            raise TypeError(f"the answer's content is a {type(content).__name__}")
        first = next((line for line in content.splitlines() if line.strip()), "")
        return one_line(first).strip("\"'` ")
