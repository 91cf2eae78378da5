"""Candidate cases from history: the subject of a merged change asks, the symbols it wrote answer.

A subject was written by somebody who described a problem, mostly without knowing how its words would be searched: the
nearest thing to a user's question that a repository holds. Which symbols it touched is read off `git blame` at the
pinned revision, so that gold is always what still stands there; hunks of the old diff would point at lines that have
moved.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.candidates import Candidate, Confidence, names_symbol, one_line
from gitcontext_pipeline.evaluation.corpus_view import CorpusView, Passage
from gitcontext_pipeline.evaluation.gold import Gold, normalise_path
from gitcontext_pipeline.evaluation.mining import ASIDE

MAX_FILES = 8
"""A change to more files than this is a sweep, and asks about none of them."""
MAX_SYMBOLS = 3
MIN_LINES = 3
SUBJECT_WORDS = 4

CHORE = re.compile(
    r"^(merge\b|bump\b|revert\b|release\b|prepare\b|v?\d+\.\d+|update (changelog|history|dep|readme|copyright)"
    r"|(fix|correct)(es|ed)? (a )?(typo|lint|whitespace|format)|(chore|ci|build|style|test|docs?)(\(.*?\))?!?:|typo\b)",
    re.IGNORECASE,
)
PREFIX = re.compile(r"^(feat|fix|perf|refactor)(\([^)]*\))?!?:\s*|^\[[^\]]{1,20}\]\s*", re.IGNORECASE)
NUMBER = re.compile(r"\s*\(?(?:gh-|#)\d+\)?", re.IGNORECASE)

Blame = Mapping[str, Mapping[int, str]]
"""path → line (from 1) → the full id of the commit that wrote it."""


@dataclass(frozen=True, slots=True)
class Change:
    """One merged change: its subject, its commit on the main line, the repository-relative paths that it touched."""

    subject: str
    commit: str
    paths: tuple[str, ...]


def mine_history(corpus: CorpusView, changes: Iterable[Change], blame: Blame) -> Iterator[Candidate]:
    """A candidate for each change that describes something and still owns lines of a few symbols of the corpus."""
    for change in changes:
        subject = cleaned_subject(change.subject)
        if CHORE.match(change.subject) or len(subject.split()) < SUBJECT_WORDS or len(change.paths) > MAX_FILES:
            continue
        written = _written(corpus, change, blame)
        if not 0 < len(written) <= MAX_SYMBOLS:
            continue
        named = any(names_symbol(subject, passage.row.symbol or "") for passage in written)
        confidence: Confidence = "high" if len(written) == 1 and not named else "medium"
        yield Candidate(
            query=subject,
            gold=tuple(Gold(path=passage.row.path, symbol=passage.row.symbol) for passage in written),
            source="history",
            confidence=confidence,
            scope="code",
            style="identifier" if named else "symptom",
            text="\n".join(passage.text for passage in written),
            flags=(f"from commit {change.commit[:12]}",),
        )


def cleaned_subject(subject: str) -> str:
    """The subject without the prefixes and numbers that name the change rather than describe it."""
    return one_line(NUMBER.sub("", PREFIX.sub("", subject))).rstrip(" .")


def changes_of(repository: Path, revision: str, limit: int = 300) -> list[Change]:
    """The last `limit` changes on the main line (first parents) up to `revision`, newest first.

    A merge made by GitHub is told by its title, which it keeps in the body. Raises GitContextError when git does not
    know the revision.
    """
    text = _git(
        repository,
        "log",
        f"-n{limit}",
        "--first-parent",
        "--diff-merges=first-parent",
        "--no-renames",
        "--name-only",
        "-z",
        "--format=%x1e%H%x1f%s%x1f%b%x1f",
        revision,
    )
    found: list[Change] = []
    for record in text.split("\x1e")[1:]:
        commit, subject, body, names = [*record.split("\x1f"), "", ""][:4]
        title = next((line for line in body.splitlines() if line.strip()), "")
        if subject.startswith("Merge pull request") and title:
            subject = title
        paths = tuple(normalise_path(name) for name in names.strip("\0\n").split("\0") if name.strip())
        found.append(Change(subject, commit, paths))
    return found


def blame_of(repository: Path, revision: str, paths: Iterable[str]) -> dict[str, dict[int, str]]:
    """Who wrote each line of each file at `revision`, along first parents; a path that is not there is left out."""
    found: dict[str, dict[int, str]] = {}
    for path in sorted(set(paths)):
        try:
            text = _git(repository, "blame", "--first-parent", "--incremental", revision, "--", path)
        except GitContextError:
            continue
        lines: dict[int, str] = {}
        for commit, first, count in re.findall(r"^([0-9a-f]{40}) \d+ (\d+) (\d+)$", text, re.MULTILINE):
            lines.update(dict.fromkeys(range(int(first), int(first) + int(count)), commit))
        found[path] = lines
    return found


def _written(corpus: CorpusView, change: Change, blame: Blame) -> Sequence[Passage]:
    """The passages, innermost first where nested, of which the change wrote MIN_LINES lines or half."""
    found: dict[tuple[str, str], Passage] = {}
    for path in change.paths:
        if ASIDE.search(path):
            continue
        own = {line for line, commit in blame.get(path, {}).items() if commit == change.commit}
        counted: Counter[str] = Counter()
        size: dict[str, int] = defaultdict(int)
        passages: dict[str, Passage] = {}
        for passage in corpus.by_path.get(path, ()):
            if passage.row.symbol is None or passage.row.lines is None or passage.row.kind not in {None, "code"}:
                continue
            start, end = passage.row.lines
            counted[passage.row.symbol] += sum(start <= line <= end for line in own)
            size[passage.row.symbol] += end - start + 1
            passages.setdefault(passage.row.symbol, passage)
        touched = {name for name, lines in counted.items() if lines >= MIN_LINES or (lines and 2 * lines >= size[name])}
        for name in touched:
            if not any(other.startswith(f"{name}.") for other in touched):
                found[path, name] = passages[name]
    return [found[key] for key in sorted(found)]


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        raise GitContextError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}", where=repository)
    return done.stdout.decode("utf-8", "replace")
