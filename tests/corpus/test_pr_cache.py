"""The pull request cache of a corpus: a made repository, GitHub on loopback, and what both together come to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from gitcontext_pipeline.chunks.changes import change_chunks
from gitcontext_pipeline.chunks.collect import Identity
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.components.checks import pull_requests_complete, pull_requests_fresh
from gitcontext_pipeline.components.metadata import pr_cache
from gitcontext_pipeline.corpus.origins import read_checkout
from gitcontext_pipeline.corpus.pull_request_table import PULL_REQUESTS, read_pull_requests
from gitcontext_pipeline.corpus.pull_requests import PullRequest
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import State
from gitcontext_pipeline.steps.material import check_out
from gitcontext_pipeline.steps.pull_requests import Asking, cache_pull_requests, changes_as_cached
from gitcontext_pipeline.steps.workspace import Workspace
from tests.corpus.github_server import GitHubServer, Pull, Said, Thread, failing
from tests.repositories import BOB, Repository

SECRET = "ghp_secret0123456789"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Four pull requests (a merge, a squash, a robot's, a rebased one), and an issue's number in a subject."""
    made = Repository(tmp_path / "repository")
    made.commit("First", {"retry.py": "wait = 1\n", ".github/pull_request_template.md": "## What and why?\n"})
    made.branch("topic")
    made.commit("wip", {"retry.py": "wait = 1\nlimit = 60\n"}, author=BOB)
    made.switch("main")
    made.merge("topic", number=7, title="Wait longer")
    made.commit("Say why (#9)", {"README.md": "# Client\n"})
    made.commit("Bump idna from 3.4 to 3.7 (#10)", {"requirements.txt": "idna==3.7\n"}, author="dependabot[bot]")
    made.commit("Handle empty bodies (#5)", {"body.py": "x = 1\n"})
    made.commit("Rebased, and names nothing", {"rebased.py": "x = 1\n"})
    return made


@pytest.fixture
def server(repository: Repository) -> Iterator[GitHubServer]:
    with GitHubServer(token=SECRET).running() as running:
        running.add(
            Pull(
                7,
                title="Wait longer 🐢",
                body="## What and why?\nServers are slow.\n\n> quoted",
                issues=[(4, "Too many calls")],
                labels=["bug"],
                created="2023-11-14T00:00:00Z",
                comments=[Said("LGTM"), Said("What about a limit?", date="2023-11-16T00:00:00Z"),
                          Said("Years later.", date="2025-01-01T00:00:00Z")],
                threads=[Thread("retry.py", 2, [Said("Why sixty?", date="2023-11-15T00:00:00Z"),
                                                Said("A minute is enough.", None, "2023-11-15T01:00:00Z")])],
            ),
            Pull(9, title="Say why", body="", created="2023-11-14T00:00:00Z"),
            Pull(10, title="Bump idna", author="dependabot", bot=True, created="2023-11-14T00:00:00Z"),
            Pull(11, title="The rebased one", body="In one piece.", created="2023-11-14T00:00:00Z"),
            Pull(99, title="Merged after the pinned revision"),
        )  # fmt: skip
        running.issues = {5}
        running.brought = {repository.head: 11}
        yield running


@pytest.fixture
def workspace(repository: Repository, server: GitHubServer, state: State, tmp_path: Path) -> Workspace:
    spec = CorpusSpec.model_validate(
        {
            "name": "sample",
            "github": "acme/client",
            "github_url": server.url,
            "origins": [{"git": str(repository.path), "revision": repository.head}],
        }
    )
    made = Workspace(spec, state, tmp_path)
    check_out(made)
    return made


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)


def rows(workspace: Workspace) -> list[PullRequest]:
    return read_pull_requests(workspace.corpus.directory / PULL_REQUESTS)


