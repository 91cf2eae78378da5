"""`gitcontext.toml`: what is read, what is refused, and that what is written can be read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.policy import GatePolicy
from gitcontext_pipeline.evaluation.settings import GateChoices, read_settings, settings_text


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_paths_start_from_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "gitcontext.toml", '[eval]\nretriever = "a:b"\ngolden = "evals/g.jsonl"\nfiles = "."\n')
    run = read_settings(path).run
    assert run.golden == str(tmp_path / "evals/g.jsonl")
    assert run.files is not None
    assert Path(run.files) == tmp_path
    assert run.top == 10


def test_a_tolerance_is_the_number_that_is_written(tmp_path: Path) -> None:
    path = write(tmp_path / "s.toml", "[gate]\ntolerance = 0.1\nmust_hit = ['a']\n")
    policy = read_settings(path).gate.policy()
    assert policy.tolerance == Fraction(1, 10)
    assert policy.must_hit == ("a",)
    assert read_settings(path).gate.policy(tolerance="2").tolerance == 2


def test_nothing_written_is_the_default() -> None:
    assert GateChoices().policy() == GatePolicy()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[evall]\n", "evall"),
        ("[eval]\ntopp = 1\n", "eval.topp"),
        ("[eval]\ntop = 0\n", "eval.top"),
        ('[eval]\ngranularity = "word"\n', "eval.granularity"),
        ("[gate]\nmust_hit = 3\n", "gate.must_hit"),
        ("[eval\n", "cannot be read"),
    ],
)
def test_a_mistake_is_named_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "s.toml", text)
    with pytest.raises(UsageError) as told:
        read_settings(path)
    assert said in str(told.value)
    assert str(path) in str(told.value)


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gitcontext eval init"):
        read_settings(tmp_path / "none.toml")


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    odd = 'exec:run "it" \\ é ☃'
    settings = read_settings(write(tmp_path / "s.toml", settings_text(retriever=odd, golden="g.jsonl", corpus=None)))
    assert settings.run.retriever == odd
    assert settings.gate.policy() == GatePolicy()
