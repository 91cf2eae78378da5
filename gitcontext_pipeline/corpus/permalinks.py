"""Links that cannot drift: they name a full commit id, and lines where there are lines.

A repository is named by its slug `OWNER/NAME` on github.com, or by its whole address on a GitHub Enterprise server.
"""

from __future__ import annotations

from urllib.parse import quote

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
