from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.measures import METRICS
from gitcontext_pipeline.evaluation.report import Report
from gitcontext_pipeline.evaluation.run import evaluate
from gitcontext_pipeline.evaluation.trec import ranked, read_qrels, read_run, write_qrels, write_run
from tests.evaluation.builders import case_set


def measured() -> Report:
    """Forty cases of one to four gold entries, and rows that answer, repeat and miss: drawn once, always the same."""
    chance = random.Random(7)
    cases: list[dict[str, Any]] = []
    rows: dict[str, list[dict[str, Any]]] = {}
    for number in range(40):
        gold = [{"path": f"dir {number}/f{i}.py", "symbol": f"S.m{i}"} for i in range(chance.randint(1, 4))]
        cases.append({"id": f"case {number}", "query": f"q{number}", "gold": gold})
        pool = [*gold, *gold, *({"path": f"x{i}.py"} for i in range(8))]
        rows[f"q{number}"] = [] if number % 9 == 0 else chance.sample(pool, 10)

    def retrieve(query: str, top: int, scope: str | None, /) -> list[dict[str, Any]]:
        if query == "q5":
            raise OSError("gone")
        return rows[query]

    return evaluate(retrieve, case_set(*cases))


@pytest.fixture(scope="module")
def report() -> Report:
    return measured()


@pytest.fixture
def files(report: Report, tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "golden.qrels", tmp_path / "retriever.run"
    write_qrels(qrels, report.cases)
    write_run(run, report.cases, tag="my retriever")
    return qrels, run


def test_ir_measures_agrees_on_the_files(report: Report, files: tuple[Path, Path]) -> None:
    qrels = list(ir_measures.read_trec_qrels(str(files[0])))
    run = list(ir_measures.read_trec_run(str(files[1])))
    found = ir_measures.calc_aggregate([ir_measures.parse_measure(metric.measure) for metric in METRICS], qrels, run)
    for metric in METRICS:
        value = found[ir_measures.parse_measure(metric.measure)]
        assert value == pytest.approx(report.metrics[metric.key].value, abs=1e-6), metric.name


def test_trec_eval_agrees_on_the_files(report: Report, files: tuple[Path, Path]) -> None:
    import pytrec_eval

    names = {"hit@5": "success_5", "recall@5": "recall_5", "mrr": "recip_rank", "ndcg@10": "ndcg_cut_10"}
    with files[0].open() as qrels, files[1].open() as run:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(qrels), {"success", "recall", "recip_rank", "ndcg_cut"}
        )
        values = evaluator.evaluate(pytrec_eval.parse_run(run))
    for key, name in names.items():
        mean = sum(of[name] for of in values.values()) / len(report.cases)
        assert mean == pytest.approx(report.metrics[key].value, abs=1e-6), name


def test_ranx_agrees_on_the_files_where_it_is_installed(report: Report, files: tuple[Path, Path]) -> None:
    ranx = pytest.importorskip("ranx")
    run = ranx.Run.from_file(str(files[1]), kind="trec")
    qrels = ranx.Qrels.from_file(str(files[0]), kind="trec")
    names = {"hit@5": "hit_rate@5", "recall@5": "recall@5", "mrr": "mrr", "ndcg@10": "ndcg@10"}
    found = ranx.evaluate(qrels, run, list(names.values()), make_comparable=True)
    for key, name in names.items():
        assert float(found[name]) == pytest.approx(report.metrics[key].value, abs=1e-6), name


def test_the_files_are_read_back(report: Report, files: tuple[Path, Path]) -> None:
    qrels, run = read_qrels(files[0]), read_run(files[1])
    assert len(qrels) == 40
    assert all(set(of.values()) == {1} for of in qrels.values())
    for case in report.cases:
        name = case.id.replace(" ", "%20")
        order = ranked(run, name)
        assert len(order) == len(case.rows)
        assert [place for place, document in enumerate(order, 1) if document in qrels[name]] == case.ranks


def test_names_hold_no_blanks_and_can_be_read(files: tuple[Path, Path]) -> None:
    first = files[0].read_text().splitlines()[0]
    assert first == "case%200 0 gold1:dir%200/f0.py#S.m0 1"
    assert all(line.endswith(" my%20retriever") for line in files[1].read_text().splitlines())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q Q0 d 1 high tag", "not a number"),
        ("q Q0 d 1 nan tag", "NaN"),
        ("q Q0 d 1 2.0", "5 fields, not 6"),
        ("q Q0 d 1 2.0 t\nq Q0 d 2 1.0 t", "ranked twice"),
    ],
)
def test_a_malformed_run_is_refused_by_line(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "bad.run").write_text(f"q Q0 first 1 3 t\n\n{line}\n")
    with pytest.raises(UsageError, match=said) as caught:
        read_run(tmp_path / "bad.run")
    assert str(caught.value.where).rsplit(":", 1)[-1] in {"3", "4"}


def test_malformed_qrels_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.qrels").write_text("q 0 d yes\n")
    with pytest.raises(UsageError, match="whole number"):
        read_qrels(tmp_path / "bad.qrels")
    with pytest.raises(UsageError, match="cannot be read"):
        read_qrels(tmp_path / "absent")
