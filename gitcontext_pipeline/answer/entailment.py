"""An optional, stronger rule: a cross-encoder trained on inference must not find that the lines contradict the claim.

Such models are trained on prose; that they see no entailment in code says little, that they see a contradiction says
more. So a claim fails on a contradiction, and on missing entailment only where a floor is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from gitcontext_pipeline.answer.claims import Claim
from gitcontext_pipeline.answer.shown import Rule, Shown
from gitcontext_pipeline.errors import GitContextError, UsageError


class Judge(Protocol):
    """Tells how a premise relates to a hypothesis."""

    def relation(self, premise: str, hypothesis: str) -> Mapping[str, float]:
        """The probabilities of `entailment` and `contradiction` (and `neutral`, if the model has it)."""


@dataclass(frozen=True, slots=True)
class CrossEncoderJudge:
    """A sentence-transformers cross-encoder with the labels of natural language inference."""

    model: Any
    labels: tuple[str, ...]

    def relation(self, premise: str, hypothesis: str) -> Mapping[str, float]:
        scores = [float(score) for score in self.model.predict([(premise, hypothesis)], show_progress_bar=False)[0]]
        highest = max(scores)
        powers = [math.exp(score - highest) for score in scores]
        return {label: power / sum(powers) for label, power in zip(self.labels, powers, strict=True)}


@lru_cache(maxsize=1)
def load_judge(model: str) -> CrossEncoderJudge:
    """The cross-encoder called `model`: a folder, or an id that the configured model hub has.

    Raises:
        GitContextError: it cannot be loaded.
        UsageError: it is no model of natural language inference.
    """
    import torch
    from sentence_transformers import CrossEncoder

    try:
        # Raw scores: how they become probabilities must not depend on what the model's files ask for.
        loaded = CrossEncoder(model, device="cpu", activation_fn=torch.nn.Identity())
    except (OSError, ValueError, RuntimeError) as error:
        raise GitContextError(
            f"the entailment model {model!r} could not be loaded: {str(error).splitlines()[0]}",
            fix="give a folder with its files, or an id that the configured model hub has",
        ) from error
    names = {int(key): str(value).lower() for key, value in loaded.model.config.id2label.items()}
    labels = tuple(names[key] for key in sorted(names))
    if not {"entailment", "contradiction"} <= set(labels):
        raise UsageError(
            f"{model!r} tells {', '.join(labels)}, not entailment and contradiction",
            fix="name a cross-encoder for natural language inference",
        )
    return CrossEncoderJudge(loaded, labels)


def entailment_rule(judge: Judge, floor: float = 0.0) -> Rule:
    """The rule that asks `judge`; `floor` is the probability of entailment below which a claim fails as well."""

    def check(claim: Claim, shown: Shown) -> str | None:
        excerpt = shown.excerpt(claim)
        heading = f"{excerpt.heading}\n" if excerpt else ""
        found = judge.relation(heading + shown.cited(claim), claim.text)
        contradiction, entailment = found["contradiction"], found["entailment"]
        if contradiction == max(found.values()):
            return f"the cited lines contradict it ({contradiction:.0%})"
        return f"the cited lines do not entail it ({entailment:.0%})" if entailment < floor else None

    return Rule("entailed", "The cited lines do not contradict it, as a cross-encoder reads them.", check)
