"""TREC run and qrels files, so that trec_eval, ranx or any other tool of the trade can check our numbers.

Qrels lines are `query 0 document relevance`, run lines `query Q0 document rank score tag`, fields separated by blanks
(https://trec.nist.gov, trec_eval's README). Names are percent-encoded, because neither a query's id nor a path may
hold a blank there. A gold entry's document is named by the entry, a row that answers nothing by its place and itself,
so no name stands for two documents. Scores fall by one from row to row: trec_eval sorts by score and ignores the rank.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.metrics import QrelsDict, RunDict
from gitcontext_pipeline.evaluation.report import CaseRanks, CaseResult
from gitcontext_pipeline.storage import write_atomic

TAG = "gitcontext"
PLAIN = "/#:.,+=@~"
"""Characters that stay as they are in a name, so that people can read it."""


def write_qrels(path: Path, cases: Sequence[CaseRanks]) -> None:
    """Every gold entry of every case, of relevance 1."""
    write_atomic(path, "".join(f"{quote_name(case.id)} 0 {document} 1\n" for case in cases for document in _gold(case)))


def write_run(path: Path, cases: Sequence[CaseResult], tag: str = TAG) -> None:
    """Every row of every case, best first; a case without rows has no line, and counts as zero all the same."""
    write_atomic(path, "".join(line for case in cases for line in _run_lines(case, quote_name(tag))))


def read_qrels(path: Path) -> QrelsDict:
    """query → document → relevance. Raises UsageError, located as `file:line`, for a malformed line."""
    qrels: QrelsDict = {}
    for where, fields in _lines(path, 4):
        query, _, document, relevance = fields
        try:
            qrels.setdefault(query, {})[document] = int(relevance)
        except ValueError as error:
            raise UsageError(
                f"relevance {relevance!r} is not a whole number", where=where, fix="Use 0 or 1."
            ) from error
    return qrels


def read_run(path: Path) -> RunDict:
    """query → document → score. Raises UsageError, located as `file:line`, for a malformed line or a repeated
    document."""
    run: RunDict = {}
    for where, fields in _lines(path, 6):
        query, _, document, _, score, _ = fields
        try:
            number = float(score)
        except ValueError as error:
            raise UsageError(f"score {score!r} is not a number", where=where, fix="Write it in decimal.") from error
        if math.isnan(number):
            raise UsageError("the score is NaN, so the order means nothing", where=where, fix="Write a number.")
        documents = run.setdefault(query, {})
        if document in documents:
            raise UsageError(f"document {document!r} is ranked twice", where=where, fix="Keep its better rank.")
        documents[document] = number
    return run


def ranked(run: RunDict, query: str) -> list[str]:
    """The documents of one query as trec_eval orders them: by score, ties by name, both descending."""
    documents = run.get(query, {})
    return sorted(documents, key=lambda document: (documents[document], document), reverse=True)


def quote_name(name: str) -> str:
    return quote(name, safe=PLAIN)


def _gold(case: CaseRanks) -> list[str]:
    return [quote_name(f"gold{place}:{entry}") for place, entry in enumerate(case.gold, 1)]


def _run_lines(case: CaseResult, tag: str) -> Iterator[str]:
    gold = _gold(case)
    for rank, row in enumerate(case.rows, 1):
        document = gold[row.answers] if row.answers is not None else quote_name(f"row{rank}:{row.name}")
        yield f"{quote_name(case.id)} Q0 {document} {rank} {len(case.rows) - rank + 1} {tag}\n"


def _lines(path: Path, expected: int) -> Iterator[tuple[str, list[str]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", where=path, fix="Name a TREC file in UTF-8.") from error
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if fields and len(fields) != expected:
            raise UsageError(
                f"{len(fields)} fields, not {expected}", where=f"{path}:{number}", fix="See trec_eval's README."
            )
        if fields:
            yield f"{path}:{number}", fields
