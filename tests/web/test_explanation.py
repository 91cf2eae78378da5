"""What a model says on the page: as it comes, marked as unverified, and then what holds of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import httpx
import pytest

from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.answer.explainer import explain
from gitcontext_pipeline.answer.host import QUEUE, Busy
from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.state import State
from tests.fakes.language_model import ScriptedModel
from tests.web.conftest import UNLIMITED, client_of
from tests.web.published import QUESTION, SCRIPT
from tests.web.running import running

TRUE = "TokenBucket.take returns False when tokens is below 1 and else subtracts 1 from tokens."
FALSE = f"The bucket asks Redis {SCRIPT} for its lease."


def reply(text: str, line: int) -> str:
    claim = {"source": 1, "from": line, "to": line + 5, "text": text}
    return json.dumps({"answered": True, "claims": [claim]}, separators=(",", ":"))


class Explaining(Corpus):
    """A corpus whose model says what it is told to."""

    def explain(
        self,
        answer: Answer,
        *,
        model: str | None = None,
        heard: Callable[[Sequence[str]], None] = lambda sentences: None,
    ) -> Answer:
        scripted = ScriptedModel([reply(self.says, answer.evidence[0].start_line)], during=self.during)
        return replace(answer, explanation=explain(scripted, answer.question, answer.evidence, heard=heard))

    says = TRUE

    def during(self) -> None:
        return None


class Lying(Explaining):
    says = FALSE


class Waiting(Explaining):
    """It begins to speak when it is let go, and keeps what happened to it then."""

    begun, go, ended = threading.Event(), threading.Event(), threading.Event()
    raised: type[BaseException] | None = None

    def during(self) -> None:
        type(self).begun.set()
        assert self.go.wait(30)

    def explain(self, answer: Answer, **named: object) -> Answer:  # type: ignore[override]
        try:
            return super().explain(answer, **named)  # type: ignore[arg-type]
        except BaseException as error:
            type(self).raised = type(error)
            raise
        finally:
            type(self).ended.set()


class Full(Explaining):
    def during(self) -> None:
        raise Busy(f"{QUEUE} questions are waiting for the model already", fix="ask again in a minute")


class With(Library):
    """A library of corpora of one class."""

    def __init__(self, state: State, kind: type[Corpus]) -> None:
        super().__init__(state)
        self._kind = kind

    def open(self, name: str | None = None) -> Corpus:
        return self._kind(self.state, self.state.choose(name))


@pytest.fixture
def explaining(corpora: State, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    with running(With(corpora, request.param), UNLIMITED) as address, client_of(address) as client:
        yield client


def events(client: httpx.Client, **parameters: str) -> list[tuple[str, str]]:
    with client.stream("GET", "/explanation", params={"q": QUESTION, **parameters}) as streamed:
        assert streamed.headers["content-type"].startswith("text/event-stream")
        told = streamed.read().decode()
    found = []
    for block in told.strip().split("\n\n"):
        name, *data = block.split("\n")
        found.append((name.removeprefix("event: "), "\n".join(line.removeprefix("data: ") for line in data)))
    return found


@pytest.mark.parametrize("explaining", [Explaining], indirect=True)
def test_sentences_come_unverified_and_then_with_their_links(explaining: httpx.Client) -> None:
    *unverified, (last, html) = events(explaining)
    assert {name for name, _ in unverified} == {"unverified"}
    assert json.loads(unverified[-1][1]) == [TRUE]
    assert last == "verified"
    assert TRUE in html
    assert '<a class="cite" href="#evidence-1">' in html
    assert "https://github.com/acme/client/blob/" in html


@pytest.mark.parametrize("explaining", [Lying], indirect=True)
def test_what_does_not_hold_is_replaced_by_the_reason(explaining: httpx.Client) -> None:
    *_, (last, html) = events(explaining)
    assert last == "verified"
    assert "Withheld." in html
    assert "no claim holds" in html
    assert "<script>" not in html


@pytest.mark.parametrize("explaining", [Explaining], indirect=True)
def test_without_scripts_the_page_comes_verified(explaining: httpx.Client) -> None:
    html = explaining.get("/", params={"q": QUESTION, "explain": "1"}).text
    assert TRUE in html
    assert "Unverified" not in html
    assert f"- {TRUE} [1]" in explaining.get("/answer.md", params={"q": QUESTION, "explain": "1"}).text
    explained = explaining.get("/api/ask", params={"q": QUESTION, "generate": "true"}).json()["explanation"]
    assert (explained["status"], explained["sentences"][0]["text"]) == ("passed", TRUE)


@pytest.mark.parametrize("explaining", [Full], indirect=True)
def test_a_full_queue_of_the_model_is_told(explaining: httpx.Client) -> None:
    ((name, html),) = events(explaining)
    assert name == "failed"
    assert "waiting for the model" in html
    refused = explaining.get("/api/ask", params={"q": QUESTION, "generate": "true"})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "60")
    assert explaining.get("/api/ask", params={"q": QUESTION}).status_code == 200


@pytest.mark.parametrize("explaining", [Explaining], indirect=True)
def test_an_explanation_of_another_snapshot_than_the_page_shows_is_refused(explaining: httpx.Client) -> None:
    reply = explaining.get("/explanation", params={"q": QUESTION, "snapshot": "0123456789ab"})
    assert reply.status_code == 400
    assert "another snapshot" in reply.json()["error"]


@pytest.mark.parametrize("explaining", [Waiting], indirect=True)
def test_the_model_stops_when_its_listener_leaves(explaining: httpx.Client) -> None:
    with explaining.stream("GET", "/explanation", params={"q": QUESTION}):
        assert Waiting.begun.wait(30)
    while "gitcontext_requests_in_flight 1.0" not in explaining.get("/metrics").text:
        Waiting.ended.wait(0.1)  # only the request that asks is left when the other was noticed to be gone
    Waiting.go.set()
    assert Waiting.ended.wait(30)
    assert Waiting.raised is not None
    assert Waiting.raised.__name__ == "Abandoned"
