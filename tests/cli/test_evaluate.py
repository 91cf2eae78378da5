"""`gitcontext eval` on retrievers that are not ours: what it says, what it writes, and how it ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import venv
from pathlib import Path
from shlex import join
from xml.etree import ElementTree

import pytest

from gitcontext_pipeline.evaluation.comparability import FREEZE, RERUN
from gitcontext_pipeline.evaluation.report import read_report, stable_content
from gitcontext_pipeline.evaluation.trec import read_qrels, read_run
from tests.cli.conftest import Command
from tests.evaluation.builders import write_lines

SEARCH = """
ANSWERS = {answers!r}


def retrieve(query, top, scope):
    return [{{"path": path}} for path in ANSWERS.get(query.split()[-1], [])][:top]
"""
QUESTIONS = [{"id": f"c{i}", "query": f"question {i}", "gold": [{"path": f"f{i}.py"}]} for i in range(20)]


def write_search(folder: Path, misses: int = 0, name: str = "my_search") -> None:
    """A retriever that answers all of QUESTIONS but the first few."""
    answers = {str(i): ["other.py"] if i < misses else [f"f{i}.py", "other.py"] for i in range(20)}
    (folder / f"{name}.py").write_text(SEARCH.format(answers=answers))


@pytest.fixture
def golden(here: Path) -> Path:
    (here / "evals").mkdir()
    write_search(here)
    return write_lines(here / "evals" / "golden.jsonl", *QUESTIONS)


def measured(gitcontext: Command, golden: Path, retriever: str = "my_search:retrieve", *more: object) -> Path:
    result = gitcontext("eval", "run", "-r", retriever, "-g", golden, *more)
    assert result.exit_code == 0, result.output
    return golden.parent / "report.json"


def edited(report: Path, **changes: object) -> Path:
    content = json.loads(report.read_text()) | changes
    path = report.with_name("edited.json")
    path.write_text(json.dumps(content))
    return path


def test_a_retriever_of_this_folder_is_measured_gated_and_frozen(gitcontext: Command, golden: Path) -> None:
    report = measured(gitcontext, golden)
    first = gitcontext("eval", "gate", report)
    assert first.exit_code == 0
    assert "no baseline is frozen" in first.output
    frozen = gitcontext("eval", "freeze", report, "--note", "first", "--by", "Ada")
    assert frozen.exit_code == 0
    assert "evals/baselines/unpinned.json" in frozen.output
    again = gitcontext("eval", "gate", report)
    assert again.exit_code == 0
    assert "gate: pass" in again.output


def test_a_regression_exits_1_and_names_the_lost_questions(gitcontext: Command, golden: Path, here: Path) -> None:
    gitcontext("eval", "freeze", measured(gitcontext, golden), "--note", "first")
    write_search(here, misses=2, name="worse_search")
    report = measured(gitcontext, golden, "worse_search:retrieve")
    files = here / "verdict.md", here / "verdict.xml"
    result = gitcontext("eval", "gate", report, "--markdown", files[0], "--junit", files[1])
    assert result.exit_code == 1
    assert "Hit@5 fell by 10.00 points" in result.output
    assert "question 0" in result.output
    assert "FELL" in result.output
    assert "regression" in files[0].read_text()
    assert int(ElementTree.parse(files[1]).getroot().attrib["failures"]) > 0
    told = json.loads(gitcontext("eval", "gate", report, "--json").stdout)
    assert (told["outcome"], told["exit_code"]) == ("regression", 1)
    assert [change["id"] for change in told["lost"]] == ["c0", "c1"]


def test_the_tolerance_is_exact_at_its_edge(gitcontext: Command, golden: Path, here: Path) -> None:
    gitcontext("eval", "freeze", measured(gitcontext, golden), "--note", "first")
    write_search(here, misses=1, name="worse_search")
    report = measured(gitcontext, golden, "worse_search:retrieve")
    assert gitcontext("eval", "gate", report).exit_code == 0
    assert gitcontext("eval", "gate", report, "--tolerance", "4.9999").exit_code == 1
    assert gitcontext("eval", "gate", report, "--must-hit", "c0").exit_code == 1
    assert gitcontext("eval", "gate", report, "--tolerance", "five").exit_code == 2


def test_an_improvement_passes_and_says_how_to_freeze_it(gitcontext: Command, golden: Path, here: Path) -> None:
    write_search(here, misses=5, name="worse_search")
    gitcontext("eval", "freeze", measured(gitcontext, golden, "worse_search:retrieve"), "--note", "first")
    result = gitcontext("eval", "gate", measured(gitcontext, golden))
    assert result.exit_code == 0
    assert "gate: improvement" in result.output
    assert FREEZE in result.output


def test_another_golden_set_is_refused_with_3(gitcontext: Command, golden: Path, here: Path) -> None:
    report = measured(gitcontext, golden)
    gitcontext("eval", "freeze", report, "--note", "first")
    write_lines(golden, *QUESTIONS[:10])
    result = gitcontext("eval", "gate", measured(gitcontext, golden))
    assert result.exit_code == 3
    assert "another golden set" in result.output
    assert FREEZE in result.output


def test_a_report_of_an_older_golden_set_is_stale(gitcontext: Command, golden: Path) -> None:
    report = measured(gitcontext, golden)
    gitcontext("eval", "freeze", report, "--note", "first")
    write_lines(golden, *QUESTIONS[:10])
    result = gitcontext("eval", "gate", report, "--golden", golden)
    assert result.exit_code == 3
    assert RERUN in result.output
    assert gitcontext("eval", "freeze", report, "--golden", golden, "--note", "again").exit_code == 3


def test_a_report_is_held_against_the_golden_set_beside_it_without_being_told(
    gitcontext: Command, golden: Path, here: Path
) -> None:
    report = measured(gitcontext, golden)
    assert gitcontext("eval", "gate", report).exit_code == 0
    write_lines(golden, *QUESTIONS[:10])
    result = gitcontext("eval", "gate", report)
    assert result.exit_code == 3
    assert "the report is of another dataset" in result.output
    assert gitcontext("eval", "freeze", report, "--note", "no").exit_code == 3


def test_a_report_whose_golden_set_is_nowhere_is_incomparable_until_it_is_named(
    gitcontext: Command, golden: Path, here: Path
) -> None:
    measured(gitcontext, golden, "my_search:retrieve", "--output", here / "elsewhere" / "report.json")
    report = here / "elsewhere" / "report.json"
    result = gitcontext("eval", "gate", report, "--markdown", here / "verdict.md")
    assert result.exit_code == 3
    assert "gate: incomparable" in result.output
    assert "--golden FILE" in result.output
    assert "golden.jsonl" in (here / "verdict.md").read_text()
    assert gitcontext("eval", "freeze", report, "--note", "no").exit_code == 3
    assert gitcontext("eval", "gate", report, "--golden", golden).exit_code == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"value": 1.0', '"value": NaN'),
        ('"high": 1.0', '"high": Infinity'),
        ('"schema_version": 1', '"schema_version": 2'),
    ],
)
def test_numbers_that_are_none_and_foreign_formats_are_errors_without_a_baseline(
    gitcontext: Command, golden: Path, old: str, new: str
) -> None:
    report = measured(gitcontext, golden)
    assert old in report.read_text()
    report.write_text(report.read_text().replace(old, new))
    result = gitcontext("eval", "gate", report)
    assert result.exit_code == 3
    assert "gate: error" in result.output


@pytest.mark.parametrize("tolerance", ["1e-9999999", "1e9999999", "1/0", "nan", "inf", "-1", "101", "5%", ""])
def test_an_absurd_tolerance_is_refused_at_once(gitcontext: Command, golden: Path, tolerance: str) -> None:
    assert gitcontext("eval", "gate", measured(gitcontext, golden), f"--tolerance={tolerance}").exit_code == 2


def test_without_a_report_the_gate_measures_what_there_is_now(gitcontext: Command, golden: Path, here: Path) -> None:
    (here / "gitcontext.toml").write_text(
        '[eval]\nretriever = "my_search:retrieve"\ngolden = "evals/golden.jsonl"\n[gate]\nmust_hit = ["c3"]\n'
    )
    assert gitcontext(*RERUN.split()[1:]).exit_code == 0
    assert gitcontext("eval", "freeze", "--note", "why").exit_code == 0
    (here / "gitcontext.toml").write_text(
        '[eval]\nretriever = "worse_search:retrieve"\ngolden = "evals/golden.jsonl"\n[gate]\nmust_hit = ["c3"]\n'
    )
    write_search(here, misses=4, name="worse_search")
    result = gitcontext("eval", "gate")
    assert result.exit_code == 1
    assert "c3 must hit within 5 rows" in result.output


@pytest.mark.parametrize(
    "broken",
    [
        {"cases": []},
        {"metrics": {}},
        {"errors": ["it broke"]},
        {"schema_version": 99},
        {"unheard_of": 1},
        {"settings": {"top": 5}},
    ],
)
def test_a_report_that_is_not_sound_never_passes(gitcontext: Command, golden: Path, broken: dict[str, object]) -> None:
    report = measured(gitcontext, golden)
    gitcontext("eval", "freeze", report, "--note", "first")
    path = edited(report, **broken)
    assert gitcontext("eval", "gate", path).exit_code == 3
    assert gitcontext("eval", "freeze", path, "--note", "no").exit_code == 3


def test_no_number_and_no_file_never_pass(gitcontext: Command, golden: Path, here: Path) -> None:
    report = measured(gitcontext, golden)
    gitcontext("eval", "freeze", report, "--note", "first")
    text = report.read_text().replace('"value": 1.0', '"value": NaN')
    (here / "nan.json").write_text(text)
    arguments = ("--baseline", golden.parent / "baselines" / "unpinned.json", "--markdown", here / "verdict.md")
    assert gitcontext("eval", "gate", here / "nan.json", *arguments).exit_code == 3
    assert gitcontext("eval", "gate", here / "missing.json", *arguments).exit_code == 3
    assert "error" in (here / "verdict.md").read_text()
    assert gitcontext("eval", "gate", report, "--baseline", here / "missing.json").exit_code == 3
    assert gitcontext("eval", "gate", report, "--baseline", here / "none", "--require-baseline").exit_code == 3


def test_a_baseline_of_another_revision_is_incomparable(gitcontext: Command, golden: Path) -> None:
    report = measured(gitcontext, golden, "my_search:retrieve", "--revision", "v1")
    gitcontext("eval", "freeze", report, "--note", "first")
    assert (golden.parent / "baselines" / "v1.json").is_file()
    moved = measured(gitcontext, golden, "my_search:retrieve", "--revision", "v2")
    result = gitcontext("eval", "gate", moved)
    assert result.exit_code == 3
    assert "another corpus revision: v2, the baseline has v1" in result.output


def test_a_setting_that_differs_names_the_option_that_exists(gitcontext: Command, golden: Path) -> None:
    gitcontext("eval", "freeze", measured(gitcontext, golden), "--note", "first")
    scoped = measured(gitcontext, golden, "my_search:retrieve", "--use-scope")
    result = gitcontext("eval", "gate", scoped)
    assert result.exit_code == 3
    assert f"{RERUN} --no-use-scope" in result.output
    assert "--no-use-scope" in gitcontext("eval", "run", "--help").output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no case"),
        ('{"query": "q"}\n', "golden.jsonl:1: has no gold"),
        ("not json\n", "golden.jsonl:1: not JSON"),
        ('\ufeff{"query": "q", "gold": [{"path": "a"}]}\n', "byte-order mark"),
    ],
)
def test_a_golden_set_that_cannot_be_read_exits_2(gitcontext: Command, golden: Path, text: str, said: str) -> None:
    golden.write_text(text, encoding="utf-8")
    result = gitcontext("eval", "run", "-r", "my_search:retrieve", "-g", golden)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    "body",
    ["raise ValueError('no')", "import sys; sys.exit(0)", "return None", "yield {}", "return [{'name': 'x'}]"],
)
def test_a_retriever_that_breaks_ends_with_3_and_says_why(
    gitcontext: Command, golden: Path, here: Path, body: str
) -> None:
    (here / "broken_search.py").write_text(f"def retrieve(query, top, scope):\n    {body}\n")
    result = gitcontext("eval", "run", "-r", "broken_search:retrieve", "-g", golden)
    assert result.exit_code == 3
    assert "not fit for comparison" in result.output
    assert "cases failed" in " ".join(result.output.split())


def test_a_retriever_that_hangs_costs_its_time_limit(gitcontext: Command, golden: Path, here: Path) -> None:
    (here / "slow_search.py").write_text("import time\ndef retrieve(query, top, scope):\n    time.sleep(60)\n")
    arguments = ("-r", "slow_search:retrieve", "-g", golden, "--seconds-per-query", "0.1")
    result = gitcontext("eval", "run", *arguments)
    assert result.exit_code == 3
    assert "did not answer within 0.1 s" in result.output


def test_questions_may_fail_up_to_the_share_that_is_allowed(gitcontext: Command, golden: Path, here: Path) -> None:
    (here / "odd_search.py").write_text(
        "def retrieve(query, top, scope):\n    return None if query.endswith('7') else [{'path': 'f1.py'}]\n"
    )
    arguments = ("eval", "run", "-r", "odd_search:retrieve", "-g", golden)
    assert gitcontext(*arguments).exit_code == 0  # 2 of 20 is a tenth
    assert gitcontext(*arguments, "--max-failed", "0.05").exit_code == 3
    assert gitcontext(*arguments, "--max-failed", "2").exit_code == 2


def test_gold_that_does_not_exist_is_an_error_unless_allowed(gitcontext: Command, golden: Path, here: Path) -> None:
    (here / "f1.py").write_text("x = 1\n")
    arguments = ("eval", "run", "-r", "my_search:retrieve", "-g", golden, "--files", here)
    assert gitcontext(*arguments).exit_code == 3
    assert gitcontext(*arguments, "--allow-impossible").exit_code == 0
    audited = gitcontext("eval", "audit", "-g", golden, "--files", here)
    assert audited.exit_code == 3
    assert "error: impossible: c0" in audited.output
    assert gitcontext("eval", "audit", "-g", golden).exit_code == 0


def test_trec_files_hold_what_was_measured(gitcontext: Command, golden: Path, here: Path) -> None:
    measured(gitcontext, golden, "my_search:retrieve", "--trec-run", here / "a.run", "--trec-qrels", here / "a.qrels")
    assert len(read_qrels(here / "a.qrels")) == len(read_run(here / "a.run")) == 20


def test_two_runs_differ_in_their_times_only(gitcontext: Command, golden: Path, here: Path) -> None:
    reports = []
    for name in ("one.json", "two.json"):
        measured(gitcontext, golden, "my_search:retrieve", "--output", here / name)
        report = read_report(here / name)
        reports.append(report.model_copy(update={"timing": reports[0].timing}) if reports else report)
    assert stable_content(reports[0]) == stable_content(reports[1])
    assert reports[0].to_json() == reports[1].to_json()


def test_a_diff_shows_what_moved_and_refuses_disjoint_sets(gitcontext: Command, golden: Path, here: Path) -> None:
    one = measured(gitcontext, golden).rename(here / "one.json")
    write_search(here, misses=2, name="worse_search")
    two = measured(gitcontext, golden, "worse_search:retrieve").rename(here / "two.json")
    result = gitcontext("eval", "diff", one, two)
    assert result.exit_code == 0
    assert "2 worse, 0 better, 18 unchanged" in result.output
    assert gitcontext("eval", "diff", one, two, "--quiet").output == "2 worse, 0 better, 18 unchanged\n"
    assert json.loads(gitcontext("eval", "diff", one, two, "--json").stdout)["unchanged"] == 18
    write_lines(golden, {"id": "x", "query": "other 1", "gold": [{"path": "f1.py"}]})
    assert gitcontext("eval", "diff", one, measured(gitcontext, golden)).exit_code == 2


def test_retrievers_are_compared_in_one_table(gitcontext: Command, golden: Path, here: Path) -> None:
    write_search(here, misses=6, name="worse_search")
    arguments = ("eval", "compare", "old=my_search:retrieve", "new=worse_search:retrieve", "-g", golden)
    result = gitcontext(*arguments, "--markdown", here / "table.md")
    assert result.exit_code == 0
    assert "-30.0" in result.output
    assert "20 questions, held against old" in result.output
    assert "| new |" in (here / "table.md").read_text()
    assert max(map(len, result.output.splitlines())) <= 80
    told = json.loads(gitcontext(*arguments, "--json").stdout)
    assert told["contenders"][1]["lost"] == ["c0", "c1", "c2", "c3", "c4", "c5"]


def test_tables_fit_80_columns_without_a_break_in_a_cell(gitcontext: Command, here: Path, golden: Path) -> None:
    labels = {"kind": "a rather long name of a kind of question", "style": "paraphrase", "intent": "why"}
    cases = [case | (labels if i % 2 else {}) for i, case in enumerate(QUESTIONS)]
    write_lines(golden, *cases)
    result = gitcontext("eval", "run", "-r", "my_search:retrieve", "-g", golden)
    table = [line for line in result.output.splitlines() if re.search(r"\d\.\d{3}|──|Hit@1", line)]
    assert max(map(len, table)) <= 80
    assert "kind a rather long …" in result.output
    assert len([line for line in table if "…" in line]) == 1


def test_settings_with_a_mistake_say_where(gitcontext: Command, golden: Path, here: Path) -> None:
    for text, said in (
        ("[eval]\ntopp = 3\n", "eval.topp"),
        ("[gate]\nmetrics = []\n", "a gate without a metric"),
        ("[gate\n", "cannot be read"),
    ):
        (here / "gitcontext.toml").write_text(text)
        result = gitcontext("eval", "gate", golden.parent / "report.json")
        assert result.exit_code == 2, text
        assert said in result.output


def test_nothing_named_and_nothing_indexed_is_told_with_the_way_to_begin(gitcontext: Command, here: Path) -> None:
    result = gitcontext("eval", "run")
    assert result.exit_code == 2
    assert "gitcontext eval init" in result.output


def test_a_secret_in_an_address_stays_out_of_the_report(gitcontext: Command, golden: Path) -> None:
    url = "http://me:hunter2@127.0.0.1:9/search?token=s3cret"
    gitcontext("eval", "run", "-r", url, "-g", golden)
    assert not {"hunter2", "s3cret"} & set((golden.parent / "report.json").read_text().replace(":", "@").split("@"))
    assert "hunter2" not in (golden.parent / "report.json").read_text()
    assert "s3cret" not in (golden.parent / "report.json").read_text()


def test_a_foreign_retriever_elsewhere_is_gated_end_to_end_by_the_command(golden: Path, tmp_path: Path) -> None:
    """Its own interpreter, its own dependency, this package not installed in it; the command is run as a build does."""
    place = tmp_path / "elsewhere"
    venv.create(place / "env", with_pip=False, symlinks=True)
    python = place / "env" / "bin" / "python"
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([python, "-c", purelib], capture_output=True, text=True, check=True).stdout.strip())
    (site / "own_dependency.py").write_text("SKIP = 0\n")
    (place / "serve.py").write_text(
        "import importlib.util, json, sys\nfrom own_dependency import SKIP\n"
        "assert importlib.util.find_spec('gitcontext_pipeline') is None\n"
        "for line in sys.stdin:\n"
        "    number = int(json.loads(line)['query'].split()[-1])\n"
        "    print(json.dumps([] if number < SKIP else [{'path': f'f{number}.py'}]), flush=True)\n"
    )

    def command(*arguments: object) -> int:
        whole = [Path(sys.executable).parent / "gitcontext", "eval", *map(str, arguments)]
        return subprocess.run(whole, cwd=place, capture_output=True, check=False).returncode

    report = tmp_path / "report.json"
    run = ("run", "-r", f"exec:{join([str(python), 'serve.py'])}", "-g", golden, "-o", report)
    assert command(*run) == 0
    assert command("freeze", report, "-g", golden, "--note", "first") == 0
    (site / "own_dependency.py").write_text("SKIP = 3\n")
    assert command(*run) == 0
    assert command("gate", report, "-g", golden) == 1
    (site / "own_dependency.py").write_text("import os\nos._exit(0)\n")
    assert command(*run) == 3
    assert command("gate", report, "-g", golden) == 3


BROKEN = """
import sys
sys.modules["gitcontext_pipeline.errors"] = None
from gitcontext_pipeline.cli import main
main()
"""


def test_a_crash_is_never_taken_for_a_regression(
    gitcontext: Command, golden: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an installation that is broken, nor an error that is shown with its traceback."""
    assert subprocess.run([sys.executable, "-c", BROKEN], capture_output=True, check=False).returncode == 3
    program = "import sys; sys.argv = ['gitcontext', *sys.argv[1:]]; from gitcontext_pipeline.cli import main; main()"
    monkeypatch.setenv("GITCONTEXT_DEBUG", "1")
    done = subprocess.run([sys.executable, "-c", program, "eval", "gate"], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "Traceback" in done.stderr


ENDINGS = [
    ("import os", "os._exit(0)", "exit status 0"),
    ("import os", "os._exit(1)", "exit status 1"),
    ("import os, signal", "os.kill(os.getpid(), signal.SIGSEGV)", "signal 11"),
    ("import os, sys", "os.execv(sys.executable, [sys.executable, '-c', 'pass'])", "exit status 0"),
]


@pytest.mark.parametrize(("imports", "ending", "how"), ENDINGS)
def test_a_retriever_that_ends_the_process_is_never_taken_for_a_pass(
    golden: Path, here: Path, imports: str, ending: str, how: str
) -> None:
    (here / "rude_search.py").write_text(f"{imports}\ndef retrieve(query, top, scope):\n    {ending}\n")
    (here / "gitcontext.toml").write_text('[eval]\nretriever = "rude_search:retrieve"\ngolden = "evals/golden.jsonl"\n')
    command = [Path(sys.executable).parent / "gitcontext", "eval", "gate", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert how in done.stderr
    assert "exec:command" in done.stderr


def test_what_a_retriever_does_at_exit_does_not_change_the_verdict(golden: Path, here: Path) -> None:
    write_search(here, misses=20)
    with (here / "my_search.py").open("a") as module:
        module.write("\nimport atexit, os\natexit.register(os._exit, 0)\n")
    (here / "gitcontext.toml").write_text(
        '[eval]\nretriever = "my_search:retrieve"\ngolden = "evals/golden.jsonl"\n[gate]\nmust_hit = ["c3"]\n'
    )
    command = [Path(sys.executable).parent / "gitcontext", "eval", "gate"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "c3 must hit" in done.stdout


def test_a_command_that_is_killed_asks_no_more_questions(golden: Path, here: Path) -> None:
    (here / "slow_search.py").write_text(
        "import os, time\nfrom pathlib import Path\ndef retrieve(query, top, scope):\n"
        "    Path('asked').write_text(query)\n    time.sleep(60)\n"
    )
    command = [Path(sys.executable).parent / "gitcontext", "eval", "run", "-r", "slow_search:retrieve", "-g", golden]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        while not (here / "asked").exists():
            assert running.poll() is None
            time.sleep(0.05)
        running.kill()
        assert running.stdout is not None
        running.stdout.read()  # returns once nobody holds the other end any more


def test_a_regression_is_one_even_if_nobody_reads_on(gitcontext: Command, golden: Path, here: Path) -> None:
    gitcontext("eval", "freeze", measured(gitcontext, golden), "--note", "first")
    write_search(here, misses=9, name="worse_search")
    report = measured(gitcontext, golden, "worse_search:retrieve")
    program = Path(sys.executable).parent / "gitcontext"
    script = f"{program} eval gate {report} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n"


def test_every_command_has_an_example_in_its_help(gitcontext: Command) -> None:
    for name in ("init", "run", "gate", "freeze", "diff", "compare", "history", "generate", "audit"):
        result = gitcontext("eval", name, "--help")
        assert result.exit_code == 0
        assert f"Example: gitcontext eval {name}" in " ".join(result.output.split())
