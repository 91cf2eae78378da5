"""A server that goes on while snapshots are published, and while many ask it at once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.state import State
from tests.mcp.agent import Agent, text_of, with_client
from tests.served import publish_damaged, publish_parent


@pytest.fixture
def copied(served: State, tmp_path: Path) -> State:
    """The sample corpus in a state directory that a test may change."""
    shutil.copytree(served.root, tmp_path / "copied", symlinks=True)
    return State(tmp_path / "copied")


def test_the_next_call_answers_from_what_was_published_meanwhile(copied: State) -> None:
    agent = Agent(Library(copied))

    async def talk(client: Client) -> str:
        before = await client.call_tool("search_evidence", {"question": "backoff"})
        older = publish_parent(copied)
        after = await client.call_tool("search_evidence", {"question": "backoff"})
        assert after.structured_content["revision"] == older != before.structured_content["revision"]
        return before.structured_content["evidence"][0]["resource"]

    uri = with_client(agent.server, talk)
    assert agent.read_error(uri).endswith("search it again")
    assert agent.found("read_excerpt", path="retry.py")["revision"] in agent.call("list_corpora").content[0].text
    assert "there is no file" in agent.error("read_excerpt", path="odd/long.py")


def test_a_snapshot_that_is_damaged_leaves_the_one_before_it(copied: State) -> None:
    agent = Agent(Library(copied))
    revision = agent.found("search_evidence", question="backoff")["revision"]
    publish_damaged(copied)
    assert agent.found("search_evidence", question="backoff")["revision"] == revision
    assert agent.found("read_excerpt", path="retry.py")["revision"] == revision
    fresh = Agent(Library(copied)).error("search_evidence", question="backoff")
    assert "the snapshot cannot be read" in fresh
    assert "gitcontext rollback" in fresh


def test_calls_at_once_get_their_own_answers(agent: Agent) -> None:
    async def talk(client: Client) -> dict[str, Any]:
        answers: dict[str, Any] = {}

        async def ask(path: str) -> None:
            answers[path] = await client.call_tool("read_excerpt", {"path": path, "end_line": 1})

        async with anyio.create_task_group() as group:
            for path in ("retry.py", "limiter/bucket.py", "docs/guide.md", "README.md") * 3:
                group.start_soon(ask, path)
        return answers

    for path, answer in with_client(agent.server, talk).items():
        assert answer.structured_content["path"] == path
        assert path in text_of(answer)
