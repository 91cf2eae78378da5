from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.index.snapshot import KEPT, prune, publish, published, roll_back
from gitcontext_pipeline.state import CorpusState, State


@pytest.fixture
def corpus(state: State) -> CorpusState:
    return state.corpus("requests")


def build(corpus: CorpusState, *names: str) -> None:
    for name in names:
        (corpus.snapshots / name).mkdir(parents=True)
        (corpus.snapshots / name / "manifest.json").write_text(json.dumps({"revision": f"revision of {name}"}))


def build_and_publish(corpus: CorpusState, *names: str) -> None:
    build(corpus, *names)
    for name in names:
        publish(corpus, name)


def ids(corpus: CorpusState) -> list[str]:
    return [entry.id for entry in published(corpus)]


def on_disk(corpus: CorpusState) -> set[str]:
    return {directory.name for directory in corpus.snapshots.iterdir()}


class TestPublish:
    def test_readers_see_the_published_one_and_publishing_tells_which_was_before(self, corpus: CorpusState) -> None:
        build(corpus, "one", "two")
        assert corpus.current is None
        assert publish(corpus, "one") is None
        assert corpus.current == corpus.snapshots / "one"
        assert publish(corpus, "two") == "one"
        assert corpus.current == corpus.snapshots / "two"

    def test_one_that_is_only_built_is_not_seen(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one")
        build(corpus, "two")
        assert corpus.current == corpus.snapshots / "one"
        assert ids(corpus) == ["one"]

    def test_publishing_the_current_one_again_changes_nothing(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one", "two")
        before = corpus.pointer.stat()
        assert publish(corpus, "two") == "two"
        assert corpus.pointer.stat().st_ino == before.st_ino
        assert ids(corpus) == ["two", "one"]

    def test_a_reader_sees_the_old_one_or_the_new_one_and_nothing_between(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one")
        build(corpus, "two")
        done = threading.Event()

        def write() -> None:
            for turn in range(40):
                publish(corpus, ("two", "one")[turn % 2])
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        seen = set()
        while not done.is_set():
            seen.add(corpus.current)
        writer.join()
        assert seen <= {corpus.snapshots / "one", corpus.snapshots / "two"}

    def test_a_run_killed_before_the_rename_leaves_the_old_one(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one")
        build(corpus, "two")
        program = (
            "import os, signal, sys, pathlib\n"
            "from gitcontext_pipeline import storage\n"
            "from gitcontext_pipeline.index.snapshot import publish\n"
            "from gitcontext_pipeline.state import CorpusState\n"
            "calls = []\n"
            "def fsync(handle):\n"
            "    calls.append(handle)\n"
            "    if len(calls) == 2: os.kill(os.getpid(), signal.SIGKILL)\n"
            "os.fsync = fsync\n"
            "publish(CorpusState('requests', pathlib.Path(sys.argv[1])), 'two')\n"
        )
        assert subprocess.run([sys.executable, "-c", program, str(corpus.directory)], check=False).returncode == -9
        assert corpus.current == corpus.snapshots / "one"
        assert [(entry.id, entry.current) for entry in published(corpus)] == [("two", False), ("one", True)]


class TestPublished:
    def test_newest_first_with_what_they_are(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one", "two", "three")
        entries = published(corpus)
        assert [(entry.id, entry.current) for entry in entries] == [("three", True), ("two", False), ("one", False)]
        assert entries[1].manifest == {"revision": "revision of two"}
        assert entries[1].directory == corpus.snapshots / "two"

    def test_one_without_a_readable_manifest_is_left_out(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one", "two", "three")
        (corpus.snapshots / "one" / "manifest.json").unlink()
        (corpus.snapshots / "two" / "manifest.json").write_text("{")
        assert ids(corpus) == ["three"]

    @pytest.mark.parametrize("content", ["", "{}", "[1, null]", "null"])
    def test_a_damaged_list_is_empty(self, corpus: CorpusState, content: str) -> None:
        build_and_publish(corpus, "one")
        (corpus.directory / "published.json").write_text(content)
        assert ids(corpus) == []
        assert corpus.current == corpus.snapshots / "one"

    def test_a_corpus_that_was_never_indexed_has_none(self, corpus: CorpusState) -> None:
        assert published(corpus) == []


class TestRollBack:
    def test_to_the_one_before_and_forth_again(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one", "two", "three")
        assert roll_back(corpus).id == "two"
        assert corpus.current == corpus.snapshots / "two"
        assert roll_back(corpus).id == "three"
        assert corpus.current == corpus.snapshots / "three"

    def test_to_a_named_one(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one", "two", "three")
        assert roll_back(corpus, "one").id == "one"
        assert corpus.current == corpus.snapshots / "one"
        assert ids(corpus) == ["one", "three", "two"]

    @pytest.mark.parametrize("wanted", ["four", "three", "../one", ""])
    def test_to_one_that_cannot_be_gone_back_to(self, corpus: CorpusState, wanted: str) -> None:
        build_and_publish(corpus, "one", "two", "three")
        build(corpus, "four")
        with pytest.raises(UsageError, match="snapshots to go back to: two, one"):
            roll_back(corpus, wanted)
        assert corpus.current == corpus.snapshots / "three"

    def test_where_there_is_no_other(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one")
        with pytest.raises(UsageError, match=r"'requests' has no other snapshot\n.*: none"):
            roll_back(corpus)

    def test_one_that_was_deleted_is_passed_over(self, corpus: CorpusState) -> None:
        build_and_publish(corpus, "one", "two", "three")
        (corpus.snapshots / "two" / "manifest.json").unlink()
        assert roll_back(corpus).id == "one"


class TestPrune:
    def test_the_last_published_are_kept_and_those_that_never_were_are_not(self, corpus: CorpusState) -> None:
        names = [f"s{number}" for number in range(KEPT + 2)]
        build_and_publish(corpus, *names)
        build(corpus, "regressed")
        prune(corpus)
        assert on_disk(corpus) == set(names[-KEPT:])
        assert ids(corpus) == names[: -KEPT - 1 : -1]
        assert corpus.current == corpus.snapshots / names[-1]

    def test_one_that_was_gone_back_to_counts_as_published_last(self, corpus: CorpusState) -> None:
        names = [f"s{number}" for number in range(KEPT)]
        build_and_publish(corpus, *names)
        roll_back(corpus, "s0")
        build_and_publish(corpus, "new")
        prune(corpus)
        assert on_disk(corpus) == {"new", "s0", *names[2:]}

    @pytest.mark.parametrize("content", ["", "[]", '["gone", "gone too", "gone three"]'])
    def test_the_current_one_stays_whatever_the_list_says(self, corpus: CorpusState, content: str) -> None:
        build_and_publish(corpus, "one", "two")
        (corpus.directory / "published.json").write_text(content)
        prune(corpus)
        assert on_disk(corpus) == {"two"}
        assert ids(corpus) == ["two"]

    def test_where_there_is_nothing(self, corpus: CorpusState) -> None:
        prune(corpus)
        assert published(corpus) == []
