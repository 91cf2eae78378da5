from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.errors import GitContextError, NotIndexed, OriginUnavailable, UsageError


def test_an_error_says_where_what_and_what_to_do() -> None:
    error = GitContextError("not a JSON object", where=Path("evals") / "golden.jsonl", fix="see the docs")
    assert str(error) == "evals/golden.jsonl: not a JSON object\n  see the docs"


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (GitContextError("no such name"), "no such name"),
        (GitContextError("no such name", where="here"), "here: no such name"),
        (GitContextError("no such name", fix="use another"), "no such name\n  use another"),
    ],
)
def test_what_is_not_known_leaves_no_trace(error: GitContextError, shown: str) -> None:
    assert str(error) == shown


@pytest.mark.parametrize(("kind", "code"), [(UsageError, 2), (NotIndexed, 3), (OriginUnavailable, 3)])
def test_a_wrong_request_and_a_failure_exit_differently(kind: type[GitContextError], code: int) -> None:
    assert kind("x").exit_code == code
    assert issubclass(kind, GitContextError)
