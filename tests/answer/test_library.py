"""Corpora that are opened once, and again when another snapshot is published."""

from __future__ import annotations

import logging
import shutil
import threading
from pathlib import Path

import pytest

from gitcontext_pipeline.answer.library import Library, Listed
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.errors import GitContextError, NotIndexed, UsageError
from gitcontext_pipeline.index.snapshot import roll_back
from gitcontext_pipeline.state import State
from tests.served import NAME, publish_damaged, publish_parent, served

__all__ = ["served"]


@pytest.fixture
def copied(served: State, tmp_path: Path) -> State:
    """The sample corpus in a state directory that a test may change."""
    shutil.copytree(served.root, tmp_path / "copied", symlinks=True)
    return State(tmp_path / "copied")


def test_a_corpus_is_opened_once_by_its_name_or_without(served: State) -> None:
    library = Library(served)
    assert library.open(NAME) is library.open(NAME) is library.open()


def test_many_threads_open_it_once(served: State) -> None:
    library = Library(served)
    opened: list[Corpus] = []
    threads = [threading.Thread(target=lambda: opened.append(library.open(NAME))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 6
    assert len(set(map(id, opened))) == 1


def test_another_snapshot_is_opened_when_it_is_published_and_the_old_one_goes_on(copied: State) -> None:
    library = Library(copied)
    old = library.open()
    older = publish_parent(copied)
    new = library.open()
    assert (new.revision, new is library.open()) == (older, True)
    assert old.search("backoff", 1)[0].revision == old.revision != older
    roll_back(copied.corpus(NAME))
    assert library.open().revision == old.revision


def test_a_damaged_snapshot_leaves_the_one_before_it(copied: State, caplog: pytest.LogCaptureFixture) -> None:
    library = Library(copied)
    old = library.open()
    publish_damaged(copied)
    with caplog.at_level(logging.ERROR):
        assert library.open() is old
    assert f"{old.snapshot} still answers" in caplog.text
    with pytest.raises(GitContextError, match="cannot be read"):
        Library(copied).open()


def test_a_pointer_that_vanishes_leaves_what_is_open(copied: State) -> None:
    library = Library(copied)
    old = library.open(NAME)
    other = copied.corpus("other")
    shutil.copytree(copied.corpus(NAME).directory, other.directory)
    copied.corpus(NAME).pointer.unlink()
    with pytest.raises(NotIndexed):
        library.open(NAME)
    assert library.open().name == "other"
    assert old.search("backoff", 1)


def test_corpora_are_listed_whether_or_not_they_are_published(copied: State) -> None:
    (copied.root / "corpora" / "begun").mkdir()
    begun, sample = Library(copied).corpora()
    assert begun == Listed("begun", None, None, None, None)
    assert (sample.name, sample.github) == (NAME, "acme/client")
    assert sample.chunks is not None
    assert sample.chunks > 10
    assert sample.as_json()["revision"] == Library(copied).open(NAME).revision


def test_what_is_not_there_is_said(state: State, served: State) -> None:
    with pytest.raises(NotIndexed, match="nothing is indexed yet"):
        Library(state).open()
    with pytest.raises(UsageError, match="no corpus 'other'"):
        Library(served).open("other")
