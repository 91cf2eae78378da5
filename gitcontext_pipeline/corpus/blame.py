"""Which change last touched each line of the pinned tree, for all files in one walk back through history.

Per file, `git blame --first-parent` walks the same history over and over; here every patch is read once, newest first.
Lines are attributed to changes, so that a line written on a merged branch leads to the pull request rather than to a
"fix typo" in it, which plain `git blame` would name. The diff algorithm and the rename detection are git's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.command import GitFailed, read_git
from gitcontext_pipeline.corpus.git import GitCheckout, shallow_commits
from gitcontext_pipeline.corpus.line_trail import NO_LINE, Trail
from gitcontext_pipeline.corpus.nested_blame import NestedBlame
from gitcontext_pipeline.corpus.patch_log import PathPatch, read_patches
from gitcontext_pipeline.storage import fingerprint, read_json, write_json

IGNORE_FILE = ".git-blame-ignore-revs"
_CACHE = "blame.json"
_VERSION = 2
_REFORMATTING = re.compile(
    r"\b(?:re-?)?format(?:s|ted|ting)?\b|\b(?:black|ruff|isort|yapf|autopep8|pyupgrade|prettier|eslint|biome|gofmt|rustfmt"
    r"|clang-format|lint(?:s|ed|ing|er)?|whitespaces?|line endings?|indent(?:s|ed|ation)?|code ?style|copyright)\b",
    re.IGNORECASE,
)


def line_commits(
    repository: Path,
    revision: str,
    paths: Iterable[str],
    cache_dir: Path,
    ignore: Collection[str] = frozenset(),
    changes: Sequence[Change] = (),
) -> dict[str, list[str]]:
    """For each path of the tree, the id of the change that last touched each of its lines, top to bottom.

    That is the first-parent step or, where `changes` has pull requests that were merged inside it, the one of them that
    wrote the line. An id is empty where the line is older than the history that is there. The changes in `ignore` are
    looked through: a line they rewrote belongs to whoever wrote what it was before. Paths that are not regular files
    are left out. The result is kept in `cache_dir`, and a later revision only reads what came after.
    """
    cached = _Cached.read(cache_dir / _CACHE, ignore)
    wanted = set(paths)
    if cached and cached.revision == revision and wanted <= cached.paths:
        return {path: cached.lines(path) for path in sorted(wanted) if cached.knows(path)}
    trails: dict[str, Trail] = {}
    with GitCheckout(repository, revision) as tree:
        for file in tree.files():
            if file.path in wanted:
                trails[file.path] = Trail.of(count_lines(tree.read(file)))
    live = {path: trail for path, trail in trails.items() if trail.left}
    _walk(repository, revision, live, cached, ignore, NestedBlame(repository, revision, changes, ignore))
    result = {path: trail.shas for path, trail in trails.items()}
    _Cached.write(cache_dir / _CACHE, revision, ignore, wanted, result)
    return result


def _walk(
    repository: Path,
    revision: str,
    live: dict[str, Trail],
    cached: _Cached | None,
    ignore: Collection[str],
    nested: NestedBlame,
) -> None:
    """Settle the lines of `live` (trails by their path in the version at hand)."""
    cut = shallow_commits(repository)
    for commit in read_patches(repository, [revision]):
        if cached and commit.sha == cached.revision:
            for path in [path for path in live if cached.knows(path)]:
                live.pop(path).settle_from(cached.lines(path))
        if not live or commit.sha in cut:
            return
        moved: list[tuple[str, Trail]] = []
        wrote: list[tuple[str, Trail, list[int]]] = []
        for patch in commit.paths:
            trail = live.pop(patch.path, None)
            if trail is None:
                continue
            wrote.append((patch.path, trail, trail.lines))
            _step(trail, patch, commit.sha, commit.sha in ignore)
            if trail.left:
                moved.append((patch.old_path, trail))
        live.update(moved)
        if nested.is_outer(commit.sha):
            _go_inside(commit.sha, wrote, nested)


def _step(trail: Trail, patch: PathPatch, sha: str, ignored: bool) -> None:
    if patch.status in "AT" or patch.binary:
        trail.settle_rest(sha)
    else:
        trail.step_back(patch.hunks, sha, ignored)


def _go_inside(sha: str, wrote: Sequence[tuple[str, Trail, list[int]]], nested: NestedBlame) -> None:
    """Give the lines that a merge wrote to the pull requests inside it."""
    written: dict[str, list[int]] = {}
    owners: list[tuple[Trail, int]] = []
    for path, trail, lines in wrote:
        own = [line if line != NO_LINE and trail.shas[line] == sha else NO_LINE for line in lines]
        # Lines count from 0 in every file; inside the merge all files are followed at once.
        written[path] = [line if line == NO_LINE else line + len(owners) for line in own]
        owners += [(trail, line) for line in range(max(own, default=NO_LINE) + 1)]
    for line, author in nested.authors(sha, written).items():
        trail, own_line = owners[line]
        trail.give(own_line, author)


class _Cached:
    """The last result, with the lines of each file as runs of the same commit."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.revision = str(stored["revision"])
        self.paths = frozenset(stored["asked"])
        self._shas: Sequence[str] = stored["shas"]
        self._files: Mapping[str, Sequence[Sequence[int]]] = stored["files"]

    def knows(self, path: str) -> bool:
        return path in self._files

    def lines(self, path: str) -> list[str]:
        return [sha for position, count in self._files[path] for sha in [self._shas[position]] * count]

    @classmethod
    def read(cls, path: Path, ignore: Collection[str]) -> _Cached | None:
        stored = read_json(path)
        if not isinstance(stored, dict) or stored.get("key") != fingerprint(_VERSION, sorted(ignore)):
            return None
        return cls(stored)

    @staticmethod
    def write(
        path: Path, revision: str, ignore: Collection[str], asked: Iterable[str], result: Mapping[str, Sequence[str]]
    ) -> None:
        position: dict[str, int] = {}
        files = {
            name: [[position.setdefault(sha, len(position)), len(list(run))] for sha, run in groupby(shas)]
            for name, shas in result.items()
        }
        key = fingerprint(_VERSION, sorted(ignore))
        stored = {"key": key, "revision": revision, "asked": sorted(asked), "shas": list(position), "files": files}
        write_json(path, stored)


