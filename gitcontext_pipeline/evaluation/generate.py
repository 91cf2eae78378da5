"""A golden set to start from: candidates mined, screened, and spread over files and kinds. People review the rest."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.audit import ALIKE, alike, is_copied
from gitcontext_pipeline.evaluation.candidates import CONFIDENCES, Candidate, Confidence
from gitcontext_pipeline.evaluation.cases import CaseSet
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.mining import mine
from gitcontext_pipeline.evaluation.mining_history import Blame, Change, mine_history

LEAKS = "leaks: the query is copied from the gold text"
Paraphrase = Callable[[Candidate], Candidate]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A candidate that was left out, and why."""

    query: str
    reason: str


@dataclass(frozen=True, slots=True)
class Generated:
    """The chosen candidates in a stable order, and what was rejected on the way."""

    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejection, ...]


def generate(
    corpus: CorpusView,
    *,
    count: int = 50,
    seed: int = 0,
    changes: Iterable[Change] = (),
    blame: Blame | None = None,
    existing: CaseSet | None = None,
    min_confidence: Confidence = "low",
    paraphrase: Paraphrase | None = None,
) -> Generated:
    """Up to `count` candidates; the same for the same corpus and seed.

    `changes` and `blame` add candidates from history (see `mining_history`). What `existing` already asks, or answers
    with, is left out. `paraphrase` puts the query of each chosen candidate in other words. A query copied from its
    gold's text is marked, and its confidence lowered; one that fits several places, or nearly repeats another, is
    rejected.
    """
    if count < 1:
        raise UsageError(f"count is {count}", fix="Ask for one candidate or more.")
    mined = [*mine_history(corpus, changes, blame or {}), *mine(corpus)]
    rejected: list[Rejection] = []
    unambiguous = _without_ambiguous(mined, corpus, rejected)
    fresh = _without_known(unambiguous, existing, rejected)
    sure = [candidate for candidate in map(_marked, fresh) if _rank(candidate.confidence) <= _rank(min_confidence)]
    chosen = _spread(sure, count, seed, rejected)
    if paraphrase is not None:
        chosen = _without_repeats([_marked(paraphrase(candidate)) for candidate in chosen], rejected)
    return Generated(tuple(chosen), tuple(rejected))


def _without_ambiguous(mined: Sequence[Candidate], corpus: CorpusView, rejected: list[Rejection]) -> list[Candidate]:
    """Queries that stand for one place only: no two golds, no symbol defined twice in its file."""
    places: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for candidate in mined:
        places[_folded(candidate.query)].add(tuple(entry.name for entry in candidate.gold))
    kept: dict[str, Candidate] = {}
    for candidate in mined:
        query = _folded(candidate.query)
        if len(places[query]) > 1:
            rejected.append(Rejection(candidate.query, f"ambiguous: {len(places[query])} places fit it"))
        elif any(
            len(corpus.definitions.get((entry.path or "", entry.symbol or ""), ())) > 1 for entry in candidate.gold
        ):
            rejected.append(Rejection(candidate.query, "ambiguous: its symbol is defined more than once"))
        else:
            kept.setdefault(query, candidate)
    return list(kept.values())


def _without_known(mined: Sequence[Candidate], existing: CaseSet | None, rejected: list[Rejection]) -> list[Candidate]:
    if existing is None:
        return list(mined)
    asked = [case.query for case in existing.cases] + [case.query for case in existing.unanswerable]
    answered = {entry.name for case in existing.cases for entry in case.gold}
    kept: list[Candidate] = []
    for candidate in mined:
        if any(entry.name in answered for entry in candidate.gold):
            rejected.append(Rejection(candidate.query, "the existing set already asks for its gold"))
        elif any(_repeats(candidate.query, query) for query in asked):
            rejected.append(Rejection(candidate.query, "the existing set asks nearly this"))
        else:
            kept.append(candidate)
    return kept


def _marked(candidate: Candidate) -> Candidate:
    """The candidate with what its query gives away: copied text costs confidence, other words earn it back."""
    if LEAKS in candidate.flags and candidate.original is None:
        return candidate
    flags = tuple(flag for flag in candidate.flags if flag != LEAKS)
    if is_copied(candidate.query, candidate.text):
        lowered = CONFIDENCES[min(_rank(candidate.confidence) + 1, len(CONFIDENCES) - 1)]
        return replace(candidate, confidence=lowered, flags=(*flags, LEAKS))
    if candidate.original is not None and candidate.style == "paraphrase":
        return replace(candidate, confidence="high", flags=flags)
    return replace(candidate, flags=flags)


def _spread(candidates: Sequence[Candidate], count: int, seed: int, rejected: list[Rejection]) -> list[Candidate]:
    """Take, time after time, the candidate of the least used source, then of the least used file, then the surest."""
    waiting = sorted(candidates, key=lambda candidate: _shuffled(candidate, seed))
    files: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    chosen: list[Candidate] = []

    def need(candidate: Candidate) -> tuple[int, int, int]:
        return sources[candidate.source], files[candidate.file], _rank(candidate.confidence)

    while waiting and len(chosen) < count:
        best = min(waiting, key=need)
        waiting.remove(best)
        if any(_repeats(best.query, other.query) for other in chosen):
            rejected.append(Rejection(best.query, "nearly repeats another candidate"))
            continue
        chosen.append(best)
        files[best.file] += 1
        sources[best.source] += 1
    return chosen


def _without_repeats(candidates: Sequence[Candidate], rejected: list[Rejection]) -> list[Candidate]:
    kept: list[Candidate] = []
    for candidate in candidates:
        if any(_repeats(candidate.query, other.query) for other in kept):
            rejected.append(Rejection(candidate.query, "its paraphrase nearly repeats another candidate"))
        else:
            kept.append(candidate)
    return kept


def _repeats(one: str, other: str) -> bool:
    return _folded(one) == _folded(other) or alike(one, other) >= ALIKE


def _rank(confidence: Confidence) -> int:
    return CONFIDENCES.index(confidence)


def _shuffled(candidate: Candidate, seed: int) -> str:
    """An order that depends on the seed and the candidate alone, not on how many others there are."""
    return hashlib.sha256(f"{seed}\0{candidate.id}".encode()).hexdigest()


def _folded(query: str) -> str:
    return " ".join(query.split()).casefold()
