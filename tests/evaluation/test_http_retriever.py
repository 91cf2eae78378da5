from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from gitcontext_pipeline.evaluation.calling import Answer, Caller
from gitcontext_pipeline.evaluation.retrievers import load_retriever


class Endpoint(BaseHTTPRequestHandler):
    """Records what it is asked and answers by the path."""

    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append(json.loads(body))
        answers: dict[str, tuple[int, bytes]] = {
            "/object": (200, b'{"results": [{"path": "a.py"}]}'),
            "/list": (200, b'[{"path": "b.py"}]'),
            "/broken": (500, b"out of memory"),
            "/text": (200, b"<html>"),
            "/odd": (200, b'{"rows": []}'),
            "/nan": (200, b'[{"path": "a.py", "score": NaN}]'),
        }
        self.answer(*answers[self.path])

    def do_GET(self) -> None:
        self.asked.append({name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()})
        self.answer(200, b'[{"path": "c.py"}]')

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    asked: list[dict[str, Any]] = []
    handler = type("Handler", (Endpoint,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def ask(url: str, query: str = "why?", scope: str | None = None) -> Answer:
    return Caller(load_retriever(url), 3, 10.0).ask(query, scope)


def test_a_plain_url_is_asked_by_post(endpoint: tuple[str, list[dict[str, Any]]]) -> None:
    url, asked = endpoint
    assert ask(f"{url}/object").rows[0].path == "a.py"
    assert ask(f"{url}/list", scope="code").rows[0].path == "b.py"
    assert asked == [{"query": "why?", "top": 3, "scope": None}, {"query": "why?", "top": 3, "scope": "code"}]


def test_a_url_with_a_place_for_the_query_is_asked_by_get(endpoint: tuple[str, list[dict[str, Any]]]) -> None:
    url, asked = endpoint
    assert ask(f"{url}/?q={{query}}&k={{top}}&s={{scope}}", "a&b {top}", "docs").rows[0].path == "c.py"
    assert asked == [{"q": "a&b {top}", "k": "3", "s": "docs"}]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("broken", "answered 500: out of memory"),
        ("text", "not JSON"),
        ("odd", "neither a list nor"),
        ("nan", "NaN"),
    ],
)
def test_a_bad_answer_costs_its_case(endpoint: tuple[str, list[dict[str, Any]]], path: str, reason: str) -> None:
    failure = ask(f"{endpoint[0]}/{path}").failure
    assert failure is not None
    assert reason in failure


def test_nobody_at_the_other_end_costs_the_case() -> None:
    failure = ask("http://127.0.0.1:9/").failure
    assert failure is not None
    assert "did not answer" in failure
