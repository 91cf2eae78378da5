from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.github.credentials import find_token

GH = """#!/bin/sh
[ "$1 $2 $3" = "auth token --hostname" ] || exit 2
[ "$4" = github.com ] && echo from-gh
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH with a `gh` that is logged in at github.com."""
    command = tmp_path / "bin" / "gh"
    command.parent.mkdir()
    command.write_text(GH)
    command.chmod(0o755)
    return f"{command.parent}:/usr/bin:/bin"


@pytest.mark.parametrize(
    ("environ", "value", "source"),
    [
        ({"GITHUB_TOKEN": "one", "GH_TOKEN": "two"}, "one", "GITHUB_TOKEN"),
        ({"GITHUB_TOKEN": "", "GH_TOKEN": " two\n"}, "two", "GH_TOKEN"),
        ({}, "from-gh", "gh auth token"),
    ],
)
def test_the_first_token_there_is(environ: dict[str, str], value: str, source: str, path: str) -> None:
    found = find_token(environ={"PATH": path, **environ})
    assert found is not None
    assert (found.value, found.source) == (value, source)
    assert value not in repr(found)


def test_an_enterprise_servers_own_token_comes_first(path: str) -> None:
    environ = {"PATH": path, "GITHUB_TOKEN": "one", "GH_ENTERPRISE_TOKEN": "its own"}
    found = find_token("https://code.example.com", environ)
    assert found is not None
    assert found.value == "its own"
    assert find_token("https://code.example.com", {"PATH": path}) is None


def test_no_token_is_no_error(tmp_path: Path) -> None:
    assert find_token(environ={"PATH": str(tmp_path)}) is None
