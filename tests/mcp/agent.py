"""An agent in the test's own process: the SDK's client, connected to the server without a transport."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, ResourceLink, TextContent

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.mcp.server import make_server

Result = TypeVar("Result")

TOOLS = ("search_evidence", "explain_line", "find_changes", "read_excerpt", "list_corpora")


def with_client(server: Any, talk: Callable[[Client], Awaitable[Result]], **options: Any) -> Result:
    """What `talk` returns when it is given a client of `server`, whatever a client can be connected to."""

    async def main() -> Result:
        with anyio.fail_after(120):
            async with Client(server, **options) as client:
                return await talk(client)

    return anyio.run(main)


class Agent:
    """Calls tools of a server over one library, one connection a call."""

    def __init__(self, library: Library) -> None:
        self.server = make_server(library)

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        return with_client(self.server, lambda client: client.call_tool(tool, arguments))

    def found(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured form of a reply that is no error."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return dict(result.structured_content)

    def error(self, tool: str, /, **arguments: Any) -> str:
        result = self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    def read(self, uri: str) -> str:
        contents = with_client(self.server, lambda client: client.read_resource(uri)).contents
        assert [content.mime_type for content in contents] == ["text/plain"]
        return contents[0].text

    def read_error(self, uri: str) -> str:
        async def talk(client: Client) -> str:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            return str(caught.value)

        return with_client(self.server, talk)


def text_of(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def links_of(result: CallToolResult) -> list[ResourceLink]:
    links = result.content[1:]
    assert all(isinstance(link, ResourceLink) for link in links)
    return links


def estimated_tokens(result: CallToolResult) -> tuple[int, int]:
    """Of what is shown as text, and of the structure: three bytes a token, as the argument's description says."""
    shown = "\n".join([text_of(result), *(f"{link.name} {link.uri}" for link in links_of(result))])
    structure = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
    return -(-len(shown.encode()) // 3), -(-len(structure.encode()) // 3)
