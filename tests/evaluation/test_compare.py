from __future__ import annotations

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.compare import as_markdown, compare
from gitcontext_pipeline.evaluation.report import RunSettings
from tests.evaluation.builders import report_of


def test_contenders_are_held_against_the_first() -> None:
    table = compare({"bm25": report_of([1, None, 3, 4] * 5), "hybrid": report_of([1, 2, 3, 4] * 5)})
    first, second = table.contenders
    assert (first.name, first.differences, first.mcnemar_p) == ("bm25", None, None)
    assert second.differences is not None
    moved = second.differences["hit@5"]
    assert moved.pp == 25.0
    assert 0 < moved.low_pp < 25 < moved.high_pp
    assert second.differences["hit@1"].model_dump() == {"pp": 0.0, "low_pp": 0.0, "high_pp": 0.0}
    assert second.gained == ["c1", "c5", "c9", "c13", "c17"]
    assert second.mcnemar_p == 0.0625


def test_the_table_is_markdown() -> None:
    text = as_markdown(compare({"a|b": report_of([1, 2]), "c": report_of([1, 1])}))
    header, rule, *rows = text.splitlines()
    assert header.count("|") == rule.count("|") == rows[0].count("|") == rows[1].count("|")
    assert "1.000 [" in rows[0]
    assert "<br>+50.0 [" in rows[1]


def test_different_cases_or_settings_are_not_put_in_one_table() -> None:
    with pytest.raises(UsageError, match="same cases"):
        compare({"a": report_of([1, 2]), "b": report_of([1])})
    with pytest.raises(UsageError, match="different settings"):
        compare({"a": report_of([1]), "b": report_of([1], settings=RunSettings(top=10, use_scope=True))})
    with pytest.raises(UsageError, match="nothing to compare"):
        compare({})
