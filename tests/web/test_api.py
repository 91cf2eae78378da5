"""The JSON API as a program meets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.evaluation.retrievers import load_retriever
from gitcontext_pipeline.state import State
from tests.web.conftest import client_of
from tests.web.published import CORPUS, QUESTION
from tests.web.running import running


def asked(client: httpx.Client, address: str, /, **parameters: Any) -> Any:
    reply = client.get(address, params=parameters)
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_search_returns_what_the_command_would_print(client: httpx.Client, corpora: State) -> None:
    found = asked(client, "/api/search", q=QUESTION, top=3)
    corpus = open_corpus(CORPUS, state=corpora.root)
    expected = [result.as_row() for result in corpus.search(QUESTION, 3)]
    assert [row["url"] for row in found["results"]] == [row["url"] for row in expected]
    assert set(found["results"][0]) == set(expected[0])
    assert (found["corpus"], found["revision"], found["snapshot"]) == (CORPUS, corpus.revision, corpus.snapshot)


def test_search_can_be_evaluated_as_any_retriever_over_http(address: str) -> None:
    retrieve = load_retriever(f"{address}/api/search?q={{query}}&top={{top}}&scope={{scope}}")
    assert retrieve(QUESTION, 3, None)[0]["path"] == "limiter/bucket.py"
    assert {row["kind"] for row in retrieve(QUESTION, 3, "docs")} == {"docs"}


def test_ask_answers_with_evidence_and_its_lineage(client: httpx.Client) -> None:
    answer = asked(client, "/api/ask", q=QUESTION, top=2)
    first = answer["evidence"][0]
    assert answer["summary"].startswith("Strongest evidence: `TokenBucket.take`")
    assert first["number"] == 1
    assert first["url"].startswith("https://github.com/acme/client/blob/")
    assert first["lineage"]["introduced"]["title"] == "First version"
    assert answer["explanation"] is None


def test_ask_says_what_is_missing_for_prose(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITCONTEXT_MODEL", "/no/such.gguf")
    explanation = asked(client, "/api/ask", q=QUESTION, generate="true")["explanation"]
    assert explanation["status"] == "off"
    assert "turn" in explanation["reasons"][0]["reason"]


def test_corpora_are_listed_with_what_answers(client: httpx.Client, corpora: State) -> None:
    (listed,) = asked(client, "/api/corpora")
    current = corpora.corpus(CORPUS).current
    assert current is not None
    assert (listed["name"], listed["snapshot"], listed["github"]) == (CORPUS, current.name, "acme/client")
    assert listed["chunks"] > 10


def test_why_tells_the_changes_behind_lines(client: httpx.Client) -> None:
    told = asked(client, "/api/why", place="retry.py:4-6")
    assert told["introduced"]["pr"] == 7
    assert told["introduced"]["title"] == "Exponential backoff between attempts"


def test_source_reads_lines_with_what_stands_around_them(client: httpx.Client) -> None:
    read = asked(client, "/api/source", path="retry.py", lines="4-4", context=1)
    assert (read["start_line"], read["end_line"]) == (3, 5)
    assert read["text"].split("\n")[1] == "def backoff_delay(attempt: int) -> float:"


@pytest.mark.parametrize(
    ("path", "parameters", "error", "fix"),
    [
        ("/api/search", {"q": ""}, "no words", "Where"),
        ("/api/search", {"q": "   "}, "no words", "Where"),
        ("/api/ask", {"q": QUESTION, "corpus": "nope"}, "no corpus 'nope'", "index"),
        ("/api/ask", {"q": QUESTION, "scope": "everything"}, "'code'", "/api"),
        ("/api/ask", {"q": QUESTION, "top": "0"}, "greater than or equal to 1", "/api"),
        ("/api/ask", {}, "required", "/api"),
        ("/api/ask", {"q": "why " * 1100}, "characters", "at most 4000"),
        ("/api/why", {"place": "retry.py"}, "names no line", "12"),
        ("/api/why", {"place": "retry.py:900"}, "has 10 lines", ""),
        ("/api/source", {"path": "../../etc/passwd"}, "no file", ""),
        ("/api/source", {"path": "retry.py", "lines": "two"}, "names no line", ""),
        ("/api/source", {"path": "logo.bin"}, "no text", ""),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_what_to_do(
    client: httpx.Client, path: str, parameters: dict[str, str], error: str, fix: str
) -> None:
    reply = client.get(path, params=parameters)
    told = reply.json()
    assert reply.status_code == 400
    assert set(told) == {"error", "where", "fix"}
    assert error in told["error"]
    assert fix in (told["fix"] or "")


def test_an_unknown_address_is_told_as_json_too(client: httpx.Client) -> None:
    assert client.get("/api/nope").status_code == 404
    assert client.post("/api/ask").status_code == 405
    assert set(client.get("/api/nope").json()) == {"error", "where", "fix"}


def test_without_an_index_there_is_no_answer_and_no_health(tmp_path: Path) -> None:
    with running(Library(State(tmp_path / "empty"))) as address, client_of(address) as client:
        reply, health = client.get("/api/ask", params={"q": QUESTION}), client.get("/healthz")
        assert (reply.status_code, health.status_code) == (503, 503)
        assert "gitcontext index" in reply.json()["fix"]
        assert health.json()["status"] == "unavailable"
        assert asked(client, "/api/corpora") == []


def test_health_says_what_answers(client: httpx.Client, corpora: State) -> None:
    current = corpora.corpus(CORPUS).current
    assert current is not None
    assert asked(client, "/healthz") == {"status": "ok", "corpora": {CORPUS: current.name}}


def test_a_release_has_no_history_and_says_so(release: State) -> None:
    with running(Library(release)) as address, client_of(address) as client:
        place = {"place": "src/requests/sessions.py:154", "corpus": "requests"}
        reply, page = (client.get(path, params=place) for path in ("/api/why", "/why"))
    assert (reply.status_code, page.status_code) == (409, 409)
    assert "carries no history" in reply.json()["error"]
    assert "carries no history" in page.text


def test_every_route_has_a_description_and_examples(client: httpx.Client) -> None:
    schema = asked(client, "/openapi.json")
    assert {"/api/search", "/api/ask", "/api/corpora", "/api/why", "/api/source", "/healthz", "/metrics"} == set(
        schema["paths"]
    )
    for path, methods in schema["paths"].items():
        assert methods["get"]["description"], path
        for parameter in methods["get"].get("parameters", ()):
            assert parameter["description"], (path, parameter["name"])
    page = client.get("/api").text
    assert all(f"GET {path}" in page for path in schema["paths"])
