from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from gitcontext_pipeline.answer.claims import Reply
from gitcontext_pipeline.answer.contract import judge
from gitcontext_pipeline.answer.entailment import entailment_rule, load_judge
from gitcontext_pipeline.answer.local_model import ENTAILMENT_VARIABLE, configured_settings
from gitcontext_pipeline.errors import GitContextError, UsageError
from tests.answer.evidence import SHOWN, TRUE_CLAIMS


@dataclass
class ToldJudge:
    """Finds what it is told to find, and records what it was asked."""

    found: Mapping[str, float]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def relation(self, premise: str, hypothesis: str) -> Mapping[str, float]:
        self.asked.append((premise, hypothesis))
        return self.found


CLAIM = TRUE_CLAIMS[3]


def reasons(found: Mapping[str, float], floor: float = 0.0) -> list[str]:
    judgement = judge(Reply((CLAIM,)), SHOWN, [entailment_rule(ToldJudge(found), floor)])
    return [failure.reason for failure in judgement.judged[0].failures]


def test_a_contradiction_drops_the_claim() -> None:
    assert "contradict it (80%)" in reasons({"entailment": 0.1, "neutral": 0.1, "contradiction": 0.8})[0]


def test_neutral_is_no_reason_unless_a_floor_is_asked_for() -> None:
    neutral = {"entailment": 0.2, "neutral": 0.7, "contradiction": 0.1}
    assert reasons(neutral) == []
    assert "do not entail it (20%)" in reasons(neutral, floor=0.5)[0]


def test_it_is_asked_about_the_cited_lines_and_only_when_all_else_holds() -> None:
    judge_ = ToldJudge({"entailment": 1.0, "contradiction": 0.0})
    wrong = replace(CLAIM, text="The code does things.")
    judge(Reply((CLAIM, wrong)), SHOWN, [entailment_rule(judge_)])
    assert len(judge_.asked) == 1
    assert 'del headers["Authorization"]' in judge_.asked[0][0]
    assert judge_.asked[0][1] == CLAIM.text


def cross_encoder(folder: Path, labels: list[str]) -> str:
    """A cross-encoder with random weights and next to no size, saved as any other one is."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    (folder / "vocab.txt").write_text("\n".join(words))
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BertForSequenceClassification"]
    return str(folder)


def test_any_cross_encoder_with_the_labels_will_do(tmp_path: Path) -> None:
    loaded = load_judge(cross_encoder(tmp_path / "nli", ["CONTRADICTION", "entailment", "neutral"]))
    found = loaded.relation("the header is removed", "the header stays")
    assert set(found) == {"contradiction", "entailment", "neutral"}
    assert sum(found.values()) == pytest.approx(1)


def test_a_cross_encoder_is_turned_on_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configured_settings().rules == ()
    folder = cross_encoder(tmp_path / "named", ["contradiction", "entailment"])
    monkeypatch.setenv(ENTAILMENT_VARIABLE, folder)
    assert [rule.name for rule in configured_settings().rules] == ["entailed"]


def test_a_model_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not entailment and contradiction"):
        load_judge(cross_encoder(tmp_path / "mood", ["sad", "glad"]))


def test_a_model_that_cannot_be_had_is_said(tmp_path: Path) -> None:
    with pytest.raises(GitContextError, match="could not be loaded"):
        load_judge(str(tmp_path / "nothing"))
