from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.evaluation.metrics import measure
from gitcontext_pipeline.evaluation.quality_page import blocks, causes, corpus_block, updated, with_blocks
from gitcontext_pipeline.evaluation.quality_tables import (
    CorpusQuality,
    answer_lines,
    in_files,
    markdown_table,
    misses_table,
    others_table,
    variants_table,
)
from gitcontext_pipeline.evaluation.report import CaseResult, Report, ResultRow
from tests.evaluation.builders import report_of

PAGE = """# Quality

What is measured, by hand.

<!-- quality:summary -->
<!-- /quality:summary -->

More by hand.
"""


def case(
    number: int, rank: int | None, path_rank: int | None = None, gold: str = "f.py#g", **labels: str
) -> CaseResult:
    rows = [ResultRow(name="f.py", path="f.py", start_line=1, end_line=12)] * (rank or 0)
    return CaseResult(
        id=f"c{number}",
        query=f"where is a|b number {number}?",
        gold=[gold],
        ranks=[] if rank is None else [rank],
        path_rank=path_rank if path_rank is not None else rank,
        rows=rows,
        **labels,
    )


def report(*cases: CaseResult) -> Report:
    metrics, slices = measure(cases, 10)
    return report_of([1]).model_copy(update={"cases": list(cases), "metrics": metrics, "slices": slices})


def quality(name: str = "gin", worse: int | None = 9, **more: object) -> CorpusQuality:
    good = report(case(0, 1, kind="code", style="symptom"), case(1, worse, 2, kind="code", style="identifier"))
    bad = report(case(0, None, 1, kind="code", style="symptom"), case(1, None, kind="code", style="identifier"))
    facts = {"revision": "a" * 40, "snapshot": "b" * 12}
    return CorpusQuality(name, facts, {"bm25": bad, "dense": bad, "hybrid": good, "no names": bad}, **more)  # type: ignore[arg-type]


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.splitlines() if not line.startswith("|--")]


def test_every_variant_is_told_with_intervals_and_against_the_hybrid() -> None:
    header, *rows = cells(variants_table(quality(worse=2)))
    assert header[1:6] == ["Hit@1", "Hit@3", "Hit@5", "MRR", "nDCG@10"]
    assert [row[0].strip("| ") for row in rows] == ["bm25", "dense", "hybrid", "no names"]
    hybrid, none = rows[2], rows[3]
    assert hybrid[3].startswith("1.0 [")
    assert none[3].startswith(".00 [.00, ")
    assert none[-1].startswith("-75.0 [")


def test_misses_are_told_with_where_their_file_came_and_keep_their_cause() -> None:
    found = misses_table(quality(), {"c1": "a cause | with a bar"})
    assert "c1" in found
    assert "c0" not in found
    assert "| 9    | 2        | a cause \\| with a bar |" in found
    assert misses_table(quality(worse=3), {}) == "Every question has an answer in the first five.\n"


def test_a_question_about_history_has_no_file_and_counts_as_it_is() -> None:
    change = case(0, 3, gold="pr:7").model_copy(update={"path_rank": None})
    assert [each.ranks for each in in_files([change, case(1, None, 4), case(2, None)])] == [[3], [4], []]


def test_lines_to_read_are_those_of_the_rows_that_answer() -> None:
    assert answer_lines([case(0, 1), case(1, 2), case(2, None)]) == 12
    assert answer_lines([case(0, None)]) is None


def test_other_engines_are_told_at_both_levels_and_without_history() -> None:
    cases = [case(0, 1), case(1, None, 2), case(2, 1, gold="pr:7")]
    told = quality(others={"keywords": report(*cases)})
    told.variants["hybrid"].cases[:] = cases
    rows = cells(others_table(told))[1:]
    keys = [(row[0].strip("| "), row[1], row[2]) for row in rows]
    assert len(set(keys)) == len(keys) == 8
    assert ("2 not about history", "path", "keywords") in keys
    by_key = dict(zip(keys, rows, strict=True))
    assert by_key["all 3", "symbol", "keywords"][3].startswith(".67")
    assert by_key["2 not about history", "symbol", "keywords"][3].startswith(".50")
    assert by_key["2 not about history", "path", "keywords"][4].startswith("1.0")


def test_blocks_are_replaced_and_everything_else_stays() -> None:
    once = updated(PAGE, [quality("gin")])
    assert once.startswith("# Quality\n\nWhat is measured, by hand.\n")
    assert "More by hand.\n" in once
    assert set(blocks(once)) == {"summary", "gin"}
    assert updated(once, [quality("gin")]) == once


def test_a_cause_that_somebody_wrote_is_kept() -> None:
    once = updated(PAGE, [quality()])
    line = next(line for line in once.splitlines() if line.startswith("| c1"))
    told = line.removesuffix("|").rstrip() + " the caller is found, not the callee |"
    again = updated(once.replace(line, told), [quality()])
    assert causes(blocks(again)["gin"]) == {"c1": "the caller is found, not the callee"}


def test_corpora_that_were_not_measured_now_keep_their_blocks_and_lines() -> None:
    both = updated(PAGE, [quality("gin"), quality("hono", others={"keywords": report(case(0, 1), case(1, 2))})])
    again = updated(both, [quality("gin", worse=1)])
    assert blocks(again)["hono"] == blocks(both)["hono"]
    assert blocks(again)["hono/others"] == blocks(both)["hono/others"]
    rows = [line.split("|")[1].strip() for line in blocks(again)["summary"].splitlines() if "[" in line]
    assert rows == ["gin"] * 3 + ["hono"] * 3


def test_a_page_that_does_not_exist_begins_with_a_title() -> None:
    assert updated("", [quality()]).startswith("# ")


def test_what_is_printed_is_what_the_page_gets() -> None:
    assert blocks(updated("", [quality()]))["gin"] == corpus_block(quality(), {})


@given(st.lists(st.lists(st.text(max_size=8), min_size=2, max_size=2), max_size=4))
def test_no_text_breaks_a_table(rows: list[list[str]]) -> None:
    lines = markdown_table(["one", "two"], rows).splitlines()
    assert len(lines) == len(rows) + 2
    assert len({len(line) for line in lines}) == 1
    assert all(line.replace("\\|", "").count("|") == 3 for line in lines)


@given(st.dictionaries(st.sampled_from(["summary", "gin", "a/others"]), st.just("\nbody\n\n"), max_size=3))
def test_blocks_are_found_where_they_were_put(new: dict[str, str]) -> None:
    assert blocks(with_blocks(PAGE, new)) == {"summary": "", **new}
