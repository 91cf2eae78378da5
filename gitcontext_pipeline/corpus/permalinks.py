"""Links that cannot drift: they name a full commit id, and lines where there are lines.

A repository is named by its slug `OWNER/NAME` on github.com, or by its whole address on a GitHub Enterprise server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

GITHUB = "https://github.com"


def file_url(repository: str | None, revision: str, path: str, start_line: int, end_line: int) -> str:
    """`https://github.com/OWNER/NAME/blob/SHA/PATH#L1-L9`, or `git:SHA:PATH#L1-L9`, whose first half `git show` reads.

    Markdown and reStructuredText are rendered by GitHub, where line anchors only work with `plain=1`.
    """
    lines = f"#L{start_line}" if start_line == end_line else f"#L{start_line}-L{end_line}"
    where = quote(path)
    if repository is None:
        return f"git:{revision}:{where}{lines}"
    plain = "?plain=1" if path.lower().endswith((".md", ".markdown", ".rst", ".mdx", ".ipynb")) else ""
    return f"{_address(repository)}/blob/{revision}/{where}{plain}{lines}"


def commit_url(repository: str | None, sha: str) -> str:
    return f"{_address(repository)}/commit/{sha}" if repository else f"git:{sha}"


def pull_request_url(repository: str, number: int) -> str:
    return f"{_address(repository)}/pull/{number}"


def _address(repository: str) -> str:
    return repository if "://" in repository else f"{GITHUB}/{repository}"


@dataclass(frozen=True, slots=True)
class FileLink:
    """What a link that `file_url` made says; `repository` is its whole address, None for a `git:` link."""

    repository: str | None
    revision: str
    path: str
    start_line: int
    end_line: int

    def is_of(self, repository: str | None) -> bool:
        """Whether `repository`, a slug or an address, is the one that is meant."""
        return self.repository == (_address(repository) if repository else None)


def read_file_url(url: str) -> FileLink | None:
    """The inverse of `file_url`; None for anything that it does not make."""
    found = _FILE_URL.fullmatch(url)
    if found is None:
        return None
    start = int(found["start"])
    return FileLink(found["repository"], found["revision"], unquote(found["path"]), start, int(found["end"] or start))


_FILE_URL = re.compile(
    r"(?:git:|(?P<repository>https?://[^?#]+)/blob/)(?P<revision>[0-9a-f]{40})[:/](?P<path>[^?#]+)(?:\?plain=1)?"
    r"#L(?P<start>\d{1,9})(?:-L(?P<end>\d{1,9}))?"
)
