"""From nothing to a first gated run, candidates from a folder, and metrics over the commits of a repository."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gitcontext_pipeline.evaluation.cases import read_cases
from tests.cli.conftest import Command
from tests.evaluation.builders import write_lines
from tests.repositories import Repository
from tests.sample import sample_repository

GENERATED_FIELDS = {"_source", "_confidence", "_flags", "_review"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Path) -> Repository:
    """The sample repository, in which one stands."""
    repository = sample_repository(tmp_path / "project")
    monkeypatch.chdir(repository.path)
    return repository


def test_from_nothing_to_a_gated_run(gitcontext: Command, project: Repository) -> None:
    first = gitcontext("eval", "init", "--count", 12)
    assert first.exit_code == 0, first.output
    assert "gate: pass" in first.output
    assert first.output.splitlines()[-1] == "  gitcontext eval freeze --note 'first measurement'"
    here = project.path
    assert {"gitcontext.toml", "starter_retriever.py"} <= {path.name for path in here.iterdir()}
    assert 0 < len(read_cases(here / "evals" / "golden.jsonl").cases) <= 12
    assert (here / "evals" / ".gitignore").read_text() == "report.json\n"

    assert gitcontext("eval", "freeze", "--note", "first measurement").exit_code == 0
    again = gitcontext("eval", "init")
    assert again.exit_code == 0
    assert again.output.splitlines()[-1] == "  gitcontext eval gate"


def test_init_overwrites_nothing(gitcontext: Command, project: Repository) -> None:
    golden = write_lines(
        project.path / "mine.jsonl", {"query": "how long to wait", "gold": [{"path": "retry.py"}], "kind": "code"}
    )
    before = golden.read_bytes()
    result = gitcontext("eval", "init", "--golden", golden)
    assert result.exit_code == 0, result.output
    assert golden.read_bytes() == before
    settings = (project.path / "gitcontext.toml").read_bytes()
    (project.path / "starter_retriever.py").write_text("def retrieve(query, top, scope):\n    return []\n")
    told = gitcontext("eval", "init", "--retriever", "other:thing")
    assert told.exit_code == 0
    assert "gitcontext.toml is there already and stays as it is: --retriever has no effect" in told.output
    assert (project.path / "gitcontext.toml").read_bytes() == settings
    assert "return []" in (project.path / "starter_retriever.py").read_text()


def test_init_tells_programs_too(gitcontext: Command, project: Repository) -> None:
    told = json.loads(gitcontext("eval", "init", "--count", 4, "--json").stdout)
    assert (told["outcome"], told["exit_code"]) == ("pass", 0)
    assert told["next"] == "gitcontext eval freeze --note 'first measurement'"
    assert Path(told["report"]).is_file()


def test_init_with_a_retriever_of_ones_own(gitcontext: Command, project: Repository) -> None:
    (project.path / "my_search.py").write_text("def find(query, top, scope):\n    return [{'path': 'retry.py'}]\n")
    result = gitcontext("eval", "init", "-r", "my_search:find")
    assert result.exit_code == 0, result.output
    assert not (project.path / "starter_retriever.py").exists()
    assert 'retriever = "my_search:find"' in (project.path / "gitcontext.toml").read_text()


def test_init_writes_nothing_for_a_retriever_that_is_misspelt(gitcontext: Command, project: Repository) -> None:
    (project.path / "my_search.py").write_text("def find(query, top, scope):\n    return [{'path': 'retry.py'}]\n")
    result = gitcontext("eval", "init", "-r", "my_search:fnd")
    assert result.exit_code == 2
    assert "there is no 'fnd'" in result.output
    assert not (project.path / "gitcontext.toml").exists()
    assert not (project.path / "evals").exists()


def test_a_baseline_below_which_nothing_can_fall_is_told(gitcontext: Command, project: Repository) -> None:
    (project.path / "my_search.py").write_text("def find(query, top, scope):\n    return [{'path': 'nowhere.py'}]\n")
    first = gitcontext("eval", "init", "-r", "my_search:find", "--history", 0)
    assert "--granularity file" in first.output
    frozen = gitcontext("eval", "freeze", "--note", "first")
    assert frozen.exit_code == 0
    assert "nothing can fall below this baseline" in frozen.output


def test_candidates_come_from_the_files_and_from_the_history(gitcontext: Command, project: Repository) -> None:
    result = gitcontext("eval", "generate", "--count", 20)
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in (project.path / "candidates.jsonl").read_text().splitlines()]
    assert all(set(line) >= GENERATED_FIELDS for line in lines)
    assert {"doc comment", "symbol", "heading", "history"} == {line["_source"] for line in lines}
    assert "Exponential backoff between attempts" in {line["query"] for line in lines}
    refused = gitcontext("eval", "generate")
    assert refused.exit_code == 2
    assert "may have been reviewed" in refused.output


def test_what_a_set_asks_already_is_not_proposed_again(gitcontext: Command, project: Repository) -> None:
    gitcontext("eval", "generate", "--count", 3, "-o", "first.jsonl")
    told = json.loads(gitcontext("eval", "generate", "--existing", "first.jsonl", "-o", "more.jsonl", "--json").stdout)
    first = {gold.name for case in read_cases(Path("first.jsonl")).cases for gold in case.gold}
    more = {gold.name for case in read_cases(Path("more.jsonl")).cases for gold in case.gold}
    assert more
    assert not first & more
    assert any("existing set" in rejected["reason"] for rejected in told["rejected"])


def test_a_folder_without_git_is_enough(gitcontext: Command, here: Path) -> None:
    (here / "a.py").write_text('def parse_header_line(text):\n    """Split a header line into its name and value."""\n')
    (here / ".hidden.py").write_text("def never_looked_at_this():\n    pass\n")
    assert gitcontext("eval", "generate").exit_code == 0
    assert {gold.path for case in read_cases("candidates.jsonl").cases for gold in case.gold} == {"a.py"}


def test_a_folder_with_nothing_to_ask_says_so(gitcontext: Command, here: Path) -> None:
    assert gitcontext("eval", "generate").exit_code == 2
    (here / "notes.txt").write_text("nothing\n")
    result = gitcontext("eval", "generate")
    assert result.exit_code == 3
    assert "nothing to ask was found" in result.output


def test_a_model_is_asked_where_the_option_says(gitcontext: Command, here: Path) -> None:
    (here / "a.py").write_text('def parse_header_line(text):\n    """Split a header line into its name and value."""\n')
    url = urlsplit("http://127.0.0.1:9/v1")
    result = gitcontext("eval", "generate", "--llm", "tiny", "--llm-url", url.geturl())
    assert result.exit_code == 0
    assert "not paraphrased: the endpoint failed" in (here / "candidates.jsonl").read_text()
    assert gitcontext("eval", "generate", "--llm", "tiny", "-o", "b.jsonl").exit_code == 2


def test_the_last_commits_are_measured_with_todays_golden_set(gitcontext: Command, tmp_path: Path, here: Path) -> None:
    retriever = "def retrieve(query, top, scope):\n    return [{{'path': {path!r}}}]\n"
    repository = Repository(tmp_path / "retriever")
    repository.commit("Finds it", {"tools/my_search.py": retriever.format(path="a.py")})
    repository.commit("Finds another", {"tools/my_search.py": retriever.format(path="b.py")})
    repository.commit("Broken", {"tools/my_search.py": "def retrieve(:\n"})
    golden = write_lines(here / "golden.jsonl", {"query": "where", "gold": [{"path": "a.py"}]})
    arguments = (repository.path / "tools", "-r", "my_search:retrieve", "-g", golden, "-o", "plots", "--commits", 3)
    result = gitcontext("eval", "history", *arguments)
    assert result.exit_code == 0, result.output
    assert Path("plots/history.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in Path("plots/history.svg").read_text()
    points = json.loads(Path("plots/history.json").read_text())
    assert [point["metrics"].get("hit@1") for point in points] == [1.0, 0.0, None]
    assert "SyntaxError" in points[2]["failure"]
    assert repository.git("status", "--porcelain") == ""