def test_without_a_token_github_is_not_asked_and_that_is_said(workspace: Workspace, server: GitHubServer) -> None:
    result = cache_pull_requests(workspace)
    assert server.asked == []
    assert result.facts["sources"] == {"git history": 4, "GitHub": 0}
    assert "there is no token" in result.facts["github"]
    assert [row.number for row in rows(workspace)] == [5, 10, 9, 7]
    assert cache_pull_requests(workspace).skipped
    assert pull_requests_complete(workspace).passed
    assert pull_requests_fresh(workspace).passed


@pytest.mark.usefixtures("token")
def test_with_a_token_both_sources_make_one_table(workspace: Workspace, server: GitHubServer) -> None:
    result = cache_pull_requests(workspace)
    assert result.facts["github"] == "up to date"
    assert [(row.number, row.title, row.noise) for row in rows(workspace)] == [
        (11, "The rebased one", None),
        (10, "Bump idna", "robot"),
        (9, "Say why", None),
        (7, "Wait longer 🐢", None),
    ]
    merged = rows(workspace)[-1]
    assert merged.author == BOB
    assert [issue.title for issue in merged.issues] == ["Too many calls"]
    assert [comment.body for comment in merged.comments] == ["What about a limit?"]
    assert [[comment.author for comment in thread.comments] for thread in merged.threads] == [["bob", ""]]
    assert pull_requests_complete(workspace).passed
    told = pr_cache(workspace, result.facts)
    assert told["token"] == "GITHUB_TOKEN"
    assert SECRET not in f"{told}{result}"
    state = [path.read_bytes() for path in workspace.state.root.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in content for content in state)


@pytest.mark.usefixtures("token")
def test_a_second_run_asks_what_changed_and_makes_nothing_anew(workspace: Workspace, server: GitHubServer) -> None:
    first = cache_pull_requests(workspace)
    again = cache_pull_requests(workspace)
    assert (again.skipped, again.facts["calls"]) == (True, 1)
    assert again.fingerprint == first.fingerprint
    server.pulls[9].title, server.pulls[9].updated = "Say why, at length", datetime.now(UTC).isoformat()[:19] + "Z"
    changed = cache_pull_requests(workspace)
    assert not changed.skipped
    assert changed.fingerprint != first.fingerprint


@pytest.mark.usefixtures("token")
def test_what_was_said_after_the_pinned_revision_makes_no_new_table(workspace: Workspace, server: GitHubServer) -> None:
    first = cache_pull_requests(workspace)
    now = datetime.now(UTC).isoformat()[:19] + "Z"
    server.pulls[9].comments.append(Said("By the way, years later.", date=now))
    server.pulls[9].updated = now
    assert cache_pull_requests(workspace).fingerprint == first.fingerprint


def test_what_was_fetched_is_kept_when_github_is_not_asked_any_more(
    workspace: Workspace, server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    first = cache_pull_requests(workspace)
    monkeypatch.delenv("GITHUB_TOKEN")
    again = cache_pull_requests(workspace)
    assert again.fingerprint == first.fingerprint
    assert again.facts["sources"]["GitHub"] == 4
    assert again.facts["asked"] == first.facts["asked"]


def test_asked_for_it_comes_without_a_token_too(workspace: Workspace) -> None:
    result = cache_pull_requests(workspace, Asking(without_token=True))
    assert result.facts["github"] == "up to date"
    assert {row.number for row in rows(workspace) if row.from_github} == {7, 9, 10}
    assert [comment.body for comment in rows(workspace)[-1].threads[0].comments] == [
        "Why sixty?",
        "A minute is enough.",
    ]


@pytest.mark.usefixtures("token")
def test_a_limit_and_a_date_ask_for_the_newest_only(workspace: Workspace) -> None:
    cache_pull_requests(workspace, Asking(limit=1))
    assert {row.number for row in rows(workspace) if row.from_github} == {11}
    cache_pull_requests(workspace, Asking(since=next(row.merged for row in rows(workspace) if row.number == 9)))
    assert {row.number for row in rows(workspace) if row.from_github} == {9, 10, 11}
    assert not pull_requests_complete(workspace).passed


@pytest.mark.usefixtures("token")
def test_an_unreachable_github_fails_nothing_and_is_said(workspace: Workspace, server: GitHubServer) -> None:
    server.troubles = deque([failing(401)])
    result = cache_pull_requests(workspace)
    assert result.facts["github"].startswith("stopped: it does not accept the token")
    assert [row.number for row in rows(workspace)] == [5, 10, 9, 7]
    check = pull_requests_complete(workspace)
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)


