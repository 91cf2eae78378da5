"""The tables of one corpus's quality: every variant with its intervals, the slices, the misses, and other engines.

They are Markdown with padded cells, so that a terminal and a page show the same text.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gitcontext_pipeline.evaluation.compare import Comparison, Difference, compare
from gitcontext_pipeline.evaluation.measures import BY_KEY
from gitcontext_pipeline.evaluation.metrics import measure
from gitcontext_pipeline.evaluation.report import CaseRanks, CaseResult, Measured, Report, Slice

SHOWN = ("hit@1", "hit@3", "hit@5", "mrr", "ndcg@10")
MAIN = "hybrid"
ELSEWHERE = "learned elsewhere"
"""The hybrid under weights learned from the other corpora alone: the weights in force have seen every question here."""
MAIN_ROWS = ("bm25", "dense", MAIN, ELSEWHERE)
LABELS = ("kind", "style")
MISSED_AT = 5
LEVELS = ("symbol", "path")


@dataclass(frozen=True)
class CorpusQuality:
    """What was measured on one corpus: reports by variant of our ranking (`hybrid` among them), and by other engine."""

    corpus: str
    facts: Mapping[str, str]
    variants: Mapping[str, Report]
    others: Mapping[str, Report] = field(default_factory=dict)

    @property
    def hybrid(self) -> Report:
        return self.variants[MAIN]


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table with padded cells; what would break a cell is made harmless."""
    cells = [[_cell(text) for text in row] for row in (columns, *rows)]
    widths = [max(3, *(len(row[place]) for row in cells)) for place in range(len(columns))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"


def variants_table(quality: CorpusQuality) -> str:
    """Every variant over all questions: values with 95% intervals, and what its MRR lacks of the hybrid's."""
    compared = _held_against_hybrid(quality.variants)
    rows = [
        [name, *(valued(quality.variants[name].metrics[key]) for key in SHOWN), compared.get(name, "")]
        for name in quality.variants
    ]
    return markdown_table(["ranking", *_names(), "MRR against hybrid, points"], rows)


def slices_table(quality: CorpusQuality) -> str:
    """The two halves and the hybrid on the questions of each kind and style."""
    rows = []
    for part in _slices(quality.hybrid):
        for name in MAIN_ROWS:
            if name in quality.variants:
                metrics = _of_slice(quality.variants[name], part)
                told = [valued(metrics[key]) for key in SHOWN]
                rows.append([f"{part.label} {part.value}", str(part.cases), name, *told])
    return markdown_table(["slice", "questions", "ranking", *_names()], rows)


def switches_table(quality: CorpusQuality) -> str:
    """Hit@5 and MRR on each slice, for every variant."""
    parts = _slices(quality.hybrid)
    rows = []
    for name, report in quality.variants.items():
        over = [_of_slice(report, part) for part in parts]
        rows.append([name, *(f"{_short(each['hit@5'].value)} {_short(each['mrr'].value)}" for each in over)])
    return markdown_table(["Hit@5 and MRR", *(f"{part.value} ({part.cases})" for part in parts)], rows)


def misses_table(quality: CorpusQuality, causes: Mapping[str, str]) -> str:
    """The questions without an answer in the first five, and why, as far as somebody has written that down."""
    rows = [
        [
            case.id,
            " ".join(filter(None, (case.kind, case.style))),
            case.query,
            case.gold[0] if len(case.gold) == 1 else f"{case.gold[0]} and {len(case.gold) - 1} more",
            "none" if case.rank is None else str(case.rank),
            "none" if case.path_rank is None else str(case.path_rank),
            causes.get(case.id, ""),
        ]
        for case in quality.hybrid.cases
        if case.rank is None or case.rank > MISSED_AT
    ]
    if not rows:
        return "Every question has an answer in the first five.\n"
    return markdown_table(["question", "slice", "asked", "answer", "rank", "its file", "cause"], rows)


def others_table(quality: CorpusQuality) -> str:
    """Our ranking and other engines on the same questions, at two levels, with and without questions about history."""
    engines = {f"gitcontext {MAIN}": quality.hybrid, **quality.others}
    rows = []
    for about, ids in _with_and_without_history(quality.hybrid.cases):
        for level in LEVELS:
            for name, report in engines.items():
                cases = [case for case in report.cases if case.id in ids]
                metrics, _ = measure(cases if level == "symbol" else in_files(cases), report.settings.top)
                shown = [valued(metrics[key]) if level == "symbol" or key != "ndcg@10" else "" for key in SHOWN]
                lines = answer_lines(cases) if level == "symbol" else None
                rows.append([about, level, name, *shown, "" if lines is None else f"{lines:g}"])
    return markdown_table(["questions", "level", "engine", *_names(), "lines"], rows)


def in_files(cases: Sequence[CaseResult]) -> list[CaseRanks]:
    """The cases as if any row of the right file answered; a change has no file and stays as it is."""
    return [
        CaseRanks(id=case.id, query=case.query, gold=case.gold[:1], ranks=[rank] if rank is not None else [])
        for case in cases
        for rank in [case.path_rank if case.path_rank is not None else case.rank]
    ]


def answer_lines(cases: Sequence[CaseResult]) -> float | None:
    """The median length, in lines, of the rows that answered: how much there is to read once the place is found."""
    rows = [case.rows[case.rank - 1] for case in cases if case.rank is not None]
    lengths = [row.end_line - row.start_line + 1 for row in rows if row.start_line and row.end_line and not row.commit]
    return statistics.median(lengths) if lengths else None


def about_history(case: CaseRanks) -> bool:
    """Whether only a commit or a pull request answers it."""
    return all(name.startswith(("pr:", "commit:")) for name in case.gold)


def valued(measured: Measured) -> str:
    """`.82 [.71, .90]`."""
    return f"{_short(measured.value)} [{_short(measured.low)}, {_short(measured.high)}]"


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.1f}"


def _names() -> list[str]:
    return [BY_KEY[key].name for key in SHOWN]


def _held_against_hybrid(variants: Mapping[str, Report]) -> dict[str, str]:
    ordered = {MAIN: variants[MAIN], **variants}
    found: Comparison = compare(ordered)
    return {one.name: _points(one.differences["mrr"]) for one in found.contenders if one.differences is not None}


def _points(moved: Difference) -> str:
    return f"{moved.pp:+.1f} [{moved.low_pp:+.1f}, {moved.high_pp:+.1f}]"


def _slices(report: Report) -> list[Slice]:
    return [part for part in report.slices if part.label in LABELS]


def _of_slice(report: Report, part: Slice) -> dict[str, Measured]:
    return next(each.metrics for each in report.slices if (each.label, each.value) == (part.label, part.value))


def _with_and_without_history(cases: Sequence[CaseResult]) -> list[tuple[str, set[str]]]:
    everything = {case.id for case in cases}
    of_files = {case.id for case in cases if not about_history(case)}
    found = [(f"all {len(everything)}", everything)]
    return (
        found if of_files == everything or not of_files else [*found, (f"{len(of_files)} not about history", of_files)]
    )


def _cell(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).replace("|", "\\|").split())
