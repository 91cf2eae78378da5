from __future__ import annotations

import pytest

from gitcontext_pipeline.index.texts import FIELDS
from gitcontext_pipeline.retrieval.features import FEATURES
from gitcontext_pipeline.retrieval.weights import ABLATIONS, DEFAULT, Weights


@pytest.mark.parametrize("name", ABLATIONS)
def test_variants_name_features_and_fields_that_there_are(name: str) -> None:
    weights = ABLATIONS[name]
    assert set(weights.features) <= set(FEATURES), "a misspelt feature would weigh nothing and nobody would notice"
    assert set(weights.fields) == set(FIELDS)


def test_the_defaults_weigh_every_feature() -> None:
    assert set(DEFAULT.features) == set(FEATURES)


def test_what_people_get_is_among_the_variants_and_each_other_one_differs() -> None:
    assert ABLATIONS["hybrid"] == DEFAULT
    assert len({weights.digest for weights in ABLATIONS.values()}) == len(ABLATIONS)


def test_a_mechanism_is_turned_off_alone_and_in_a_copy() -> None:
    off = DEFAULT.without("passage")
    assert off.features == {**DEFAULT.features, "passage": 0.0}
    assert off.but(features=DEFAULT.features) == DEFAULT
    assert DEFAULT.features["passage"]


def test_the_digest_is_of_the_numbers() -> None:
    assert Weights().digest == DEFAULT.digest
    assert DEFAULT.but(same_file=DEFAULT.same_file + 0.01).digest != DEFAULT.digest
    assert DEFAULT.without("coverage").digest != DEFAULT.digest


def test_vectors_are_not_needed_when_nothing_weighs_them() -> None:
    assert DEFAULT.uses_vectors
    assert not DEFAULT.without("passage", "summary").uses_vectors
    assert not ABLATIONS["bm25"].uses_vectors
    assert ABLATIONS["dense"].uses_vectors
