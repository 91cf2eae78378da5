"""The server over HTTP on loopback: who gets in, under which name, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.listening import address_of, bind, is_loopback, own_name
from gitcontext_pipeline.mcp.http import make_app
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.mcp.agent import Agent, text_of, with_client
from tests.release import ROOT

COMMAND = str(Path(sys.executable).parent / "gitcontext")
TOKEN = "a-token-of-the-test"
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPTED = {"Accept": "application/json, text/event-stream"}


@contextmanager
def serving(state: State, *options: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command, serving; its address and its process."""
    process = subprocess.Popen(
        [COMMAND, "mcp", "--http", "--port", "0", *options],
        cwd=ROOT,
        env={**os.environ, STATE_VARIABLE: str(state.root), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[0], process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def address(served: State) -> Iterator[str]:
    with serving(served) as (found, _):
        yield found


@pytest.fixture(scope="module")
def guarded(served: State) -> Iterator[str]:
    with serving(served, GITCONTEXT_TOKEN=TOKEN) as (found, _):
        yield found


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_two_agents_ask_at_once(address: str, mode: str) -> None:
    async def ask(path: str, told: dict[str, str]) -> None:
        async with Client(address, mode=mode) as client:
            told[path] = text_of(await client.call_tool("read_excerpt", {"path": path}))

    async def both() -> dict[str, str]:
        told: dict[str, str] = {}
        async with anyio.create_task_group() as group:
            group.start_soon(ask, "retry.py", told)
            group.start_soon(ask, "docs/guide.md", told)
        return told

    told = anyio.run(both)
    assert "backoff_delay" in told["retry.py"]
    assert "Every call may take ten seconds" in told["docs/guide.md"]


def test_a_call_that_is_given_up_leaves_the_session_open(address: str) -> None:
    async def talk(client: Client) -> None:
        with anyio.move_on_after(0.01):
            await client.call_tool("search_evidence", {"question": "given up"})
        assert not (await client.call_tool("list_corpora", {})).is_error

    with_client(address, talk)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_a_page_elsewhere_cannot_ask(address: str, headers: dict[str, str], status: int) -> None:
    assert httpx.post(address, json=ASKED, headers={**ACCEPTED, **headers}).status_code == status


@pytest.mark.parametrize("given", [None, "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer é"])
def test_without_the_token_nobody_gets_in(guarded: str, given: str | None) -> None:
    headers = {} if given is None else {"Authorization": given.encode()}
    refused = httpx.post(guarded, json=ASKED, headers={**ACCEPTED, **headers})
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert TOKEN not in refused.text


def test_with_the_token_an_agent_gets_in(guarded: str) -> None:
    async def main() -> bool:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as known,
            Client(streamable_http_client(guarded, http_client=known)) as client,
        ):
            return (await client.call_tool("list_corpora", {})).is_error

    assert anyio.run(main) is False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_it_is_told_to(served: State, number: signal.Signals) -> None:
    with serving(served) as (address, process):
        with_client(address, lambda client: client.list_tools())
        process.send_signal(number)
        assert process.wait(timeout=30) == 0


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--host", "0.0.0.0"), "other machines could read every corpus"),
        (("--token", "short"), "16 or more"),
        (("--token", ""), "16 or more"),
        (("--token", "sixteen letters and spaces"), "16 or more"),
        (("--host", "no such host"), "is no address"),
    ],
)
def test_what_would_be_unsafe_or_impossible_is_an_error_of_use(options: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(app, ["mcp", "--http", "--port", "0", *options])
    assert result.exit_code == 2
    assert told in result.output


def test_a_port_that_is_taken_is_an_error_of_use() -> None:
    with bind("127.0.0.1", 0) as bound, pytest.raises(UsageError, match="cannot listen at"):
        bind("127.0.0.1", bound.getsockname()[1])


def test_a_server_that_others_reach_knows_its_names(agent: Agent) -> None:
    with bind("0.0.0.0", 0) as bound:
        assert not is_loopback(bound)
        with pytest.raises(UsageError, match="no token is set"):
            make_app(agent.server, bound, None)
        assert make_app(agent.server, bound, TOKEN, ["search.example"])
        assert own_name(bound) is None
        assert address_of(bound).startswith("http://localhost:")
