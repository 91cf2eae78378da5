from __future__ import annotations

import pytest

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.state import State
from tests.mcp.agent import Agent
from tests.served import served

__all__ = ["served"]


@pytest.fixture(scope="session")
def agent(served: State) -> Agent:
    """An agent that asks the sample corpus."""
    return Agent(Library(served))
