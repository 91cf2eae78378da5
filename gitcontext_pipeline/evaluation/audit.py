"""Is the golden set itself fit to measure with? Runs inside every evaluation; the findings are in its report.

A case whose gold is not in the corpus can only ever miss, and lowers every score by a constant that looks like
quality. A case that copies its answer's text raises it just as quietly. Neither shows in the metrics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from gitcontext_pipeline.evaluation.cases import Case, CaseSet
from gitcontext_pipeline.evaluation.corpus_view import CorpusView, Passage
from gitcontext_pipeline.evaluation.gold import Gold
from gitcontext_pipeline.evaluation.report import Audit, Finding, SetAside

HISTORY = "history"
"""In `absent`: commits and pull requests. Every other key there is a path or a folder ending in a slash."""

COPIED_WORDS = 5
COPIED_SHARE = 0.5
"""A query leaks when this many words in a row, and this share of all its words, stand in the gold text just so."""

ALIKE = 0.8
"""Two queries are near duplicates when they share this much of their words (Jaccard), having ALIKE_WORDS or more."""
ALIKE_WORDS = 4

SCOPE_KINDS: Mapping[str, frozenset[str]] = {
    "code": frozenset({"code"}),
    "docs": frozenset({"docs"}),
    "history": frozenset({"commit", "pull_request"}),
}
NAMED = 5
"""How many of several things a finding names."""


def split_absent(cases: Sequence[Case], absent: Mapping[str, str]) -> tuple[list[Case], list[SetAside]]:
    """The cases to measure, and those that are set aside because all their gold lies in material the origin lacks.

    `absent` maps HISTORY, a path, or a folder (`docs/`) to the reason. A case that keeps some of its entries is
    measured with those.
    """
    kept: list[Case] = []
    aside: list[SetAside] = []
    for case in cases:
        reasons = [_absence(entry, absent) for entry in case.gold]
        present = tuple(entry for entry, reason in zip(case.gold, reasons, strict=True) if reason is None)
        if present:
            kept.append(replace(case, gold=present))
        else:
            told = "; ".join(dict.fromkeys(reason for reason in reasons if reason is not None))
            aside.append(SetAside(id=case.id, reason=told))
    return kept, aside


def audit(case_set: CaseSet, measured: Sequence[Case], corpus: CorpusView | None) -> Audit:
    """Every finding, in the order of the cases; the corpus is looked at when there is one."""
    findings = [
        Finding(
            problem="ignored field",
            severity="warning",
            case=None,
            detail=f"{name!r} is not a field of a case and was ignored",
        )
        for name in case_set.ignored_fields
    ]
    if corpus is not None:
        for case in measured:
            findings.extend(_against_corpus(case, corpus))
    findings.extend(_near_duplicates(measured))
    return Audit(checked_corpus=corpus is not None, findings=findings)


def copied_share(query: str, text: str) -> tuple[int, float]:
    """The longest run of the query's words that stands in `text` just so: its words, and its share of the query."""
    words = _words(query)
    haystack = f" {' '.join(_words(text))} "
    longest = 0
    for first in range(len(words)):
        while f" {' '.join(words[first : first + longest + 1])} " in haystack and first + longest < len(words):
            longest += 1
    return longest, longest / len(words) if words else 0.0


def is_copied(query: str, text: str) -> bool:
    run, share = copied_share(query, text)
    return run >= COPIED_WORDS and share >= COPIED_SHARE


def alike(one: str, other: str) -> float:
    """The Jaccard similarity of the words of two queries; 0 where either has fewer than ALIKE_WORDS."""
    return _jaccard(frozenset(_words(one)), frozenset(_words(other)))


def _absence(entry: Gold, absent: Mapping[str, str]) -> str | None:
    if entry.pr is not None or entry.commit is not None:
        return absent.get(HISTORY)
    path = entry.path or ""
    for place, reason in absent.items():
        if place != HISTORY and (path == place or (place.endswith("/") and path.startswith(place))):
            return reason
    return None


def _against_corpus(case: Case, corpus: CorpusView) -> Iterator[Finding]:
    found = {entry: corpus.answering(entry) for entry in case.gold}
    missing = [entry.name for entry, passages in found.items() if not passages]
    if len(missing) == len(found):
        yield Finding(
            problem="impossible",
            severity="error",
            case=case.id,
            detail=f"the corpus holds none of its gold: {_listed(missing)}",
        )
        return
    if missing:
        yield Finding(
            problem="missing entry",
            severity="warning",
            case=case.id,
            detail=f"the corpus does not hold {_listed(missing)}",
        )
    for entry in found:
        if (several := _ambiguity(entry, found[entry], corpus)) is not None:
            yield Finding(problem="ambiguous", severity="warning", case=case.id, detail=several)
    passages = [passage for some in found.values() for passage in some]
    wanted = SCOPE_KINDS.get(case.scope or "")
    kinds = {passage.row.kind for passage in passages}
    if wanted is not None and None not in kinds and not kinds & wanted:
        yield Finding(
            problem="out of scope",
            severity="warning",
            case=case.id,
            detail=f"its scope is {case.scope}, its gold is {_listed(sorted(str(kind) for kind in kinds))}",
        )
    run, share = max((copied_share(case.query, passage.text) for passage in passages), default=(0, 0.0))
    if run >= COPIED_WORDS and share >= COPIED_SHARE:
        yield Finding(
            problem="leak",
            severity="warning",
            case=case.id,
            detail=f"{run} words in a row, {share:.0%} of the query, are copied from the gold text",
        )


def _ambiguity(entry: Gold, passages: Sequence[Passage], corpus: CorpusView) -> str | None:
    if entry.contains is not None:
        paths = sorted({passage.row.path for passage in passages})
        return f"{entry.contains!r} is part of {len(paths)} paths: {_listed(paths)}" if len(paths) > 1 else None
    if entry.commit is not None:
        commits = corpus.commits_named(entry.commit)
        return f"{entry.commit} begins {len(commits)} commits" if len(commits) > 1 else None
    if entry.symbol is not None and entry.lines is None:
        ranges = corpus.definitions.get((entry.path or "", entry.symbol), ())
        places = [f"L{start}-L{end}" for start, end in ranges]
        return f"{entry.name} is defined {len(places)} times: {_listed(places)}" if len(places) > 1 else None
    return None


def _near_duplicates(cases: Sequence[Case]) -> Iterator[Finding]:
    words = [(case.id, frozenset(_words(case.query))) for case in cases]
    for (first, some), (second, others) in combinations(words, 2):
        if (share := _jaccard(some, others)) >= ALIKE:
            yield Finding(
                problem="duplicate",
                severity="warning",
                case=second,
                detail=f"asks nearly what {first} asks: {share:.0%} of the words of both are the same",
            )


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    if min(len(one), len(other)) < max(ALIKE_WORDS, ALIKE * max(len(one), len(other))):
        return 0.0
    return len(one & other) / len(one | other)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
