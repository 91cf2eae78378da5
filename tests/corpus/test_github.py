"""Against a real HTTP server on loopback that speaks both of GitHub's interfaces."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitcontext_pipeline.corpus.github.client import Client, Patience, interfaces
from gitcontext_pipeline.corpus.github.credentials import Token
from gitcontext_pipeline.corpus.github.fetch import Fetched, Wanted, fetch
from gitcontext_pipeline.corpus.github.records import CommentRecord, PullRecord
from gitcontext_pipeline.corpus.github.store import Store
from tests.corpus.github_server import GitHubServer, Pull, Said, Thread, dropped, failing, truncated

SECRET = "ghp_secret0123456789"
NOW = 1_750_000_000


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer(token=SECRET).running() as running:
        yield running


class Fetching:
    """Fetches into one store, and remembers how long it was asked to wait."""

    def __init__(self, server: GitHubServer, directory: Path, *, token: bool = True, longest: float = 60) -> None:
        self.server = server
        self.path = directory / "github.sqlite"
        self.token = Token(SECRET, "a test") if token else None
        self.waits: list[float] = []
        self.patience = Patience(longest, self.waits.append, lambda: NOW)

    def __call__(self, *numbers: int, unnamed: tuple[str, ...] = (), slug: str | None = None) -> Fetched:
        self.server.asked.clear()
        slug = slug or self.server.slug
        with (
            Client(self.server.url, self.token, patience=self.patience) as client,
            Store(self.path, f"{self.server.url}/{slug}") as store,
        ):
            return fetch(client, store, slug, Wanted(numbers, unnamed))

    @property
    def store(self) -> Store:
        return Store(self.path, f"{self.server.url}/{self.server.slug}")

    def pulls(self) -> dict[int, PullRecord | None]:
        with self.store as store:
            return store.pulls(range(10_000))

    def comments(self) -> dict[int, list[CommentRecord]]:
        with self.store as store:
            return store.comments(range(10_000))


@pytest.fixture
def fetching(server: GitHubServer, tmp_path: Path) -> Fetching:
    return Fetching(server, tmp_path)


@pytest.fixture
def anonymous(server: GitHubServer, tmp_path: Path) -> Fetching:
    return Fetching(server, tmp_path, token=False)


def rich_pull(number: int = 7) -> Pull:
    return Pull(
        number,
        title="Wait longer 🐢",
        body="Doubles the wait.\r\n\r\nCloses #5\r\n",
        merge_sha="a" * 40,
        labels=["bug", "retry"],
        issues=[(5, "Too many calls")],
        comments=[Said("Why twice?"), Said("Because.", author=None), Said("", author="ada")],
        reviews=[Said("Looks right to me."), Said("")],
        threads=[
            Thread("retry.py", 6, [Said("At most a minute?"), Said("Done.", author="ada")], start=4, resolved=True),
            Thread("old.py", 3, [Said("Gone by now.")], outdated=True),
        ],
    )


@pytest.mark.parametrize("token", [True, False])
def test_a_pull_request_comes_with_all_that_was_said(server: GitHubServer, tmp_path: Path, token: bool) -> None:
    server.add(rich_pull())
    fetching = Fetching(server, tmp_path, token=token)
    assert fetching(7).why is None
    pull = fetching.pulls()[7]
    assert pull is not None
    assert (pull.title, pull.body, pull.labels) == (
        "Wait longer 🐢",
        "Doubles the wait.\n\nCloses #5\n",
        ("bug", "retry"),
    )
    assert (pull.author, pull.merge_sha, pull.merged) == ("ada", "a" * 40, "2023-12-01T10:00:00Z")
    assert [issue[:2] for issue in pull.issues] == [(5, "Too many calls" if token else "")]
    said = fetching.comments()[7]
    lines = [each for each in said if each.kind == "review"]
    assert [(each.path, each.start_line, each.line, each.body, each.author) for each in lines] == [
        ("retry.py", 4, 6, "At most a minute?", "bob"),
        ("retry.py", 4, 6, "Done.", "ada"),
        ("old.py", None, 3, "Gone by now.", "bob"),
    ]
    assert lines[0].thread == lines[1].thread != lines[2].thread
    assert lines[0].hunk == "@@ -1 +1,2 @@\n one\n+two"
    assert lines[1].url == f"{server.url}/acme/client/pull/7#discussion_r70001"
    below = [(each.body, each.author) for each in said if each.kind == "discussion" and each.body]
    assert ("Because.", None) in below
    assert ("Why twice?", "bob") in below
    assert (("Looks right to me.", "bob") in below) == token


def test_a_thousand_pull_requests_take_few_calls_and_a_second_run_almost_none(
    server: GitHubServer, fetching: Fetching
) -> None:
    for number in range(1, 1001):
        said = [Said(f"Comment {n} on {number}") for n in range(number % 4)]
        server.add(Pull(number, comments=said, threads=[Thread("a.py", 1, [Said("Hm.")])]))
    first = fetching(*range(1000, 0, -1))
    assert first.why is None
    assert first.calls <= 1000 / 20
    assert len(fetching.pulls()) == 1000
    assert sum(map(len, fetching.comments().values())) == 1000 + 1500
    second = fetching(*range(1000, 0, -1))
    assert second.calls == 1
    assert fetching(*range(1000, 0, -1)).calls == 1
    assert server.statuses[-1] == 304


def test_long_discussions_are_read_to_their_end(server: GitHubServer, fetching: Fetching) -> None:
    server.add(
        Pull(
            1,
            comments=[Said(f"c{n}") for n in range(250)],
            reviews=[Said(f"v{n}") for n in range(30)],
            threads=[Thread("a.py", n, [Said(f"t{n} {m}") for m in range(45 if n == 2 else 1)]) for n in range(90)],
        )
    )
    fetching(1)
    bodies = [each.body for each in fetching.comments()[1]]
    expected = [f"c{n}" for n in range(250)] + [f"v{n}" for n in range(30)]
    expected += [f"t{n} {m}" for n in range(90) for m in range(45 if n == 2 else 1)]
    assert sorted(bodies) == sorted(expected)
    roots = {each.thread for each in fetching.comments()[1] if each.kind == "review"}
    assert len(roots) == 90


def test_listings_are_read_page_by_page_and_then_only_what_changed(server: GitHubServer, anonymous: Fetching) -> None:
    server.per_page = 10
    for number in range(1, 36):
        server.add(Pull(number, created=f"2023-11-20T10:{number:02}:00Z", comments=[Said(f"on {number}")]))
    server.issues = {40, 41}
    anonymous(*range(35, 0, -1))
    assert set(anonymous.pulls()) == set(range(1, 36))
    assert {number: [each.body for each in said] for number, said in anonymous.comments().items()} == {
        number: [f"on {number}"] for number in range(1, 36)
    }
    assert sum("page=" in each for each in server.asked if "/pulls?" in each) == 4
    assert anonymous(*range(35, 0, -1)).calls == 3
    assert anonymous(*range(35, 0, -1)).calls == 3
    assert server.statuses[-3:] == [304, 304, 304]
    server.pulls[3].title, server.pulls[3].updated = "Renamed", "2025-06-20T10:00:00Z"
    server.pulls[3].comments.append(Said("More.", date="2025-06-20T10:00:00Z"))
    anonymous(*range(35, 0, -1))
    changed = anonymous.pulls()[3]
    assert changed is not None
    assert changed.title == "Renamed"
    assert [each.body for each in anonymous.comments()[3]] == ["on 3", "More."]


def test_only_what_is_asked_for_is_listed(server: GitHubServer, anonymous: Fetching) -> None:
    server.per_page = 10
    for number in range(1, 101):
        moment = f"2023-11-20T{number // 60:02}:{number % 60:02}:00Z"
        server.add(Pull(number, created=moment, comments=[Said("x", date=moment)]))
    anonymous(100, 95)
    assert len(server.asked) == 3
    assert set(anonymous.pulls()) == set(range(91, 101))


def test_a_changed_pull_request_is_asked_for_again_and_a_deleted_comment_is_gone(
    server: GitHubServer, fetching: Fetching
) -> None:
    server.add(rich_pull(7), Pull(8))
    fetching(8, 7)
    server.pulls[7].title, server.pulls[7].updated = "Renamed", "2025-06-20T10:00:00Z"
    del server.pulls[7].comments[0]
    assert fetching(8, 7).calls == 2
    changed = fetching.pulls()[7]
    assert changed is not None
    assert changed.title == "Renamed"
    assert "Why twice?" not in [each.body for each in fetching.comments()[7]]


def test_a_number_that_is_an_issue_is_known_to_be_none_and_not_asked_for_again(
    server: GitHubServer, fetching: Fetching
) -> None:
    server.add(Pull(8))
    server.issues = {5}
    assert fetching(8, 5).why is None
    assert fetching.pulls()[5] is None
    assert fetching(8, 5).calls == 1


def test_without_a_token_an_issue_is_told_by_its_absence(server: GitHubServer, anonymous: Fetching) -> None:
    server.add(Pull(8), Pull(4, created="2023-11-19T10:00:00Z"))
    anonymous(8, 5, 4)
    assert anonymous.pulls()[5] is None


def test_the_pull_request_of_a_rebased_commit_is_found(server: GitHubServer, fetching: Fetching) -> None:
    server.add(Pull(9))
    server.brought = {"a" * 40: 9}
    fetching(unnamed=("a" * 40, "b" * 40))
    with fetching.store as store:
        assert store.commits() == {"a" * 40: 9, "b" * 40: None}
    assert 9 in fetching.pulls()
    assert fetching(unnamed=("a" * 40, "b" * 40)).calls == 1


@pytest.mark.parametrize(
    "trouble",
    [failing(500), failing(502), truncated, dropped, failing(503, content="<html>down</html>"), failing(429)],
    ids=["500", "502", "truncated", "dropped", "503", "429"],
)
@pytest.mark.parametrize("token", [True, False])
def test_what_passes_is_tried_again(server: GitHubServer, tmp_path: Path, trouble: Any, token: bool) -> None:
    server.add(rich_pull())
    server.troubles = deque([trouble, trouble])
    fetching = Fetching(server, tmp_path, token=token)
    assert fetching(7).why is None
    assert fetching.pulls()[7] is not None
    assert fetching.waits


def test_what_does_not_pass_is_given_up_and_said(server: GitHubServer, anonymous: Fetching) -> None:
    server.add(Pull(1))
    server.troubles = deque([failing(500)] * 50)
    found = anonymous(1)
    assert found.why == "the server failed (500)"
    assert found.calls == 5


def test_a_query_that_is_too_much_is_asked_in_smaller_parts(server: GitHubServer, fetching: Fetching) -> None:
    server.add(*(Pull(number) for number in range(1, 51)))
    server.heaviest = 6
    assert fetching(*range(50, 0, -1)).why is None
    assert len(fetching.pulls()) == 50


def test_one_that_is_always_too_much_keeps_the_others(server: GitHubServer, fetching: Fetching) -> None:
    server.add(*(Pull(number) for number in range(1, 51)))
    server.heaviest = 0
    found = fetching(*range(50, 0, -1))
    assert found.why is not None
    assert "#50" in found.why


def test_a_short_primary_limit_is_waited_for(server: GitHubServer, fetching: Fetching) -> None:
    server.add(Pull(1))
    limit = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOW + 20)}
    server.troubles = deque([failing(403, limit)])
    assert fetching(1).why is None
    assert fetching.waits == [21]


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_is_waited_for_as_long_as_it_says(
    server: GitHubServer, fetching: Fetching, status: int
) -> None:
    server.add(Pull(1))
    server.troubles = deque(
        [failing(status, {"Retry-After": "7"}, {"message": "You have exceeded a secondary rate limit"})]
    )
    assert fetching(1).why is None
    assert fetching.waits == [7]


def test_a_secondary_limit_without_a_time_is_waited_for_a_minute(server: GitHubServer, fetching: Fetching) -> None:
    server.add(Pull(1))
    server.troubles = deque([failing(403, None, {"message": "You have exceeded a secondary rate limit."})])
    assert fetching(1).why is None
    assert fetching.waits == [60]


def test_a_limit_inside_a_query_is_one_too(server: GitHubServer, fetching: Fetching) -> None:
    server.add(Pull(1))
    limit = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOW + 3000)}
    answer = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    server.troubles = deque([failing(200, limit, answer)])
    found = fetching(1)
    assert (found.until, fetching.waits) == ("2025-06-15T15:56:41Z", [])


def test_a_long_limit_stops_with_what_there_is_and_the_next_run_goes_on(
    server: GitHubServer, anonymous: Fetching
) -> None:
    server.per_page = 10
    for number in range(1, 61):
        server.add(Pull(number, created=f"2023-11-20T10:{number - 1:02}:00Z", comments=[Said(f"on {number}")]))
    runs = []
    for _ in range(20):
        server.budget, server.reset = 4, NOW + 3000
        runs.append(anonymous(*range(60, 0, -1)))
        if runs[-1].why is None:
            break
    assert runs[0].until == "2025-06-15T15:56:41Z"
    assert "until 2025-06-15T15:56:41Z" in (runs[0].why or "")
    assert runs[0].left == 0
    assert runs[-1].why is None
    assert len(anonymous.pulls()) == 60
    assert sum(map(len, anonymous.comments().values())) == 60


FETCH = """
import sys
from pathlib import Path
from gitcontext_pipeline.corpus.github.client import Client
from gitcontext_pipeline.corpus.github.credentials import Token
from gitcontext_pipeline.corpus.github.fetch import Wanted, fetch
from gitcontext_pipeline.corpus.github.store import Store
url, path = sys.argv[1:]
with Client(url, Token("ghp_secret0123456789", "a test")) as client, Store(Path(path), f"{url}/acme/client") as store:
    assert fetch(client, store, "acme/client", Wanted(range(150, 0, -1), ["b" * 40])).why is None
