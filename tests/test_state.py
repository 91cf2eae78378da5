from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from gitcontext_pipeline.errors import NotIndexed, UsageError
from gitcontext_pipeline.state import STATE_VARIABLE, CorpusState, State


def publish(state: State, name: str, snapshot: str = "0123456789ab", *, at: int = 0) -> CorpusState:
    corpus = state.corpus(name)
    directory = corpus.snapshots / snapshot
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "manifest.json").write_text("{}")
    corpus.pointer.write_text(snapshot + "\n")
    os.utime(corpus.pointer, (at, at))
    return corpus


class TestLocate:
    def test_the_variable_wins(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "elsewhere"))
        assert State.locate().root == tmp_path / "elsewhere"

    def test_the_variable_may_start_from_home_or_from_here(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv(STATE_VARIABLE, "~/indexes")
        assert State.locate().root == tmp_path / "home" / "indexes"
        monkeypatch.setenv(STATE_VARIABLE, "indexes")
        assert State.locate().root == tmp_path / "indexes"

    @pytest.mark.parametrize("value", [None, ""])
    def test_else_the_project_that_one_stands_in(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
    ) -> None:
        _unset(monkeypatch, value)
        (tmp_path / "gitcontext_pipeline" / "deep").mkdir(parents=True)
        (tmp_path / "gitcontext_pipeline" / "definitions.py").touch()
        monkeypatch.chdir(tmp_path / "gitcontext_pipeline" / "deep")
        assert State.locate().root == tmp_path / "state"

    def test_else_the_users_data_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        _unset(monkeypatch, None)
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path)
        root = State.locate().root
        assert root.is_relative_to(tmp_path)
        assert root.name == "gitcontext"


def _unset(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is None:
        monkeypatch.delenv(STATE_VARIABLE)
    else:
        monkeypatch.setenv(STATE_VARIABLE, value)


class TestChoose:
    def test_an_unknown_name_is_a_usage_error_that_names_the_known_ones(self, state: State) -> None:
        publish(state, "requests")
        publish(state, "flask")
        with pytest.raises(UsageError, match=r"no corpus 'flsk' \(known: flask, requests\)") as caught:
            state.choose("flsk")
        assert caught.value.exit_code == 2
        assert "--name flsk" in str(caught.value)
        with pytest.raises(UsageError, match=r"--name NAME$"):
            state.choose("flask; rm -r ~")

    @pytest.mark.parametrize("name", ["../requests", "", ".", "requests/"])
    def test_a_name_is_not_a_path(self, state: State, name: str) -> None:
        publish(state, "requests")
        with pytest.raises(UsageError):
            state.choose(name)

    def test_with_nothing_indexed_it_says_how_to_index(self, state: State) -> None:
        with pytest.raises(NotIndexed, match="nothing is indexed yet") as caught:
            state.choose(None)
        assert "gitcontext index" in str(caught.value)

    def test_where_nothing_is_known_it_says_where_it_looked(self, state: State) -> None:
        with pytest.raises(UsageError, match=re.escape(f"no corpus 'flask' (known: none yet in {state.root})")):
            state.choose("flask")

    def test_a_corpus_that_was_never_published_is_not_indexed(self, state: State) -> None:
        publish(state, "flask")
        state.corpus("requests").snapshots.mkdir(parents=True)
        with pytest.raises(NotIndexed, match="'requests' has no published index"):
            state.choose("requests")

    def test_without_a_name_the_one_published_last(self, state: State) -> None:
        publish(state, "flask", at=1_700_000_000)
        publish(state, "requests", at=1_700_000_100)
        publish(state, "gin", at=1_600_000_000)
        state.corpus("zzz").snapshots.mkdir(parents=True)
        assert state.choose(None).name == "requests"
        assert state.choose("gin").name == "gin"
        publish(state, "gin", "fedcba987654", at=1_800_000_000)
        assert state.choose(None).name == "gin"

    def test_corpora_are_directories_that_are_not_hidden(self, state: State) -> None:
        for name in ("requests", "flask", ".trash"):
            state.corpus(name).directory.mkdir(parents=True)
        (state.root / "corpora" / "notes.txt").touch()
        assert [corpus.name for corpus in state.corpora()] == ["flask", "requests"]


class TestCurrent:
    def test_it_is_the_published_snapshot(self, state: State) -> None:
        corpus = publish(state, "requests")
        assert corpus.current == state.root / "corpora" / "requests" / "snapshots" / "0123456789ab"

    def test_a_snapshot_without_a_manifest_is_unfinished(self, state: State) -> None:
        corpus = publish(state, "requests")
        (corpus.snapshots / "0123456789ab" / "manifest.json").unlink()
        assert corpus.current is None

    @pytest.mark.parametrize(
        "pointer",
        [
            b"",
            b"\n",
            b".",
            b"..",
            b"../../etc",
            b"/etc",
            b"0123456789ab/../0123456789ab",
            b"0123456789ab\0",
            b"0123456789ab\nfedcba987654",
            b"a" * 5000,
            b"\xff\xfe\x00\x01",
            b"fedcba987654",
        ],
    )
    def test_a_pointer_that_names_no_snapshot_counts_as_missing(self, state: State, pointer: bytes) -> None:
        corpus = publish(state, "requests")
        # Whatever a hostile pointer leads to looks like a finished snapshot.
        for directory in (state.root, state.root / "corpora", corpus.directory, corpus.snapshots):
            (directory / "manifest.json").write_text("{}")
        corpus.pointer.write_bytes(pointer)
        assert corpus.current is None

    def test_a_directory_in_the_place_of_the_pointer_counts_as_missing(self, state: State) -> None:
        corpus = publish(state, "requests")
        corpus.pointer.unlink()
        corpus.pointer.mkdir()
        assert corpus.current is None

    def test_a_file_in_the_place_of_the_corpus_counts_as_missing(self, state: State) -> None:
        corpus = state.corpus("requests")
        corpus.directory.parent.mkdir()
        corpus.directory.touch()
        assert corpus.current is None


class TestManifest:
    def test_it_is_what_a_step_recorded(self, state: State) -> None:
        corpus = publish(state, "requests")
        (corpus.directory / "checkout.json").write_text('{"revision": "a"}')
        assert corpus.manifest("checkout") == {"revision": "a"}

    @pytest.mark.parametrize("content", [None, "[]", "{", "null"])
    def test_a_missing_or_damaged_one_is_none(self, state: State, content: str | None) -> None:
        corpus = publish(state, "requests")
        if content is not None:
            (corpus.directory / "checkout.json").write_text(content)
        assert corpus.manifest("checkout") is None
