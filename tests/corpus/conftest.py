from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repository


@pytest.fixture(autouse=True)
def _loopback_without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    """A repository with three commits; the last one is HEAD."""
    repository = Repository(tmp_path / "origin")
    repository.commit("First", {"README.md": "# Demo\n"})
    repository.commit("Second", {"src/demo.py": "def demo():\n    return 1\n"})
    repository.commit("Third", {"src/demo.py": "def demo():\n    return 2\n"})
    return repository