def count_lines(content: bytes) -> int:
    """Lines as git counts them: a last one without a newline is one, too."""
    return content.count(b"\n") + (content != b"" and not content.endswith(b"\n"))


def revisions_to_ignore(repository: Path, revision: str, changes: Iterable[Change]) -> frozenset[str]:
    """The changes to look through: those in the tree's .git-blame-ignore-revs, and wide ones that call themselves so.

    A merge counts when all that it brought in is listed.
    """
    listed = listed_to_ignore(repository, revision)
    found = set(listed)
    for change in changes:
        brought = {commit.sha for commit in change.commits}
        if (brought and brought <= listed) or (change.wide and is_reformatting(change.title)):
            found.add(change.sha)
    return frozenset(found)


def is_reformatting(title: str) -> bool:
    """Whether a change calls itself one of how the code looks; only a wide one should be taken at its word."""
    return bool(_REFORMATTING.search(title))


def listed_to_ignore(repository: Path, revision: str) -> frozenset[str]:
    """The commits in the tree's .git-blame-ignore-revs."""
    try:
        content = read_git("cat-file", "blob", f"{revision}:{IGNORE_FILE}", repository=repository)
    except GitFailed:
        return frozenset()
    return frozenset(re.findall(r"^\s*([0-9a-f]{40})\b", content.decode(errors="replace"), re.MULTILINE))


def subjects_by_line_range(
    lines: Mapping[str, Sequence[str]],
    changes: Mapping[str, Change],
    path: str,
    start_line: int,
    end_line: int,
    *,
    most: int = 5,
) -> list[str]:
    """The titles of the changes that last touched lines `start_line` to `end_line` (1-based, inclusive) of `path`.

    Those with the most lines first, the later first among equals; then, as far as there is room, the subjects of the
    commits that those changes brought in and that touched `path`. Each once, at most `most`.
    """
    counts = Counter(sha for sha in lines.get(path, ())[max(0, start_line - 1) : end_line] if sha in changes)
    ranked = sorted(counts, key=lambda sha: (counts[sha], changes[sha].date), reverse=True)
    titles = [changes[sha].title for sha in ranked]
    parts = [commit.subject for sha in ranked for commit in changes[sha].commits if path in commit.paths]
    return [title for title in dict.fromkeys(titles + parts) if title][:most]
