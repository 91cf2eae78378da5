"""The golden set: questions with the places that answer them, one JSON object a line.

Two forms are read. This project's: `query`, `gold` (a list of entries, any one of which fully answers), optionally
`id`, `scope`, `kind`, `style`, `intent`; a case with `why_absent` instead of gold has no answer in the corpus. And
hitgate's: `query`, `expect_path_contains`, `expect_scope`, `intent`, `paraphrase`. Fields that begin with `_` are
reviewers' notes.
"""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.gold import Gold, read_contains, read_gold
from gitcontext_pipeline.evaluation.jsonlines import parse_json_lines, read_json_lines
from gitcontext_pipeline.storage import fingerprint

LABELS = ("scope", "kind", "style", "intent")
"""What a case is labelled with; metrics are also told for each value of each label."""

FIELDS = frozenset({"id", "query", "gold", "why_absent", *LABELS})
OLDER_FIELDS = frozenset(
    {"id", "query", "expect_path_contains", "expect_scope", "intent", "paraphrase", "kind", "style"}
)


@dataclass(frozen=True, slots=True)
class Case:
    """One question. `line` says where it stands in its file and is no part of its identity."""

    id: str
    query: str
    gold: tuple[Gold, ...]
    scope: str | None = None
    kind: str | None = None
    style: str | None = None
    intent: str | None = None
    line: int = 0

    @property
    def scope_argument(self) -> str | None:
        """The scope as a retriever takes it: a case labelled with several (`code+docs`) asks for none in particular."""
        return None if self.scope is None or "+" in self.scope else self.scope


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """A question that the corpus holds no answer to; retrieval metrics do not count it, contracts on answers do."""

    id: str
    query: str
    why_absent: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class CaseSet:
    """The cases of one file, in its order. `sha256` covers what is measured: neither order, nor notes, nor line
    ends."""

    path: Path
    cases: tuple[Case, ...]
    unanswerable: tuple[Unanswerable, ...]
    sha256: str
    ignored_fields: tuple[str, ...] = ()


def read_cases(path: Path | str) -> CaseSet:
    """Read a golden set. Raises UsageError, located as `file:line`, for anything that would measure something else."""
    return _case_set(Path(path), read_json_lines(Path(path)))


def parse_cases(data: bytes, name: str = "cases.jsonl") -> CaseSet:
    """As `read_cases`, over the bytes themselves."""
    return _case_set(Path(name), list(parse_json_lines(data, name)))


def _case_set(path: Path, lines: list[tuple[int, dict[str, Any]]]) -> CaseSet:
    if not lines:
        raise UsageError("holds no case", where=path, fix="`gitcontext eval generate` proposes some.")
    cases: list[Case] = []
    unanswerable: list[Unanswerable] = []
    ignored: set[str] = set()
    seen: dict[str, int] = {}
    for number, fields in lines:
        case = _read_case(fields, number, f"{path}:{number}", ignored)
        for what, key in (("query", f"query {_folded(case.query)}"), ("id", f"id {case.id}")):
            if (first := seen.setdefault(key, number)) != number:
                raise UsageError(
                    f"the {what} of line {first} again: {getattr(case, what)!r}",
                    where=f"{path}:{number}",
                    fix="Remove one of the two, or put the gold of both into one case.",
                )
        if isinstance(case, Case):
            cases.append(case)
        else:
            unanswerable.append(case)
    return CaseSet(path, tuple(cases), tuple(unanswerable), dataset_sha256(cases, unanswerable), tuple(sorted(ignored)))


def dataset_sha256(cases: list[Case], unanswerable: list[Unanswerable]) -> str:
    """SHA-256 over the canonical content: equal for two files exactly when they ask and accept the same."""
    canonical = []
    for case in cases:
        fields = {
            name: value for name, value in asdict(case).items() if value is not None and name not in {"line", "gold"}
        }
        canonical.append(fields | {"gold": sorted(entry.name for entry in case.gold)})
    canonical += [{"id": case.id, "query": case.query, "why_absent": case.why_absent} for case in unanswerable]
    return fingerprint(sorted(canonical, key=lambda fields: str(fields["id"])))


def _read_case(fields: dict[str, Any], number: int, where: str, ignored: set[str]) -> Case | Unanswerable:
    fields = {name: value for name, value in fields.items() if not name.startswith("_")}
    older = "expect_path_contains" in fields
    if older and "gold" in fields:
        raise UsageError("has both gold and expect_path_contains", where=where, fix="Keep gold.")
    if unknown := sorted(set(fields) - (OLDER_FIELDS if older else FIELDS)):
        if not older:
            raise UsageError(f"unknown field {unknown[0]!r}", where=where, fix=_nearest(unknown[0]))
        ignored.update(unknown)
    query = _text(fields, "query", where)
    if query is None:
        raise UsageError("has no query", where=where, fix="Add the question as a user would ask it.")
    identity = _text(fields, "id", where) or f"q{fingerprint(query)[:12]}"
    if "why_absent" in fields:
        if fields.get("gold"):
            raise UsageError("has gold and why_absent", where=where, fix="A case is answerable or it is not: keep one.")
        reason = _text(fields, "why_absent", where)
        if reason is None:
            raise UsageError("why_absent is empty", where=where, fix="Say why the corpus cannot answer.")
        return Unanswerable(identity, query, reason, number)
    labels = {name: _text(fields, name, where) for name in LABELS if name in fields}
    if older:
        gold = read_contains(fields["expect_path_contains"], where)
        labels["scope"] = _older_scope(fields.get("expect_scope"), where)
        labels["style"] = labels.get("style") or ("paraphrase" if fields.get("paraphrase") is True else None)
    else:
        gold = _gold(fields.get("gold"), where)
    return Case(id=identity, query=query, gold=gold, line=number, **labels)


def _gold(value: Any, where: str) -> tuple[Gold, ...]:
    if value is None or value == []:
        raise UsageError(
            "has no gold", where=where, fix='Add "gold": [{"path": …}], or "why_absent" if nothing answers it.'
        )
    if not isinstance(value, list):
        raise UsageError(f"gold is a {type(value).__name__}, not a list", where=where, fix="Put the entry in brackets.")
    entries = [read_gold(entry, where) for entry in value]
    if len(set(entries)) < len(entries):
        raise UsageError("names the same gold entry twice", where=where, fix="Remove one.")
    return tuple(entries)


def _older_scope(value: Any, where: str) -> str | None:
    if isinstance(value, list):
        if not all(isinstance(scope, str) and scope for scope in value):
            raise UsageError(
                "expect_scope holds something that is no text", where=where, fix='Such as ["code", "docs"].'
            )
        return "+".join(value) or None
    return _text({"expect_scope": value}, "expect_scope", where)


def _text(fields: dict[str, Any], name: str, where: str) -> str | None:
    """The text of a field; None where it is missing, null or blank."""
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is a {type(value).__name__}, not text", where=where, fix="Put it in quotes.")
    return (value or "").strip() or None


def _nearest(name: str) -> str:
    near = difflib.get_close_matches(name, FIELDS, n=1)
    notes = "fields that begin with _ are notes and ignored"
    return f"Did you mean {near[0]!r}? ({notes})" if near else f"Known: {', '.join(sorted(FIELDS))}; {notes}."


def _folded(query: str) -> str:
    return " ".join(query.split()).casefold()
