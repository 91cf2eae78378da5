"""One gold entry: a place in the corpus that fully answers a case, written the way people review it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Any

from gitcontext_pipeline.errors import UsageError

COMMIT = re.compile(r"[0-9a-f]{7,40}")
"""A commit id: 40 hex digits, or its first 7 or more, as git itself abbreviates."""

FIELDS = frozenset({"path", "symbol", "start_line", "end_line", "pr", "commit"})


@dataclass(frozen=True, slots=True)
class Gold:
    """Exactly one of `path`, `pr`, `commit` and `contains` is set; symbol and lines (1-based, inclusive) narrow a path.

    `contains` is the older form: some consecutive segments of the path of the answer.
    """

    path: str | None = None
    symbol: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    pr: int | None = None
    commit: str | None = None
    contains: str | None = None

    @property
    def lines(self) -> tuple[int, int] | None:
        if self.start_line is None or self.end_line is None:
            return None
        return self.start_line, self.end_line

    @property
    def name(self) -> str:
        """The entry on one line: `path#symbol`, `path#L3-L9`, `pr:12`, `commit:abc1234`, `contains:dir/file.py`."""
        if self.pr is not None:
            return f"pr:{self.pr}"
        if self.commit is not None:
            return f"commit:{self.commit}"
        if self.contains is not None:
            return f"contains:{self.contains}"
        parts = [self.path or "", self.symbol]
        if self.lines is not None:
            parts.append(f"L{self.start_line}-L{self.end_line}")
        return "#".join(part for part in parts if part)


def normalise_path(path: str, root: str | None = None) -> str:
    """`path` with forward slashes and without `./`, doubled slashes or `dir/..`; relative to `root` where inside it.

    A path outside the root stays absolute, and so answers no repository-relative gold.
    """
    cleaned = posixpath.normpath(path.strip().replace("\\", "/")) if path.strip() else ""
    if cleaned.startswith("//"):
        cleaned = cleaned[1:]
    if root is not None:
        base = normalise_path(root).rstrip("/") + "/"
        cleaned = cleaned.removeprefix(base)
    return "" if cleaned == "." else cleaned


def read_gold(value: Any, where: str) -> Gold:
    """The entry that one element of `gold` stands for; UsageError where it is none."""
    if not isinstance(value, dict):
        raise UsageError(f"a gold entry is a {type(value).__name__}, not an object", where=where, fix=_FIX)
    if unknown := sorted(set(value) - FIELDS):
        raise UsageError(
            f"a gold entry has no field {unknown[0]!r}", where=where, fix=f"Known: {', '.join(sorted(FIELDS))}."
        )
    given = [name for name in ("path", "pr", "commit") if value.get(name) is not None]
    if len(given) != 1:
        said = " and ".join(given) if given else "none of path, pr, commit"
        raise UsageError(f"a gold entry names {said}", where=where, fix=_FIX)
    if given != ["path"]:
        if extra := sorted(set(value) - set(given)):
            raise UsageError(f"{extra[0]!r} does not go with {given[0]!r}", where=where, fix=_FIX)
        return (
            Gold(pr=_positive(value, "pr", where)) if given == ["pr"] else Gold(commit=_commit(value["commit"], where))
        )
    start, end = _positive(value, "start_line", where), _positive(value, "end_line", where)
    if start is None and end is not None:
        raise UsageError("end_line without start_line", where=where, fix="Give both, or neither.")
    if start is not None and end is not None and end < start:
        raise UsageError(
            f"end_line {end} lies before start_line {start}", where=where, fix="Lines count from 1, inclusive."
        )
    return Gold(
        path=repository_path(value["path"], where),
        symbol=_symbol(value.get("symbol"), where),
        start_line=start,
        end_line=start if end is None else end,
    )


def read_contains(value: Any, where: str) -> tuple[Gold, ...]:
    """The entries of the older `expect_path_contains`, a string or a list of strings."""
    wanted = value if isinstance(value, list) else [value]
    if not wanted:
        raise UsageError("expect_path_contains is empty", where=where, fix="Name part of the path of the answer.")
    entries = []
    for part in wanted:
        if not isinstance(part, str) or not normalise_path(part).strip("/"):
            raise UsageError(
                f"expect_path_contains holds {part!r}, which every path or none contains",
                where=where,
                fix="Name part of the path of the answer.",
            )
        entries.append(Gold(contains=normalise_path(part).strip("/")))
    return tuple(dict.fromkeys(entries))


_FIX = 'Write {"path": …, "symbol"?: …, "start_line"?: …, "end_line"?: …}, {"pr": 12} or {"commit": "abc1234"}.'


def repository_path(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"path is a {type(value).__name__}, not text", where=where, fix=_FIX)
    path = normalise_path(value)
    if not path or path == ".." or path.startswith(("/", "../")):
        raise UsageError(
            f"{value!r} is not a path inside the repository", where=where, fix="Start at the repository's root."
        )
    return path


def _symbol(value: Any, where: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"symbol is {value!r}, not a qualified name", where=where, fix="Such as Session.send.")
    return value.strip()


def _commit(value: Any, where: str) -> str:
    if not isinstance(value, str) or not COMMIT.fullmatch(value.lower()):
        raise UsageError(f"commit is {value!r}, not 7 to 40 hex digits", where=where, fix="Copy it from git log.")
    return value.lower()


def _positive(value: dict[str, Any], name: str, where: str) -> int | None:
    number = value.get(name)
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise UsageError(
            f"{name} is {number!r}, not a whole number from 1", where=where, fix="Write it without quotes."
        )
    return number
