from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from filelock import FileLock

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.local_model import ENTAILMENT_VARIABLE
from gitcontext_pipeline.answer.model_files import MODEL_VARIABLE
from gitcontext_pipeline.state import State
from gitcontext_pipeline.web.settings import Settings
from tests.web.published import CORPUS, publish
from tests.web.running import running

UNLIMITED = Settings(requests_a_minute=0)


@pytest.fixture(autouse=True)
def _no_model_of_the_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (MODEL_VARIABLE, ENTAILMENT_VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def corpora(shared: Path, models: Path) -> State:
    """The small published corpus, made once for all workers; nobody publishes anything here."""
    with FileLock(shared / "web.lock"):
        state = State(shared / "web" / "state")
        return state if state.corpus(CORPUS).current is not None else publish(shared / "web", models)


@pytest.fixture(scope="session")
def address(corpora: State) -> Iterator[str]:
    """A server over it, without a limit on requests."""
    with running(Library(corpora), UNLIMITED) as found:
        yield found


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with client_of(address) as found:
        yield found


def client_of(address: str) -> httpx.Client:
    """A client of that server; nothing of the tester's proxies is in between."""
    return httpx.Client(base_url=address, timeout=60, trust_env=False)
