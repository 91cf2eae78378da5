"""Who may ask, and what a browser may do with the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.state import State
from gitcontext_pipeline.web.security import host_name, inner
from gitcontext_pipeline.web.settings import LOOPBACK_NAMES, Settings
from tests.web.conftest import client_of
from tests.web.published import CORPUS, QUESTION
from tests.web.running import running

TOKEN = "correct-horse-battery"


@pytest.mark.parametrize("path", ["/", "/quality", "/api/corpora", "/api/nope", "/nope", "/static/page.js", "/healthz"])
def test_every_response_forbids_what_the_page_does_not_need(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert ("immutable" in headers["cache-control"]) == path.startswith("/static/")


def test_the_page_asks_for_nothing_from_elsewhere(client: httpx.Client) -> None:
    html = client.get("/", params={"q": QUESTION}).text
    assert "style=" not in html
    assert " on" not in {part[:3] for part in html.split("<")[1:] if "=" in part and part.startswith(" on")}
    for asset in ("/static/style.css", "/static/page.js"):
        assert "http" not in client.get(asset).text.replace("https://html.spec", "")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1.nip.io"])
@pytest.mark.parametrize("path", ["/", "/api/corpora", "/healthz"])
def test_a_name_that_was_pointed_at_this_machine_is_refused(client: httpx.Client, host: str, path: str) -> None:
    reply = client.get(path, headers={"Host": host})
    assert reply.status_code == 421
    assert CORPUS not in reply.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000", "[::1]"])
def test_the_names_of_this_machine_are_known(client: httpx.Client, host: str) -> None:
    assert client.get("/api/corpora", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("header", "name"),
    [("a:80", "a"), ("a", "a"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"), (":80", ":80"), ("a:b", "a:b"), ("", "")],
)
def test_the_name_in_a_host_header(header: str, name: str) -> None:
    assert host_name(header) == name


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "/\r\nX: y", "evil", ""]
)
def test_nobody_is_sent_elsewhere_after_logging_in(target: str) -> None:
    assert inner(target) == "/"
    assert inner("/?q=a&corpus=b") == "/?q=a&corpus=b"


@pytest.fixture(scope="module")
def guarded(corpora: State) -> Iterator[str]:
    hosts = LOOPBACK_NAMES | {"gitcontext.internal"}
    with running(Library(corpora), Settings(token=TOKEN, hosts=hosts)) as address:
        yield address


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", "Bearer \xe9", TOKEN])
@pytest.mark.parametrize("path", ["/api/ask?q=x", "/metrics", "/openapi.json", "/answer.md?q=x", "/explanation?q=x"])
def test_without_the_token_there_is_nothing(guarded: str, path: str, given: str) -> None:
    with client_of(guarded) as client:
        reply = client.get(path, headers={"Authorization": given.encode("latin-1")})
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"] == "Bearer"
    assert set(reply.json()) == {"error", "where", "fix"}


def test_the_token_opens_everything(guarded: str) -> None:
    with client_of(guarded) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        assert client.get("/api/ask", params={"q": QUESTION}).status_code == 200
        assert client.get("/", params={"q": QUESTION}).status_code == 200
        assert client.get("/healthz").json()["corpora"]
        assert client.get("/api/corpora", headers={"Host": "gitcontext.internal"}).status_code == 200


def test_health_needs_no_token_and_then_names_nothing(guarded: str) -> None:
    with client_of(guarded) as client:
        assert client.get("/healthz").json() == {"status": "ok"}


def test_without_a_token_nobody_learns_why_there_is_no_answer(tmp_path: Path) -> None:
    empty = Library(State(tmp_path / "secret"))
    with running(empty, Settings(token=TOKEN)) as address, client_of(address) as client:
        assert client.get("/healthz").json() == {"status": "unavailable"}
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        assert "nothing is indexed" in client.get("/healthz").json()["why"]


def test_the_page_asks_for_the_token_once_and_goes_on_where_it_was(guarded: str) -> None:
    with client_of(guarded) as client:
        first = client.get("/", params={"q": QUESTION})
        assert first.status_code == 303
        form = client.get(first.headers["location"])
        assert QUESTION.split()[0] in form.text
        target = str(first.headers["location"]).partition("next=")[2]
        wrong = client.post("/login", data={"token": "wrong", "next": "/"})
        assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)
        right = client.post("/login", data={"token": TOKEN, "next": httpx.QueryParams(f"n={target}")["n"]})
        cookie = right.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert TOKEN not in cookie
        assert "TokenBucket.take" in client.get(right.headers["location"]).text
        client.post("/logout")
        assert client.get("/").status_code == 303


def test_a_cookie_that_was_made_up_opens_nothing(guarded: str) -> None:
    with client_of(guarded) as client:
        for cookie in ("gitcontext=", f"gitcontext={TOKEN}", "gitcontext=\x01", 'gitcontext="'):
            assert client.get("/api/corpora", headers={"Cookie": cookie.encode()}).status_code == 401
