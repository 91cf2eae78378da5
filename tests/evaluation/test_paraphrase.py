from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.candidates import Candidate
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.generate import LEAKS, generate
from gitcontext_pipeline.evaluation.gold import Gold
from gitcontext_pipeline.evaluation.paraphrase import EXCERPT, Paraphraser

CANDIDATE = Candidate(
    query="Decide whether credentials are removed",
    gold=(Gold(path="a.py", symbol="Session.should_strip_auth"),),
    source="doc comment",
    confidence="medium",
    scope="code",
    style="paraphrase",
    text="x" * 5000,
)


class Model(BaseHTTPRequestHandler):
    """Says what it is told to say, and records what it was asked."""

    replies: list[Any]
    asked: list[tuple[str | None, dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.headers.get("Authorization"), body))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        found = self.path == "/v1/chat/completions" and reply is not None
        data = json.dumps({"choices": [{"message": {"content": reply}}]}).encode() if found else b"overloaded"
        self.send_response(200 if found else 500)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


class Served:
    def __init__(self) -> None:
        self.replies: list[Any] = ["Why is my password dropped after a redirect?"]
        self.asked: list[tuple[str | None, dict[str, Any]]] = []
        self.url = ""


@pytest.fixture
def model() -> Iterator[Served]:
    served = Served()
    handler = type("Handler", (Model,), {"replies": served.replies, "asked": served.asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        served.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield served
        server.shutdown()


def test_a_query_is_put_in_other_words(model: Served) -> None:
    found = Paraphraser(model.url, "small", key="secret").paraphrase(CANDIDATE)
    assert (found.query, found.original, found.style) == (
        "Why is my password dropped after a redirect?",
        CANDIDATE.query,
        "paraphrase",
    )
    ((key, body),) = model.asked
    assert key == "Bearer secret"
    assert (body["model"], body["temperature"]) == ("small", 0)
    assert body["messages"][1]["content"] == "x" * EXCERPT


def test_without_a_key_none_is_sent(model: Served) -> None:
    Paraphraser(model.url, "small").paraphrase(CANDIDATE)
    assert model.asked[0][0] is None


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ('\n"Why is my password\u0000 dropped?"\nBecause.', "Why is my password dropped?"),
        ("ok", None),
        ("", None),
        ("word " * 60, None),
    ],
)
def test_only_a_question_is_taken(model: Served, reply: str, query: str | None) -> None:
    model.replies[:] = [reply]
    found = Paraphraser(model.url, "small").paraphrase(CANDIDATE)
    assert found.query == (query or CANDIDATE.query)
    if query is None:
        assert found.flags == ("not paraphrased: the model wrote no question",)


def test_a_paraphrase_that_names_the_answer_is_flagged(model: Served) -> None:
    model.replies[:] = ["When does should_strip_auth say yes?"]
    found = Paraphraser(model.url, "small").paraphrase(CANDIDATE)
    assert found.style == "identifier"
    assert found.flags == ("the paraphrase names Session.should_strip_auth",)


def test_one_failure_costs_one_paraphrase_and_three_the_run(model: Served) -> None:
    model.replies[:] = [None, "Why is my password dropped after that?", None]
    paraphraser = Paraphraser(model.url, "small")
    assert paraphraser.paraphrase(CANDIDATE).flags == ("not paraphrased: the endpoint failed",)
    assert paraphraser.paraphrase(CANDIDATE).original is not None
    paraphraser.paraphrase(CANDIDATE)
    paraphraser.paraphrase(CANDIDATE)
    with pytest.raises(GitContextError, match="failed 3 times in a row"):
        paraphraser.paraphrase(CANDIDATE)


@pytest.mark.parametrize("reply", [3, ["text"], {"a": 1}])
def test_an_answer_of_another_shape_is_a_failure(model: Served, reply: Any) -> None:
    model.replies[:] = [reply]
    assert Paraphraser(model.url, "small").paraphrase(CANDIDATE).original is None


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(Paraphraser("http://127.0.0.1/v1", "m", key="secret"))


def test_the_endpoint_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITCONTEXT_LLM_URL", "OPENAI_BASE_URL", "GITCONTEXT_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="GITCONTEXT_LLM_URL"):
        Paraphraser.from_environment("m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("GITCONTEXT_LLM_KEY", "k")
    found = Paraphraser.from_environment("m")
    assert (found.base_url, found.key) == ("http://127.0.0.1:1/v1", "k")
    assert Paraphraser.from_environment("m", "https://other/v1").base_url == "https://other/v1"


def test_other_words_take_the_mark_of_a_leak_away(model: Served) -> None:
    doc = '"""Decide whether the credentials are removed when a redirect leaves the host."""'
    corpus = CorpusView.from_rows([{"path": "a.py", "symbol": "strip", "text": doc, "start_line": 1, "end_line": 1}])
    (plain,) = generate(corpus).candidates
    assert (plain.confidence, plain.flags) == ("medium", (LEAKS,))
    (found,) = generate(corpus, paraphrase=Paraphraser(model.url, "small").paraphrase).candidates
    assert (found.confidence, found.flags, found.original) == ("high", (), plain.query)
    model.replies[:] = ["no"]
    (kept,) = generate(corpus, paraphrase=Paraphraser(model.url, "small").paraphrase).candidates
    assert kept.confidence == "medium"
