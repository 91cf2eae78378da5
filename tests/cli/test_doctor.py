"""`gitcontext doctor`: what it notices, what it advises, and what it never shows."""

from __future__ import annotations

import json
import shlex
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from filelock import FileLock

from gitcontext_pipeline.cli.health import finding, reachable
from gitcontext_pipeline.cli.health.corpora import corpus_findings
from gitcontext_pipeline.cli.health.finding import Finding
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.cli.conftest import Command
from tests.cli.odd_corpus import OddCorpus
from tests.corpus.servers import reply, serving
from tests.repositories import Repository

TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"


def told(gitcontext: Command, *, code: int = 0) -> dict[tuple[str, str], dict[str, str]]:
    """The findings by area and name."""
    done = gitcontext("doctor", "--offline", "--json")
    assert done.exit_code == code, done.output
    return {(each["area"], each["name"]): each for each in json.loads(done.stdout)}


@pytest.fixture
def copy(odd_corpus: OddCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    """The same corpus in a state of our own, to be damaged."""
    state = State(tmp_path / "copied state")
    shutil.copytree(odd_corpus.state.root / "corpora", state.root / "corpora")
    state.models.symlink_to(odd_corpus.state.models, target_is_directory=True)
    monkeypatch.setenv(STATE_VARIABLE, str(state.root))
    return state


def test_a_newcomer_is_told_what_is_there(gitcontext: Command, tmp_path: Path) -> None:
    found = told(gitcontext)
    assert all(each["condition"] != "broken" for each in found.values())
    assert found["installed", "git"]["condition"] == "ok"
    assert found["installed", "lancedb"]["condition"] == "ok"
    assert "is not there yet" in found["machine", "state directory"]["told"]
    assert not (tmp_path / "state").exists(), "a reader makes nothing"
    text = gitcontext("doctor", "--offline").output
    assert "  ok     python: 3." in text
    assert "reachable" not in text


@pytest.mark.usefixtures("odd_corpus")
def test_a_corpus_that_is_well_has_no_warning(gitcontext: Command) -> None:
    found = {name: each for (area, name), each in told(gitcontext).items() if area == "odd"}
    assert {name: each["condition"] for name, each in found.items()} == {
        "published": "ok",
        "version": "ok",
        "pull requests": "off",
    }


def test_a_state_that_cannot_be_written_is_broken(
    gitcontext: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "file" / "state"))
    found = told(gitcontext, code=3)["machine", "state directory"]
    assert (found["condition"], found["fix"]) == ("broken", "export GITCONTEXT_STATE=DIRECTORY")


def test_a_damaged_snapshot_is_broken_and_can_be_gone_back_from(gitcontext: Command, copy: State) -> None:
    current = copy.corpus("odd").current
    assert current is not None
    (current / "chunks.parquet").write_bytes(b"PAR1 rubbish")
    found = told(gitcontext, code=3)["odd", "published"]
    assert (found["condition"], found["fix"]) == ("broken", "gitcontext rollback odd")
    copy.corpus("odd").pointer.write_text("ffffffffffff")
    found = told(gitcontext, code=3)["odd", "published"]
    assert "names no snapshot that is there" in found["told"]
    copy.corpus("odd").pointer.unlink()
    found = told(gitcontext)["odd", "published"]
    assert found["condition"] == "warning"
    assert shlex.split(found["fix"])[:2] == ["gitcontext", "index"]
    assert "BROKEN" not in gitcontext("doctor", "--offline").output


def test_what_an_older_version_left_is_told(gitcontext: Command, copy: State) -> None:
    corpus = copy.corpus("odd")
    current = corpus.current
    assert current is not None
    (current / "lancedb" / "vectors.arrow").unlink()
    older = current.rename(current.with_name("0123456789ab"))
    corpus.pointer.write_text(older.name)
    found = told(gitcontext)
    assert "saved by an older version" in found["odd", "vectors"]["told"]
    assert "made by an older version of the code" in found["odd", "version"]["told"]
    again = shlex.split(found["odd", "version"]["fix"])
    assert again[:2] == ["gitcontext", "index"]
    assert again[3:] == ["--name", "odd", "--github", "acme/odd"]
    shutil.copytree(older, current)
    assert "was made and not published" in told(gitcontext)["odd", "version"]["told"]


