"""`gitcontext eval confidence` over the sample repository and another small one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.cli.workspaces import workspace_of
from gitcontext_pipeline.evaluation.abstention import Judged
from gitcontext_pipeline.evaluation.quality_page import blocks
from gitcontext_pipeline.retrieval.confidence import SIGNS
from gitcontext_pipeline.state import STATE_VARIABLE, State
from gitcontext_pipeline.steps.confidence import judge_corpora
from gitcontext_pipeline.steps.quality_table import newest
from tests.repositories import Repository

WALLET = '''def open_wallet(owner: str) -> dict[str, str]:
    """Open the wallet of an owner who has shown a passport."""
    return {"owner": owner}


def count_coins(wallet: dict[str, str]) -> int:
    """Count the coins in a wallet, gold ones twice."""
    return len(wallet)
'''
IN_BOTH = "Every call may take ten seconds"
"""A question of the wallet's golden set that stands in the sample's guide word for word."""
NOT_THERE = "Which coins are forged?"


def confidence(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["eval", "confidence", *(str(argument) for argument in arguments)])


@pytest.fixture(scope="module")
def both(indexed_sample: State, tmp_path_factory: pytest.TempPathFactory) -> State:
    """The sample repository and another, each with a golden set; the other has a question without an answer."""
    directory = tmp_path_factory.mktemp("both")
    repository = Repository(directory / "wallet")
    repository.commit("Wallets", {"wallet.py": WALLET, "README.md": "# Wallets\n\nOpen one, and count its coins.\n"})
    golden = directory / "evals" / "golden.jsonl"
    golden.parent.mkdir()
    gold = [{"path": "wallet.py", "symbol": "count_coins"}]
    asked = [{"query": query, "gold": gold} for query in ("How are gold coins counted?", IN_BOTH)]
    golden.write_text("".join(json.dumps(case) + "\n" for case in asked))
    absent = {"query": NOT_THERE, "why_absent": "Nothing looks at coins that closely."}
    golden.with_name("unanswerable.jsonl").write_text(json.dumps(absent) + "\n")
    state = State(directory / "state")
    state.root.mkdir()
    state.models.symlink_to(indexed_sample.models, target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STATE_VARIABLE, str(state.root))
        options = ["--name", "wallet", "--golden-set", str(golden)]
        result = CliRunner().invoke(app, ["index", str(repository.path), *options])
    assert result.exit_code == 0, result.output
    (state.root / "corpora" / "sample").symlink_to(indexed_sample.root / "corpora" / "sample")
    return state


@pytest.fixture(scope="module")
def judged(both: State) -> Iterator[list[Judged]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STATE_VARIABLE, str(both.root))
        chosen = [(workspace, newest(workspace)) for workspace in map(workspace_of, ("sample", "wallet"))]
        yield judge_corpora(chosen)


@pytest.fixture
def state_of_both(both: State, monkeypatch: pytest.MonkeyPatch) -> State:
    monkeypatch.setenv(STATE_VARIABLE, str(both.root))
    return both


def of(judged: list[Judged], corpus: str, sort: str) -> list[str]:
    return [one.question for one in judged if (one.corpus, one.sort) == (corpus, sort)]


def test_each_corpus_is_asked_its_own_questions_and_those_of_the_other(judged: list[Judged]) -> None:
    assert len(of(judged, "sample", "golden")) == 7
    assert of(judged, "wallet", "golden") == ["How are gold coins counted?", IN_BOTH]
    assert of(judged, "wallet", "unanswerable") == [NOT_THERE]
    assert of(judged, "sample", "unanswerable") == []
    assert set(of(judged, "sample", "golden")) == set(of(judged, "wallet", "foreign golden"))
    assert "open_wallet" in of(judged, "sample", "foreign name") or "open wallet" in of(
        judged, "sample", "foreign name"
    )
    assert of(judged, "sample", "mined") != []
    assert all(set(one.signs) == set(SIGNS) for one in judged)


def test_a_question_that_stands_in_a_corpus_word_for_word_is_not_foreign_to_it(judged: list[Judged]) -> None:
    assert of(judged, "sample", "foreign golden") == ["How are gold coins counted?"]


def test_confidence_of_an_answer_is_made_of_the_same_signs(judged: list[Judged], both: State) -> None:
    corpus = open_corpus("wallet", state=both.root)
    (signs,) = (one.signs for one in judged if one.question == "How are gold coins counted?" and one.corpus == "wallet")
    assert signs == corpus.retriever.signs(
        "How are gold coins counted?", corpus.ask("How are gold coins counted?").evidence
    )


def test_it_prints_a_line_a_corpus_and_one_for_what_the_other_taught(state_of_both: State) -> None:
    result = confidence()
    assert result.exit_code == 0, result.output
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in result.stdout.splitlines() if line[:1] == "|"]
    assert rows[0][:4] == ["corpus", "weights", "golden", "mined"]
    assert [row[:2] for row in rows[2:]] == [
        ["sample", "in force"],
        ["", "learned elsewhere"],
        ["wallet", "in force"],
        ["", "learned elsewhere"],
    ]
    assert rows[2][2].endswith(" of 7")
    assert rows[2][rows[0].index("unanswerable")] == "-"


def test_one_corpus_alone_has_nothing_foreign_and_nobody_to_learn_from(state_of_both: State) -> None:
    result = confidence("wallet", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert set(told["in_force"]["wallet"]) <= {"golden", "mined", "name", "unanswerable"}
    assert told["in_force"]["wallet"]["unanswerable"] == [1, 1]
    assert told["learned_elsewhere"] == {}
    assert told["learned"] is None


def test_what_is_learned_is_told_to_people_and_programs(state_of_both: State) -> None:
    told = json.loads(confidence("--learn", "--json").stdout)
    assert set(told["learned"]["weights"]) == set(SIGNS)
    printed = confidence("--learn").stdout
    assert f"bias {told['learned']['bias']}, line {told['learned']['line']}" in printed
    assert all(f"{name:<10} {weight:>8}" in printed for name, weight in told["learned"]["weights"].items())


def test_only_the_marked_block_of_a_page_is_written(state_of_both: State, tmp_path: Path) -> None:
    page = tmp_path / "quality.md"
    page.write_text("# Quality\n\n<!-- quality:confidence -->\nold\n<!-- /quality:confidence -->\n\nBy hand.\n")
    result = confidence("--write", page)
    assert result.exit_code == 0, result.output
    written = page.read_text()
    assert written.startswith("# Quality\n\n<!-- quality:confidence -->\n\n| corpus")
    assert written.endswith("|\n\n<!-- /quality:confidence -->\n\nBy hand.\n")
    assert blocks(written)["confidence"].strip() == result.stdout.strip()


def test_a_page_without_the_block_gains_it(state_of_both: State, tmp_path: Path) -> None:
    page = tmp_path / "new.md"
    assert confidence("wallet", "--write", page).exit_code == 0
    assert set(blocks(page.read_text())) == {"confidence"}


def test_nothing_indexed_and_no_such_corpus(state: State) -> None:
    assert confidence().exit_code == 2
    assert confidence("nowhere").exit_code == 2
