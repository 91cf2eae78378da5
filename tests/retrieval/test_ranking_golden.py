"""Where each expected result ranks, on a pinned release and on the sample repository, kept in a file under version
control: any change of the ranking is a diff that can be read.

The lexical ranks hold everywhere. Those with vectors hold on processors whose int8 instructions the file was written
with; elsewhere the model's arithmetic rounds otherwise, and only their drift is bounded.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.index.embedder import load_embedder
from gitcontext_pipeline.state import State
from tests.retrieval import ranking
from tests.retrieval.ranking import Line

FILE = Path(__file__).with_name("ranking.golden.txt")
WRITE = "GITCONTEXT_WRITE_RANKING"
COMMAND = f"{WRITE}=1 pytest {FILE.parent.parent.name}/{FILE.parent.name}/{Path(__file__).name}"
MEAN_DRIFT = 0.08
CROSSINGS = 0.1
"""As a share of the lines: how many results may enter or leave the first five under other arithmetic."""


def measured(release: State, sample: State) -> tuple[dict[str, str], list[Line]]:
    """The header and the lines as they are now."""
    _, lines = ranking.read(FILE)
    retrievers = {
        "requests": open_corpus("requests", state=release.root).retriever,
        "sample": open_corpus("sample", state=sample.root).retriever,
    }
    model = retrievers["requests"].manifest["embedding_model"]
    header = {
        "Written by": COMMAND,
        "instructions": next(folder.name for folder in release.models.glob(f"{model}-*")).rpartition("-")[2],
        "model": load_embedder(model, release.models).digest,
        "requests": retrievers["requests"].revision,
        "columns": f"rank without vectors, rank, corpus, expected <- question (first {ranking.DEPTH}; - for none)",
    }
    return header, [ranking.ranked(retrievers[line.corpus], line) for line in lines]


def test_every_expected_result_ranks_where_the_file_says(release: State, indexed_sample: State) -> None:
    header, now = measured(release, indexed_sample)
    before, then = ranking.read(FILE)
    if os.environ.get(WRITE):
        FILE.write_text(ranking.written(header, now), encoding="utf-8")
        return
    if header["requests"] != before["requests"]:
        pytest.skip(f"another revision could be reached: {header['requests']}; the file is of {before['requests']}")
    exact = all(header[name] == before[name] for name in ("instructions", "model"))
    told = _difference(then, now if exact else [_with_hybrid_of(old, new) for old, new in zip(then, now, strict=True)])
    assert not told, f"the ranking has changed; if it is for the better: {COMMAND}\n{told}"
    if not exact:
        mean, crossed = ranking.drift([line.hybrid for line in then], [line.hybrid for line in now])
        assert mean <= MEAN_DRIFT, _difference(then, now)
        assert crossed <= CROSSINGS * len(then), _difference(then, now)


def test_a_change_of_the_ranking_reads_as_a_diff_of_lines() -> None:
    old = Line("sample", "retry.py#backoff_delay", "How long?", 1, 1)
    new = Line("sample", "retry.py#backoff_delay", "How long?", 1, 4)
    told = _difference([old], [new]).splitlines()
    assert [line for line in told if line.startswith(("-", "+"))][-2:] == [f"-{old}", f"+{new}"]
    assert _difference([old], [old]) == ""


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lines = [Line("requests", "src/a.py#A.b", "Where <- is it?", None, 3), Line("sample", "pr:7", "Why?", 12, None)]
    path = tmp_path / "ranking.txt"
    path.write_text(ranking.written({"model": "x"}, lines), encoding="utf-8")
    assert ranking.read(path) == ({"model": "x"}, lines)


def test_drift_counts_reciprocal_ranks_and_crossings_of_the_fifth_place() -> None:
    assert ranking.drift([1, 5, None], [1, 6, None]) == (pytest.approx((1 / 5 - 1 / 6) / 3), 1)
    assert ranking.drift([1, 2], [1, 2]) == (0.0, 0)


def _with_hybrid_of(old: Line, new: Line) -> Line:
    return Line(new.corpus, new.expected, new.question, new.lexical, old.hybrid)


def _difference(before: list[Line], after: list[Line]) -> str:
    return "\n".join(difflib.unified_diff([*map(str, before)], [*map(str, after)], "file", "now", n=0, lineterm=""))
