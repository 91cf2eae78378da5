"""docs/web.md, executed: its curl commands are asked of a server over the corpus of the demo."""

from __future__ import annotations

import shlex

import httpx

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.state import State
from tests.docs.pages import Command, steps
from tests.web.conftest import client_of
from tests.web.running import running

WRITTEN = "http://127.0.0.1:8000"


def test_every_request_of_the_page_gets_what_the_page_says(release: State) -> None:
    asked = [step for step in steps("web.md") if isinstance(step, Command)]
    assert len(asked) > 5
    with running(Library(release)) as address, client_of(address) as client:
        for step in asked:
            check(client, step)


def check(client: httpx.Client, step: Command) -> None:
    curl, silent, url = shlex.split(step.text)
    assert (curl, silent) == ("curl", "-s")
    told, at = client.get(url.removeprefix(WRITTEN)).text, 0
    for wanted in step.prints:
        found = told.find(wanted, at)
        assert found >= 0, f"{url} does not tell {wanted!r} there:\n{told}"
        at = found + len(wanted)