"""


def test_killed_anywhere_and_started_again_it_ends_with_the_same(server: GitHubServer, tmp_path: Path) -> None:
    server.add(*(rich_pull(number) for number in range(1, 151)))
    whole, broken = Fetching(server, tmp_path / "whole"), Fetching(server, tmp_path / "broken")
    whole(*range(150, 0, -1), unnamed=("b" * 40,))
    (tmp_path / "broken").mkdir()
    killed = 0
    for calls in (1, 2, 2, 2, 99):
        command = [sys.executable, "-c", FETCH, server.url, str(broken.path)]
        process = subprocess.Popen(command, env={**os.environ, "NO_PROXY": "127.0.0.1"})
        server.troubles = deque([*[None] * calls, lambda request, victim=process: victim.kill()])  # type: ignore[misc]
        killed += process.wait() == -signal.SIGKILL
    assert killed == 4
    assert broken.pulls() == whole.pulls()
    assert broken.comments() == whole.comments()


@pytest.mark.parametrize("token", [True, False])
def test_a_renamed_repository_is_followed(server: GitHubServer, tmp_path: Path, token: bool) -> None:
    server.add(rich_pull())
    server.called_before = "acme/old"
    fetching = Fetching(server, tmp_path, token=token)
    for _ in range(2):
        assert fetching(7, slug="acme/old").why is None
    with Store(fetching.path, f"{server.url}/acme/old") as store:
        assert set(store.pulls({7})) == {7}


def test_the_token_is_sent_to_its_server_only(server: GitHubServer, fetching: Fetching) -> None:
    server.add(rich_pull(), Pull(8))
    fetching(7)
    with GitHubServer().running() as other:
        away = failing(301, {"Location": f"{other.url}/api/v3/repos/acme/client/issues"})
        server.troubles = deque([away])
        found = fetching(8)
        assert found.why == "it leads to another server, 127.0.0.1"
        assert other.asked == []
    assert set(server.authorizations) == {f"Bearer {SECRET}"}


def test_a_token_is_nowhere_to_be_seen(
    server: GitHubServer, fetching: Fetching, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.add(rich_pull())
    server.troubles = deque([failing(500), dropped])
    found = fetching(7)
    server.token = "another"
    refused = fetching(7)
    assert "does not accept the token" in (refused.why or "")
    told = f"{caplog.text}{found}{refused}{fetching.token!r}{server.asked}"
    assert SECRET not in told
    assert SECRET.encode() not in fetching.path.read_bytes()


@pytest.mark.parametrize(("token", "why"), [(True, "this token may see"), (False, "can be seen without a token")])
def test_a_repository_that_cannot_be_seen_is_said(server: GitHubServer, tmp_path: Path, token: bool, why: str) -> None:
    found = Fetching(server, tmp_path, token=token)(1, slug="acme/secret")
    assert why in (found.why or "")


def test_a_server_that_does_not_answer_fails_fast(tmp_path: Path) -> None:
    started = time.monotonic()
    found = Fetching(GitHubServer(url="http://127.0.0.1:9"), tmp_path)(1)
    assert "does not answer" in (found.why or "")
    assert time.monotonic() - started < 3


def test_a_damaged_store_and_one_of_another_repository_are_begun_anew(server: GitHubServer, fetching: Fetching) -> None:
    server.add(rich_pull())
    fetching.path.write_bytes(b"not a database, but long enough to be one" * 100)
    fetching(7)
    assert set(fetching.pulls()) == {7}
    with Store(fetching.path, "https://github.com/other/one") as store:
        assert store.pulls(range(100)) == {}


def test_the_stores_version_is_another_when_anything_is(server: GitHubServer, fetching: Fetching) -> None:
    server.add(rich_pull())
    fetching(7)
    with fetching.store as store:
        before = store.version
    fetching(7)
    with fetching.store as store:
        assert store.version == before
    server.pulls[7].updated = "2025-06-20T10:00:00Z"
    fetching(7)
    with fetching.store as store:
        assert store.version != before


def test_pages_arrive_whole_or_not_at_all(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite", "r") as store, contextlib.suppress(KeyboardInterrupt), store.together():
        store.put_absent([1, 2])
        raise KeyboardInterrupt
    with Store(tmp_path / "s.sqlite", "r") as store:
        assert store.pulls({1, 2}) == {}


@pytest.mark.parametrize(
    ("url", "rest", "graphql"),
    [
        ("https://github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
        ("https://code.example.com", "https://code.example.com/api/v3", "https://code.example.com/api/graphql"),
    ],
)
def test_each_kind_of_server_has_its_interfaces(url: str, rest: str, graphql: str) -> None:
    assert interfaces(url) == (rest, graphql)
