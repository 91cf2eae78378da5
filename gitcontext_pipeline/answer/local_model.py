"""The language model of this machine: whether it is there, and what it makes of an answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.state import State

ENTAILMENT_VARIABLE = "GITCONTEXT_ENTAILMENT"

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.explainer import Heard, Settings
    from gitcontext_pipeline.answer.host import ModelHost


def explain_answer(
    state: State,
    answer: Answer,
    *,
    model: str | None = None,
    settings: Settings | None = None,
    heard: Heard = lambda sentences: None,
    progress: Callable[[str], None] = lambda line: None,
) -> Answer:
    """`answer` with an explanation: cited sentences that hold, why they were withheld, or how to turn prose on.

    `model` is a name or the path of a GGUF file; by default, the one that `gitcontext setup-model` chose.

    Raises:
        UsageError: there is no model of that name.
        GitContextError: a model that is installed cannot be used.
    """
    from gitcontext_pipeline.answer.explainer import explain
    from gitcontext_pipeline.answer.explanation import Explanation, Failure, turned_off
    from gitcontext_pipeline.answer.model_files import chosen

    name = model or chosen(state.models)
    missing = why_off(state, model)
    if missing is not None:
        return replace(answer, explanation=turned_off(missing))
    if not answer.strong:  # a model makes prose of whatever it is given
        weak = Failure("no-evidence", "there is no strong evidence to explain")
        return replace(answer, explanation=Explanation("withheld", reasons=(weak,)))
    progress(f"explaining with {name}")
    with model_host(name, state.models).model() as loaded:
        explanation = explain(loaded, answer.question, answer.evidence, settings or configured_settings(), heard)
    return replace(answer, explanation=explanation)


def configured_settings() -> Settings:
    """The default settings; with `$GITCONTEXT_ENTAILMENT`, a cross-encoder of that name or path judges claims as well.

    Raises:
        GitContextError: that model cannot be loaded, or is none of natural language inference.
    """
    from gitcontext_pipeline.answer.entailment import entailment_rule, load_judge
    from gitcontext_pipeline.answer.explainer import Settings

    judge = os.environ.get(ENTAILMENT_VARIABLE)
    return Settings(rules=(entailment_rule(load_judge(judge)),)) if judge else Settings()


def why_off(state: State, model: str | None = None) -> str | None:
    """One line on what is missing for prose, and how to get it; None when nothing is."""
    from importlib.util import find_spec

    from gitcontext_pipeline.answer.model_files import chosen, location

    name = model or chosen(state.models)
    if find_spec("llama_cpp") is None:
        extra = "pip install -e '.[explain]'"
        return f"Evidence only: prose needs a local model; turn it on with {extra}, then gitcontext setup-model."
    try:
        there = location(name, state.models).is_file()
    except GitContextError as error:
        if model is not None:
            raise
        return f"Evidence only: {error.what}; turn prose on with {error.fix}"
    if there:
        return None
    return f"Evidence only: the model {name} is not here; turn prose on with gitcontext setup-model {name}."


@lru_cache(maxsize=1)
def model_host(name: str, models: Path) -> ModelHost:
    """The one host of that model in this process."""
    from gitcontext_pipeline.answer.host import ModelHost
    from gitcontext_pipeline.answer.llama import LlamaModel
    from gitcontext_pipeline.answer.model_files import verified

    return ModelHost(lambda: LlamaModel(verified(name, models)))