def test_what_a_killed_run_left_is_told_unless_a_run_is_at_it(gitcontext: Command, copy: State) -> None:
    corpus = copy.corpus("odd")
    (corpus.snapshots / ".writing-abc").mkdir()
    assert "snapshots/.writing-abc" in told(gitcontext)["odd", "leftovers"]["told"]
    with FileLock(corpus.directory / ".lock"):
        found = told(gitcontext)
        assert found["odd", "lock"]["told"] == "a running process is working on it"
        assert ("odd", "leftovers") not in found


def test_a_branch_that_moved_on_is_told(gitcontext: Command, copy: State, tmp_path: Path) -> None:

    repository = tmp_path / "repository"
    corpus = copy.corpus("odd")
    note = json.loads((corpus.directory / "remembered.json").read_text())
    origin = note["spec"]["origins"][0]
    shutil.copytree(origin["git"], repository)
    origin["git"] = str(repository)
    (corpus.directory / "remembered.json").write_text(json.dumps(note))

    def origin_finding() -> Finding:
        return next(each for each in corpus_findings(copy, corpus, offline=False) if each.name == "origin")

    assert origin_finding().condition == "ok"
    newer = Repository(repository).commit("Later", {"later.py": "LATER = 1\n"})
    moved = origin_finding()
    assert moved.condition == "warning"
    assert shlex.split(moved.fix or "")[2] == f"{repository}@{newer}"
    shutil.rmtree(repository)
    assert origin_finding().told.endswith("there is no such path")


@contextmanager
def github_server(*, status: int, asked: list[str | None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            return

        def do_GET(self) -> None:
            asked.append(self.headers.get("Authorization"))
            content = {"resources": {"core": {"limit": 5000, "remaining": 4321}}}
            reply(self, status, "application/json", json.dumps(content).encode())

    with serving(Handler) as address:
        yield address


def test_github_is_asked_with_a_token_that_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []
    with github_server(status=200, asked=asked) as url:
        (without,) = reachable.github(url)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        (with_token,) = reachable.github(url)
    with github_server(status=401, asked=asked) as url:
        (refused,) = reachable.github(url)
    with github_server(status=503, asked=asked) as url:
        (down,) = reachable.github(url)
    (silent,) = reachable.github("http://127.0.0.1:9")
    assert asked[:2] == [None, f"Bearer {TOKEN}"]
    assert "without a token, 4321 of 5000 calls" in without.told
    assert "with GITHUB_TOKEN, 4321 of 5000 calls" in with_token.told
    assert [each.condition for each in (without, with_token, refused, down, silent)] == ["ok"] * 2 + ["warning"] * 3
    assert refused.fix == "gh auth login"
    assert "503" in down.told
    assert TOKEN not in repr([without, with_token, refused, down, silent])


def test_the_package_index_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://someone:secret@127.0.0.1:9/simple")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    (silent,) = reachable.package_index()
    assert silent.condition == "warning"
    assert "secret" not in repr(silent)
    (tmp_path / reachable.PACKAGE).mkdir()
    monkeypatch.setenv("PIP_INDEX_URL", tmp_path.as_uri())
    (answers,) = reachable.package_index()
    assert answers.condition == "ok"


def test_who_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def endless() -> Iterator[Finding]:
        ended.wait(60)
        yield Finding("reachable", "server", "ok", "at last")

    monkeypatch.setattr(finding, "LONGEST", 0.05)
    (given_up,) = finding.start_check(endless, "reachable")()
    ended.set()
    assert given_up.condition == "warning"


def test_a_check_that_fails_is_a_finding() -> None:
    def failing() -> Iterator[Finding]:
        yield Finding("machine", "disk", "ok", "fine")
        raise OSError("no such device")

    (found,) = finding.run_check(failing, "machine")
    assert (found.condition, found.area) == ("broken", "machine")
    assert "no such device" in found.told
