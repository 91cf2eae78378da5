"""`gitcontext why` and `gitcontext fetch-prs`, as people run them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import State
from gitcontext_pipeline.steps.material import check_out
from gitcontext_pipeline.steps.pull_requests import cache_pull_requests
from gitcontext_pipeline.steps.workspace import Workspace, remember
from gitcontext_pipeline.storage import write_json
from tests.corpus.github_server import GitHubServer, Pull, Said
from tests.repositories import Repository
from tests.sample import PULL_REQUEST, RETRY, sample_repository

BACKOFF = "retry.py:4-6"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return sample_repository(tmp_path / "repository")


@pytest.fixture
def indexed(repository: Repository, state: State, tmp_path: Path) -> Workspace:
    """A corpus whose checkout and pull requests are there, and whose snapshot claims to be published."""
    origin = {"git": str(repository.path), "revision": repository.head}
    spec = CorpusSpec.model_validate({"name": "sample", "github": "acme/client", "origins": [origin]})
    made = Workspace(spec, state, tmp_path)
    remember(made)
    check_out(made)
    cache_pull_requests(made)
    publish(made, repository.head)
    return made


def publish(workspace: Workspace, revision: str) -> None:
    manifest = {"github": "acme/client", "revision": revision}
    write_json(workspace.corpus.snapshots / revision[:12] / "manifest.json", manifest)
    workspace.corpus.pointer.write_text(revision[:12])


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


@pytest.mark.usefixtures("indexed")
def test_why_names_the_pull_request_that_introduced_the_lines(repository: Repository) -> None:
    told = run("why", BACKOFF).splitlines()
    merge = repository.git("log", "--format=%H", "--grep=Merge pull request #7", "-1")
    assert told == [
        f"{BACKOFF} at {repository.head}",
        f"    https://github.com/acme/client/blob/{repository.head}/retry.py#L4-L6",
        f"introduced in #{PULL_REQUEST}, Exponential backoff between attempts",
        f"    2023-11-19 by Bob Martin  https://github.com/acme/client/commit/{merge}",
    ]


def test_why_tells_of_later_changes_too(repository: Repository, indexed: Workspace) -> None:
    repository.commit("At most half a minute (#12)", {"retry.py": RETRY.replace("60.0", "30.0")})
    moved = indexed.spec.model_copy(
        update={"origins": (indexed.spec.origins[0].model_copy(update={"revision": repository.head}),)}
    )
    later = Workspace(moved, indexed.state, indexed.project)
    check_out(later)
    cache_pull_requests(later)
    assert json.loads(run("why", BACKOFF, "--json"))["changed"]["pr"] == PULL_REQUEST, "not published yet"
    publish(later, repository.head)
    told = json.loads(run("why", BACKOFF, "--json"))
    assert (told["introduced"]["pr"], told["changed"]["pr"]) == (PULL_REQUEST, 12)
    assert [touch["pr"] for touch in told["touches"]] == [12, PULL_REQUEST]


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("retry.py", "names no line"),
        ("retry.py:0", "there is no line 0"),
        ("retry.py:9-2", "ends before it begins"),
        ("nowhere.py:1", "there is no file 'nowhere.py'"),
        ("retry.py:999", "has 10 lines"),
    ],
)
def test_a_place_that_is_none_is_an_error_of_use(place: str, reason: str) -> None:
    assert reason in run("why", place, code=2)


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("place", ["./retry.py:4", "retry.py#L4-L6", "retry.py#L4", "docs/café notes.md:1"])
def test_a_place_may_be_written_as_links_write_it(place: str) -> None:
    assert "introduced in" in run("why", place)


def test_fetch_prs_says_what_came_from_github(indexed: Workspace) -> None:
    with GitHubServer().running() as server:
        said = [Said("Why?", date="2023-11-16T00:00:00Z")]
        server.add(*(Pull(number, created="2023-11-14T00:00:00Z", comments=said) for number in (3, PULL_REQUEST, 9)))
        remember(Workspace(indexed.spec.model_copy(update={"github_url": server.url}), indexed.state, indexed.project))
        told = run("fetch-prs", "sample")
        assert "sample: 3 pull requests in the history" in told
        assert "from GitHub: 3 pull requests, 0 review threads, 3 comments" in told
        assert "GitHub: up to date" in told
        server.budget, server.reset = 0, 4_000_000_000
        limited = run("fetch-prs", "sample")
        assert "stopped: its rate limit is used up until 2096-10-02T07:06:41Z" in limited
        assert "it goes on where it stopped" in limited


def test_fetch_prs_needs_no_github(indexed: Workspace) -> None:
    unreachable = indexed.spec.model_copy(update={"github_url": "http://127.0.0.1:9"})
    remember(Workspace(unreachable, indexed.state, indexed.project))
    told = run("fetch-prs", "sample", "--limit", "5")
    assert "127.0.0.1 does not answer" in told
    assert "3 pull requests in the history" in told
    assert json.loads(run("fetch-prs", "sample", "--json"))["named"] == 3


def test_fetch_prs_of_nothing_and_with_no_date(indexed: Workspace) -> None:
    assert "no corpus 'other'" in run("fetch-prs", "other", code=2)
    assert "is no date" in run("fetch-prs", "sample", "--since", "yesterday", code=2)