@pytest.mark.usefixtures("token")
def test_an_old_answer_is_called_old(workspace: Workspace) -> None:
    cache_pull_requests(workspace)
    assert pull_requests_fresh(workspace).passed
    done = workspace.ledger.entry("pr_cache")
    assert done is not None
    workspace.ledger.record("pr_cache", done.fingerprint, {**done.facts, "asked": "2024-01-01T00:00:00Z"})
    assert not pull_requests_fresh(workspace).passed


def test_a_corpus_without_a_slug_or_without_history_is_git_alone(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    for change, why in (({"github": None}, "names no GitHub repository"), ({"history": "none"}, "no history")):
        spec = workspace.spec.model_copy(update=change)
        alone = Workspace(spec, workspace.state, workspace.project)
        assert why in cache_pull_requests(alone).facts["github"]


@pytest.mark.usefixtures("token")
def test_what_was_said_becomes_evidence_with_its_own_links(workspace: Workspace, server: GitHubServer) -> None:
    cache_pull_requests(workspace)
    found = {(chunk.pr, chunk.symbol_kind): chunk for chunk in chunks(workspace)}
    whole = found[7, None]
    assert whole.text.startswith(
        "Wait longer 🐢\n\n## What and why?\nServers are slow.\n\n> quoted\n\nCloses #4 Too many calls"
    )
    assert whole.search_text is not None
    assert whole.search_text.startswith(
        "Wait longer 🐢\n\nServers are slow.\n\nCloses #4 Too many calls\n\nLabels: bug"
    )
    assert whole.url == f"{server.url}/acme/client/commit/{whole.commit}"
    review = found[7, "review"]
    assert review.text == (
        "Review of retry.py:2 in #7 Wait longer 🐢\n\n@@ -1 +1,2 @@\n one\n+two\n\n"
        "bob on 2023-11-15:\nWhy sixty?\n\na deleted account on 2023-11-15:\nA minute is enough."
    )
    assert review.url == f"{server.url}/acme/client/pull/7#discussion_r70000"
    assert (review.commit, review.paths, review.author) == (whole.commit, ("retry.py",), "bob")
    discussion = found[7, "discussion"]
    assert discussion.text.endswith("bob on 2023-11-16:\nWhat about a limit?")
    assert found[10, None].role == "bot"
    assert found[11, None].kind == "pull_request"
    assert [chunk.kind for chunk in chunks(workspace) if "empty bodies" in chunk.text] == ["commit"]


def chunks(workspace: Workspace) -> list[Chunk]:
    checkout = read_checkout(workspace.corpus.directory)
    pulls = {pull.merge_sha: pull for pull in rows(workspace)}
    changes = changes_as_cached(workspace, checkout, pulls)
    identity = Identity("sample", workspace.spec.repository, checkout.revision)
    return list(change_chunks(changes, identity, pulls, {"## What and why?"}))


def test_every_number_that_the_first_parents_name_is_a_row(workspace: Workspace, repository: Repository) -> None:
    cache_pull_requests(workspace)
    subjects = repository.git("log", "--first-parent", "--format=%s").splitlines()
    named = {int(word.strip("(#)")) for subject in subjects for word in subject.split() if word.startswith(("#", "(#"))}
    assert {row.number for row in rows(workspace)} == named == {5, 7, 9, 10}
