from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.retrieval.copies import fold_copies
from gitcontext_pipeline.retrieval.result import Result

BODY = "def close(self): release the pooled connection and wait until every reader has let go of it"


def result(number: int, symbol: str, text: str) -> Result:
    return Result(
        id=f"{number:016x}",
        kind="code",
        path=f"pkg/{number}.py",
        role="main",
        language="python",
        symbol=symbol,
        symbol_kind="function",
        signature="",
        start_line=1,
        end_line=3,
        revision="a" * 40,
        url=f"https://example.org/{number}",
        commit=None,
        pr=None,
        author=None,
        date=None,
        text=text,
        score=1.0 - number / 100,
    )


def test_copies_are_listed_under_the_best_of_them() -> None:
    found = fold_copies([result(0, "A.close", BODY), result(1, "open", "def open(): pass"), result(2, "B.close", BODY)])
    assert [each.symbol for each in found] == ["A.close", "open"]
    assert found[0].copies == ("https://example.org/2",)
    assert found[1].copies == ()


def test_a_word_more_or_less_is_still_a_copy() -> None:
    assert len(fold_copies([result(0, "A.close", BODY), result(1, "B.close", BODY + " again")])) == 1


def test_the_same_text_under_another_name_is_not_a_copy() -> None:
    assert len(fold_copies([result(0, "A.close", BODY), result(1, "A.shut", BODY)])) == 2


def test_a_text_that_says_something_else_is_not_a_copy() -> None:
    other = BODY.replace("release the pooled connection", "raise an error about a broken pipe")
    assert len(fold_copies([result(0, "A.close", BODY), result(1, "B.close", other)])) == 2


def test_texts_without_words_are_not_copies_of_each_other() -> None:
    assert len(fold_copies([result(0, "A.close", "{}"), result(1, "B.close", "{}")])) == 2


texts = st.lists(st.sampled_from([BODY, BODY + " again", "def run(): start the thing", "x y z", "", "{}"]), max_size=8)


@given(texts, st.data())
def test_nothing_is_lost_and_the_order_stays(bodies: list[str], data: st.DataObject) -> None:
    names = [data.draw(st.sampled_from(["A.run", "B.run", "run", "close"])) for _ in bodies]
    results = [result(n, name, body) for n, (name, body) in enumerate(zip(names, bodies, strict=True))]
    found = fold_copies(results)
    assert sorted([each.url for each in found] + [url for each in found for url in each.copies]) == sorted(
        each.url for each in results
    )
    kept = [each.id for each in found]
    assert kept == [each.id for each in results if each.id in kept]
    assert fold_copies(found) == found
