from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.abstention import (
    ABSENT,
    SORTS,
    SPARED,
    Judged,
    Learned,
    Sort,
    elsewhere,
    flagged,
    learn,
    together,
)


def judged(corpus: str = "one", seed: int = 0, count: int = 50, **about: float) -> list[Judged]:
    """Questions of three sorts: `found` is high where there is an answer, `noise` says nothing."""
    drawn = np.random.default_rng(seed)
    level: dict[Sort, float] = {"golden": 2.0, "mined": 3.0, "foreign golden": -2.0}
    return [
        Judged(
            corpus, sort, f"{sort} {n}", {"found": drawn.normal(about.get("shift", 0) + mean), "noise": drawn.normal()}
        )
        for sort, mean in level.items()
        for n in range(count)
    ]


def share(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1]


def test_signs_that_tell_the_sorts_apart_are_learned_and_noise_is_not() -> None:
    learned = learn(judged())
    assert learned.weights["found"] > 5 * abs(learned.weights["noise"])
    counts = flagged(judged(seed=1), learned.weighed, learned.line)
    assert share(counts["foreign golden"]) > 0.9
    assert share(counts["golden"]) < 0.2
    assert share(counts["mined"]) < 0.1


@pytest.mark.parametrize("count", [13, 25, 100])
def test_the_line_flags_no_more_of_the_golden_questions_than_is_allowed(count: int) -> None:
    questions = judged(count=count)
    learned = learn(questions)
    below, whole = flagged(questions, learned.weighed, learned.line)["golden"]
    assert whole == count
    assert below <= SPARED * count + 1
    assert below >= 1  # no lower than it has to be, or less would be flagged elsewhere


@hypothesis_settings(max_examples=25)
@given(st.floats(0.1, 50), st.floats(-30, 30))
def test_the_unit_of_a_sign_does_not_matter(scale: float, shift: float) -> None:
    questions = judged(count=20)
    moved = [replace(one, signs={**one.signs, "found": one.signs["found"] * scale + shift}) for one in questions]
    learned, other = learn(questions), learn(moved)
    before = np.asarray([learned.weighed(one.signs) for one in questions])
    after = np.asarray([other.weighed(one.signs) for one in moved])
    np.testing.assert_allclose(before, after, atol=0.1)  # what rounding of the weights leaves


def test_the_order_of_the_questions_does_not_matter() -> None:
    questions = judged()
    assert learn(questions[::-1]) == learn(questions)


def test_a_sort_counts_as_a_whole_however_many_questions_it_has() -> None:
    questions = judged()
    more = questions + [one for one in questions if one.sort == "foreign golden"] * 3
    even, still_even = (-learned.bias / learned.weights["found"] for learned in (learn(questions), learn(more)))
    assert still_even == pytest.approx(even, abs=0.15)


def test_questions_that_quote_the_corpus_teach_nothing() -> None:
    questions = judged()
    without = [one for one in questions if one.sort != "mined"]
    assert learn(questions) == learn(without)


def test_each_corpus_is_judged_by_what_the_others_taught() -> None:
    one, other = judged("one"), judged("other", seed=1, shift=5.0)
    found = elsewhere([*one, *other])
    assert list(found) == ["one", "other"]
    learned = learn(other)
    assert found["one"] == flagged(one, learned.weighed, learned.line)
    assert share(found["one"]["golden"]) > 0.9  # the line of a corpus whose signs are all higher
    learned = learn(one)
    assert found["other"] == flagged(other, learned.weighed, learned.line)


def test_its_own_questions_change_nothing_about_how_they_are_judged() -> None:
    one, other = judged("one"), judged("other", seed=1)
    kept = [*one[:40], *one[90:], *other]
    golden = elsewhere([*one, *other])["one"]["foreign golden"]
    assert elsewhere(kept)["one"]["foreign golden"] == golden


COUNTED = st.lists(st.tuples(st.sampled_from(SORTS), st.floats(-5, 5)))


@given(COUNTED, st.floats(-5, 5))
def test_what_is_flagged_fell_below_the_line_and_every_question_is_counted(
    found: Sequence[tuple[Sort, float]], line: float
) -> None:
    questions = [Judged("one", sort, "q", {"at": at}) for sort, at in found]
    counts = flagged(questions, lambda signs: signs["at"], line)
    for sort in SORTS:
        values = [at for each, at in found if each == sort]
        assert counts.get(sort) == ((sum(at < line for at in values), len(values)) if values else None)
    assert together(counts, SORTS) == (sum(at < line for _, at in found), len(found))
    assert list(counts) == [sort for sort in SORTS if sort in counts]


def test_counts_of_several_sorts_add_up_and_those_not_asked_are_none() -> None:
    counts: dict[Sort, tuple[int, int]] = {"golden": (1, 9), "unanswerable": (2, 3), "foreign mined": (4, 5)}
    assert together(counts, ABSENT) == (6, 8)
    assert together({}, ABSENT) == (0, 0)


@pytest.mark.parametrize("sorts", [set(), {"golden"}, {"golden", "mined"}, {"foreign golden"}])
def test_nothing_is_learned_from_one_side_alone(sorts: set[Sort]) -> None:
    some = [one for one in judged() if one.sort in sorts]
    with pytest.raises(UsageError):
        learn(some)
    assert elsewhere([*some, *judged("two")]).keys() == ({"one"} if some else set())


def test_what_was_learned_is_weighed_by_name() -> None:
    assert Learned({"a": 2.0, "b": -1.0}, 0.5, 0.0).weighed({"b": 1.0, "a": 3.0, "c": 9.0}) == 5.5
