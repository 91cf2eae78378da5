"""What many commits changed, relative to their first parents, from one `git log -p`: paths and hunks, as a stream.

https://git-scm.com/docs/diff-format. The stream is read by line counts, so that no content can pass for a header.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gitcontext_pipeline.corpus.command import git_output
from gitcontext_pipeline.errors import GitContextError

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_PATCHES = (
    "--diff-merges=first-parent", "-p", "-U0", "--no-ext-diff", "--no-textconv", "--no-color",
    "--diff-algorithm=myers", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_AT_ONCE = 1000
"""Commit ids on one command line, whose length is limited."""
_SYMBOL_DRIVERS = Path(__file__).with_name("symbols.gitattributes")


@dataclass(slots=True)
class LineHunk:
    """`old_count` lines from `old_start` became `new_count` lines from `new_start`.

    Lines count from 1; where a count is 0, its start is the line before the place.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    context: bytes
    removed: list[bytes]
    added: list[bytes]


@dataclass(slots=True)
class PathPatch:
    """One changed path; `status` is git's letter, modes are git's octal digits."""

    path: str
    old_path: str
    status: str
    old_mode: str
    new_mode: str
    binary: bool = False
    hunks: list[LineHunk] = field(default_factory=list)


@dataclass(slots=True)
class CommitPatch:
    """What one commit changed, relative to its first parent (a root commit: to nothing)."""

    sha: str
    paths: list[PathPatch]


def read_patches(repository: Path, revisions: Sequence[str], *options: str, lines: int = 0) -> Iterator[CommitPatch]:
    """The commits of `git log --first-parent OPTIONS REVISIONS`, newest first, with their patches.

    At most `lines` lines are kept of each side of a hunk (counts are always right): an import of a whole tree is no
    reason to hold it in memory.
    """
    yield from _read(repository, revisions, (*_PATCHES, "--first-parent", *options), lines)


def read_patches_of(repository: Path, shas: Sequence[str], *, lines: int = 0) -> Iterator[CommitPatch]:
    """The patches of exactly the commits `shas`, as `read_patches` has them, in that order."""
    for start in range(0, len(shas), _AT_ONCE):
        yield from _read(repository, shas[start : start + _AT_ONCE], (*_PATCHES, "--no-walk=unsorted"), lines)


def read_difference(repository: Path, before: str, after: str, paths: Sequence[str] = ()) -> list[PathPatch]:
    """What makes one commit's tree different from another's, as `read_patches` has it.

    With `paths` only those; a file that was renamed to one of them then counts as new.
    """
    config = {"core.attributesFile": str(_SYMBOL_DRIVERS)}
    options = [option for option in _PATCHES if not option.startswith("--diff-merges")]
    literal = [f":(literal){path}" for path in paths]
    with git_output(
        "diff-tree", "-r", "--raw", "-M", "-l1000", *options, before, after, "--", *literal,
        repository=repository, config=config,
    ) as output:  # fmt: skip
        (found,) = parse_patches(output, 0, CommitPatch(after, []))
    return found.paths


def read_paths(repository: Path, revisions: Sequence[str], *options: str) -> Iterator[CommitPatch]:
    """The commits of `git log OPTIONS REVISIONS`, newest first, with the paths they changed and no hunks."""
    return _read(repository, revisions, options, 0)


def _read(repository: Path, revisions: Sequence[str], options: Sequence[str], lines: int) -> Iterator[CommitPatch]:
    arguments = (
        "log",
        "--format=tformat:commit %H",
        "--no-show-signature",
        "--root",
        "--raw",
        "-M",
        "-l1000",
        *options,
    )
    config = {"core.attributesFile": str(_SYMBOL_DRIVERS)}
    with git_output(*arguments, "--end-of-options", *revisions, "--", repository=repository, config=config) as output:
        yield from parse_patches(output, lines)


def parse_patches(output: IO[bytes], lines: int, commit: CommitPatch | None = None) -> Iterator[CommitPatch]:
    """Parse what `git log --raw` prints, with or without `-p`; `commit` is the one that it begins in the middle of."""
    expected: deque[PathPatch] = deque()
    current: PathPatch | None = None
    for line in output:
        if line.startswith(b"@@ "):
            if current:
                current.hunks.append(_hunk(line, output, lines))
        elif line.startswith(b"diff --git "):
            current = expected.popleft() if expected else None
        elif line.startswith(b":") and commit:
            current = _raw(line)
            commit.paths.append(current)
            # Patches follow in the order of the raw lines, one each, except that a change of type (a file that becomes
            # a symbolic link) is shown as a removal and an addition.
            expected.extend([current] * (2 if current.status == "T" else 1))
        elif line.startswith(b"commit "):
            if commit:
                yield commit
            commit = CommitPatch(line[len(b"commit ") :].strip().decode(), [])
            expected.clear()
            current = None
        elif line.startswith(b"Binary files ") and current:
            current.binary = True
    if commit:
        yield commit


def _raw(line: bytes) -> PathPatch:
    described, *names = line.rstrip(b"\n").split(b"\t")
    old_mode, new_mode, _, _, status = described[1:].decode().split(" ")
    paths = [_unquoted(name) for name in names]
    return PathPatch(paths[-1], paths[0], status[0], old_mode, new_mode)


def _hunk(header: bytes, output: IO[bytes], lines: int) -> LineHunk:
    found = _HUNK.match(header)
    if found is None:
        raise GitContextError(f"git printed a hunk that cannot be read: {header[:80]!r}")
    old_start, old_count, new_start, new_count = (int(number) if number else 1 for number in found.groups()[:4])
    removed: list[bytes] = []
    added: list[bytes] = []
    left = old_count + new_count
    while left:
        line = output.readline()
        if not line:
            raise GitContextError("git ended in the middle of a hunk")
        if line.startswith(b"\\"):  # "\ No newline at end of file" is about the line before, not a line
            continue
        left -= 1
        kept = removed if line.startswith(b"-") else added
        if len(kept) < lines:
            kept.append(line[1:])
    return LineHunk(old_start, old_count, new_start, new_count, found[5], removed, added)


def _unquoted(name: bytes) -> str:
    """A path as git prints it, quoted like a C string when it holds anything unusual."""
    if name.startswith(b'"'):
        name = _ESCAPE.sub(_character, name[1:-1])
    return name.decode(errors="backslashreplace")


def _character(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8)]) if len(code) == 3 else _ESCAPED.get(code, code)
