"""The addresses of resources: files and changes of a corpus at its pinned revision."""

from __future__ import annotations

from urllib.parse import quote

from mcp_types import ResourceLink

from gitcontext_pipeline.answer.evidence import title

FILE = "gitcontext://{corpus}/{revision}/{+path}{?lines}"
CHANGE = "gitcontext://{corpus}/{commit}"
MIME_TYPE = "text/plain"


def file_uri(corpus: str, revision: str, path: str, start: int, end: int) -> str:
    """The address of lines of a file, in the form of the template FILE."""
    return f"gitcontext://{corpus}/{revision}/{quote(path)}?lines={start}-{end}"


def change_uri(corpus: str, commit: str) -> str:
    """The address of a commit or merged pull request, in the form of the template CHANGE."""
    return f"gitcontext://{corpus}/{commit}"


def link(uri: str, name: str) -> ResourceLink:
    return ResourceLink(uri=uri, name=title(name), mime_type=MIME_TYPE)
