from __future__ import annotations

import pytest

from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.corpus.spec import CorpusSpec, GitOrigin


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:token@host/x", "https://***@host/x"),
        ("fatal: 'https://token@host/x': no", "fatal: 'https://***@host/x': no"),
        ("https://a:p@ss@host/x", "https://***@host/x"),
        ("ssh://git@host/x and http://u:p@h", "ssh://***@host/x and http://***@h"),
        ("https://host/x?access_token=abc&b=1", "https://host/x?access_token=***&b=1"),
        ("https://host/simple/@scope/x", "https://host/simple/@scope/x"),
        ("git@host:x/y.git", "git@host:x/y.git"),
    ],
)
def test_secrets_in_addresses_are_hidden_and_the_rest_stays(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_the_label_of_an_origin_can_be_logged() -> None:
    assert GitOrigin(git="https://u:tok@host/x", revision="a" * 40).label == "https://***@host/x@aaaaaaaaaaaa"


def test_a_rejected_spec_does_not_repeat_the_address() -> None:
    with pytest.raises(ValueError, match="revision") as caught:
        CorpusSpec.model_validate({"name": "x", "origins": [{"git": "https://u:tok@host/x", "revision": "main"}]})
    assert "tok" not in str(caught.value)
