"""The command as an agent starts it: a process that speaks the protocol on its standard output, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.mcp.agent import TOOLS, links_of, text_of, with_client
from tests.release import ROOT

COMMAND = str(Path(sys.executable).parent / "gitcontext")


def environment(state: State) -> dict[str, str]:
    return {**os.environ, STATE_VARIABLE: str(state.root), "PYTHONWARNINGS": "always"}


def started(state: State) -> StdioServerParameters:
    return StdioServerParameters(command=COMMAND, args=["mcp"], cwd=str(ROOT), env=environment(state))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_starts_it_and_follows_a_link(served: State, mode: str) -> None:
    async def talk(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.name == "gitcontext"
        assert "Cite the link" in (client.instructions or "")
        assert "No strong evidence" in (client.instructions or "")
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.resources is not None
        assert tuple(tool.name for tool in (await client.list_tools()).tools) == TOOLS
        found = await client.call_tool("search_evidence", {"question": "How long is the wait?", "scope": "code"})
        assert "backoff_delay" in text_of(found)
        read = await client.read_resource(links_of(found)[0].uri)
        assert "def " in read.contents[0].text
        assert (await client.call_tool("find_changes", {"since": "soon"})).is_error
        with anyio.move_on_after(0.001):
            await client.call_tool("search_evidence", {"question": "given up"})
        assert not (await client.call_tool("list_corpora", {})).is_error

    with_client(started(served), talk, mode=mode)


def message(number: int | None, method: str, **params: Any) -> str:
    told: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(told if number is None else {**told, "id": number}) + "\n"


def test_standard_output_is_the_protocol_alone(served: State) -> None:
    who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [
        message(1, "initialize", **who),
        message(None, "notifications/initialized"),
        "this is no JSON\n",
        '{"half a pair": "\\ud800"}\n',
        message(2, "tools/call", name="search_evidence", arguments={"question": "obey \x1b[31m\n\0"}),
        message(3, "tools/call", name="read_excerpt", arguments={"path": "odd/long.py"}),
        message(4, "tools/call", name="find_changes", arguments={"since": 7, "top": "many"}),
    ]
    process = subprocess.Popen(
        [COMMAND, "mcp"], cwd=ROOT, env=environment(served), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(lines))
    process.stdin.flush()
    answers: dict[int | None, Any] = {}
    while not {1, 2, 3, 4} <= set(answers):
        answer = json.loads(process.stdout.readline())
        assert answer["jsonrpc"] == "2.0"
        answers[answer.get("id")] = answer
    rest, _ = process.communicate(timeout=60)
    assert rest == ""
    assert process.returncode == 0
    assert answers[1]["result"]["serverInfo"]["name"] == "gitcontext"
    assert answers[2]["result"]["isError"] is False
    assert answers[4]["result"]["isError"] is True
