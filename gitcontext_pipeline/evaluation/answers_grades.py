"""Grades that people gave to answers, and how well the contract agrees with them: the contract is evaluated as well.

The reviewer's page saves them as `{"report": ID, "grades": {CASE: "accept" | "reject"}}`. A grade is about the
sentences on the page, those that the contract dropped included: would a reader have been well served by them?
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.answers_report import AnswersReport
from gitcontext_pipeline.evaluation.report import Model, read_model

Grade = Literal["accept", "reject"]


class Grades(Model):
    """One reviewer's grades of one report."""

    report: str
    grades: dict[str, Grade]


class Agreement(Model):
    """How the contract's decisions compare with the grades. Shares are None where there is nothing to divide by.

    - `precision`: of the answers shown, the share that was accepted;
    - `recall`: of the answers accepted, the share that was shown;
    - `kappa`: Cohen's kappa, agreement beyond what chance gives (Educational and Psychological Measurement 20, 1960).
    """

    graded: int
    shown_accepted: int
    shown_rejected: int
    withheld_accepted: int
    withheld_rejected: int
    precision: float | None
    recall: float | None
    agreement: float | None
    kappa: float | None
    disagreements: list[str]


def read_grades(path: Path) -> Grades:
    """Raises GitContextError naming the file and the first wrong field."""
    return read_model(path, Grades, "Export the grades from the reviewer's page again.")


def agreement(report: AnswersReport, grades: Grades) -> Agreement:
    """Compare `grades` with what the contract decided.

    Raises UsageError for grades of another report, or of a case that it does not have.
    """
    if grades.report != report.id:
        raise UsageError(
            f"these grades are of the report {grades.report}, not of {report.id}",
            fix="Grade the page that was written with this report.",
        )
    cases = {case.id: case for case in report.cases}
    if unknown := sorted(set(grades.grades) - set(cases)):
        raise UsageError(f"the report has no case {unknown[0]!r}", fix="Export the grades from its page again.")
    pairs = {name: (cases[name].shown, grade == "accept") for name, grade in sorted(grades.grades.items())}
    table = {key: sum(pair == key for pair in pairs.values()) for key in _CELLS}
    both, wrong, missed, neither = (table[key] for key in _CELLS)
    total = len(pairs)
    return Agreement(
        graded=total,
        shown_accepted=both,
        shown_rejected=wrong,
        withheld_accepted=missed,
        withheld_rejected=neither,
        precision=_share(both, both + wrong),
        recall=_share(both, both + missed),
        agreement=_share(both + neither, total),
        kappa=_kappa(both, wrong, missed, neither),
        disagreements=[name for name, (shown, accepted) in pairs.items() if shown != accepted],
    )


_CELLS = ((True, True), (True, False), (False, True), (False, False))


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _kappa(both: int, wrong: int, missed: int, neither: int) -> float | None:
    total = both + wrong + missed + neither
    if not total:
        return None
    observed = (both + neither) / total
    expected = ((both + wrong) * (both + missed) + (missed + neither) * (wrong + neither)) / total**2
    return None if expected == 1 else round((observed - expected) / (1 - expected), 4)
