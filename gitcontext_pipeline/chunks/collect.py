"""From a pinned tree and its changes to chunks with provenance, and a report of what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from gitcontext_pipeline.chunks.roles import role_of
from gitcontext_pipeline.chunks.schema import Split
from gitcontext_pipeline.chunks.skip import why_skipped
from gitcontext_pipeline.chunks.splitter import split
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.corpus.checkout import Checkout, TreeFile
from gitcontext_pipeline.corpus.permalinks import file_url

COLLECT_VERSION = 1
"""Part of the chunk table's fingerprint; raised whenever this module makes other rows of the same input."""

MOST_FILES_NAMED = 30


@dataclass(frozen=True, slots=True)
class Identity:
    """What all chunks of one table share."""

    corpus: str
    github: str | None
    revision: str


@dataclass
class Collected:
    """The chunks of the files, and what was not taken: counts by reason, and a few paths for each."""

    chunks: list[Chunk] = field(default_factory=list)
    files: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    skipped_paths: dict[str, list[str]] = field(default_factory=dict)
    lines: int = 0
    covered: int = 0
    omitted: Counter[str] = field(default_factory=Counter)

    def skip(self, path: str, reason: str) -> None:
        self.skipped[reason] += 1
        named = self.skipped_paths.setdefault(reason, [])
        if len(named) < MOST_FILES_NAMED:
            named.append(path)


def collect_files(
    checkout: Checkout,
    files: Sequence[TreeFile],
    identity: Identity,
    titles: Callable[[str, int, int], Sequence[str]] = lambda path, start, end: (),
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Collected:
    """Chunks of `files` in their order. `titles(path, start, end)` names the changes that last touched those lines."""
    collected = Collected()
    for path, other in checkout.not_regular().items():
        collected.skip(path, other)
    paths = frozenset(file.path for file in files)
    for done, file in enumerate(files, 1):
        data = checkout.read(file)
        reason = why_skipped(file.path, file.size, data)
        if reason is not None:
            collected.skip(file.path, reason)
        else:
            text = data.decode("utf-8-sig", errors="replace")
            made = split(file.path, text)
            collected.files += 1
            _count_coverage(collected, text, made)
            role = role_of(file.path, paths)
            collected.chunks.extend(_chunks_of(file.path, text, made, role, identity, titles))
        advance(done, len(files))
    return collected


def _chunks_of(
    path: str,
    text: str,
    made: Split,
    role: str,
    identity: Identity,
    titles: Callable[[str, int, int], Sequence[str]],
) -> Iterable[Chunk]:
    lines = text.split("\n")
    for span in made.spans:
        excerpt = span.text if span.text is not None else "\n".join(lines[span.start_line - 1 : span.end_line])
        yield Chunk(
            corpus=identity.corpus,
            kind=made.kind,
            path=path,
            language=made.language,
            role=role,
            symbol=span.symbol,
            symbol_kind=span.symbol_kind,
            signature=span.signature,
            doc=span.doc,
            start_line=span.start_line,
            end_line=span.end_line,
            text=excerpt,
            history=tuple(titles(path, span.start_line, span.end_line)),
            paths=(),
            revision=identity.revision,
            commit=None,
            pr=None,
            author=None,
            date=None,
            url=file_url(identity.github, identity.revision, path, span.start_line, span.end_line),
        )


def _count_coverage(collected: Collected, text: str, made: Split) -> None:
    """Count the non-blank lines of a file that are in a span, and those that are left out on purpose."""
    wanted = {number for number, line in enumerate(text.split("\n"), 1) if line.strip()}
    collected.lines += len(wanted)
    covered: set[int] = set()
    for span in made.spans:
        covered.update(range(span.start_line, span.end_line + 1))
    collected.covered += len(wanted & covered)
    for omission in made.omissions:
        left_out = wanted.intersection(range(omission.start_line, omission.end_line + 1)) - covered
        if left_out:
            collected.omitted[omission.reason] += len(left_out)
            wanted -= left_out
