"""Files and changes read by their addresses."""

from __future__ import annotations

import pytest

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.mcp.addresses import CHANGE, FILE, change_uri, file_uri
from gitcontext_pipeline.state import State
from tests.mcp.agent import Agent, with_client
from tests.sample import RETRY
from tests.served import ODD_FILE


@pytest.fixture(scope="module")
def revision(served: State) -> str:
    return Library(served).open().revision


def test_both_kinds_of_address_are_published(agent: Agent) -> None:
    listed = with_client(agent.server, lambda client: client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in listed] == [FILE, CHANGE]
    assert all(template.title and template.description and template.mime_type == "text/plain" for template in listed)


@pytest.mark.parametrize(
    ("lines", "start", "end"), [("?lines=4-6", 4, 6), ("?lines=4", 4, 4), ("", 1, 10), ("?lines=", 1, 10)]
)
def test_lines_of_a_file_are_read(agent: Agent, revision: str, lines: str, start: int, end: int) -> None:
    text = agent.read(f"gitcontext://sample/{revision}/retry.py{lines}")
    assert text == "\n".join(RETRY.split("\n")[start - 1 : end])


@pytest.mark.parametrize("path", [ODD_FILE, "docs/café notes.md"])
def test_any_file_name_has_an_address(agent: Agent, revision: str, path: str) -> None:
    assert agent.read(file_uri("sample", revision, path, 1, 1))


def test_a_change_is_read(agent: Agent) -> None:
    commit = agent.found("find_changes", author="bob")["changes"][0]["commit"]
    assert agent.read(change_uri("sample", commit)).startswith("Exponential backoff between attempts\n")


def test_control_characters_are_replaced(agent: Agent, revision: str) -> None:
    text = agent.read(file_uri("sample", revision, ODD_FILE, 1, 7))
    assert "\x1b" not in text
    assert "\N{REPLACEMENT CHARACTER}[31mred" in text


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("gitcontext://sample/{revision}/nowhere.py", "there is no file 'nowhere.py'"),
        ("gitcontext://sample/{revision}/retry.py?lines=99", "has 10 lines"),
        ("gitcontext://sample/{revision}/retry.py?lines=many", "'many' are no lines"),
        ("gitcontext://sample/{revision}/logo.bin", "is no text"),
        ("gitcontext://sample/{revision}/../../../etc/passwd", "Unknown resource"),
        ("gitcontext://sample/{revision}//etc/passwd", "Unknown resource"),
        ("gitcontext://sample/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/retry.py", "search it again"),
        ("gitcontext://sample/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "no indexed change"),
        ("gitcontext://other/{revision}/retry.py", "no corpus 'other'"),
        ("file:///etc/passwd", "Unknown resource"),
    ],
)
def test_what_has_no_address_is_an_error(agent: Agent, revision: str, uri: str, told: str) -> None:
    error = agent.read_error(uri.replace("{revision}", revision))
    assert told in error
    assert "Traceback" not in error
