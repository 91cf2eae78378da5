"""What a monitoring system reads."""

from __future__ import annotations

import httpx
from prometheus_client.parser import text_string_to_metric_families

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.state import State
from tests.web.conftest import client_of
from tests.web.published import CORPUS, QUESTION
from tests.web.running import running


def samples(client: httpx.Client) -> dict[tuple[str, ...], float]:
    reply = client.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
    }


def test_requests_are_counted_by_route_and_status_and_not_by_what_strangers_type(corpora: State) -> None:
    with running(Library(corpora)) as address, client_of(address) as client:
        client.get("/api/ask", params={"q": QUESTION})
        client.get("/api/ask", params={"q": ""})
        client.get("/nope/one")
        client.get("/nope/two")
        client.get("/", headers={"Host": "evil.example"})
        found = samples(client)
    counted = "gitcontext_requests_total"
    assert found[counted, "/api/ask", "200"] == 1
    assert found[counted, "/api/ask", "400"] == 1
    assert found[counted, "404", "none"] == 2
    assert found[counted, "421", "none"] == 1
    assert found["gitcontext_request_seconds_count", "/api/ask"] == 2
    assert found["gitcontext_requests_in_flight",] == 1
    assert not any("nope" in label for labels in found for label in labels)


def test_the_published_snapshot_is_named(client: httpx.Client, corpora: State) -> None:
    current = corpora.corpus(CORPUS).current
    assert current is not None
    names = next(labels for labels in samples(client) if labels[0] == "gitcontext_snapshot_info")
    assert {CORPUS, current.name} < set(names)
