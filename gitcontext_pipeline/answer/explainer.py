"""From evidence to prose that holds: prompt, generation, contract, and one more attempt if it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from gitcontext_pipeline.answer.claims import Claim, read_reply, sentences_so_far
from gitcontext_pipeline.answer.contract import CONTRACT_VERSION, Judgement, judge, rule_names
from gitcontext_pipeline.answer.explanation import (
    Attempt,
    CitedSentence,
    DroppedSentence,
    Explanation,
    Failure,
    Status,
    line_place,
    line_url,
)
from gitcontext_pipeline.answer.grammar import ENDING, GRAMMAR_VERSION, reply_grammar
from gitcontext_pipeline.answer.model import LanguageModel, Limits, Segment
from gitcontext_pipeline.answer.prompt import MAX_TOKENS, PROMPT_VERSION, Prompt, build_prompt, digest, template_for
from gitcontext_pipeline.answer.shown import Rule, Shown
from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.storage import fingerprint

Heard = Callable[[Sequence[str]], None]
"""Told the unverified sentences so far, whenever there is more of them."""

SEED = 20251


@dataclass(frozen=True, slots=True)
class Settings:
    """`prompt_tokens` is the budget of the first prompt; `limits` hold for both attempts together."""

    prompt_tokens: int = MAX_TOKENS
    seed: int = SEED
    limits: Limits = field(default_factory=Limits)
    retry: bool = True
    rules: tuple[Rule, ...] = ()
    """Further rules, such as the judgement of an entailment model."""


def explain(
    model: LanguageModel,
    question: str,
    evidence: Sequence[Result],
    settings: Settings | None = None,
    heard: Heard = lambda sentences: None,
) -> Explanation:
    """Explain `question` from `evidence`, best first, and let through only what holds against the cited lines.

    Raises:
        UsageError: the token budget does not hold the question.
        GitContextError: the model failed; a slow or a rambling one does not raise, its answer is withheld.
    """
    settings = settings or Settings()
    if not evidence:
        return Explanation("withheld", reasons=(Failure("no-evidence", "there is no evidence to explain"),))
    prompt = build_prompt(question, evidence, template_for(model.marks), model.count, settings.prompt_tokens)
    grammar = reply_grammar(prompt.excerpts)
    shown = Shown(prompt.question, {excerpt.number: excerpt for excerpt in prompt.excerpts})
    deadline = monotonic() + settings.limits.seconds
    attempts: list[Attempt] = []
    judgements: list[Judgement] = []
    segments = prompt.segments
    while True:
        attempt, judgement = _attempt(model, segments, grammar, shown, settings, deadline, heard)
        attempts.append(attempt)
        judgements.append(judgement)
        over = not judgement.withheld or attempt.finish in ("timeout", "cancelled") or monotonic() >= deadline
        declined = any(failure.rule == "declined" for failure in judgement.withheld)
        if over or declined or not settings.retry or len(attempts) > 1:
            return _explanation(model, prompt, settings, attempts, judgements)
        segments = prompt.again(judgement.told)


def _attempt(
    model: LanguageModel,
    segments: Sequence[Segment],
    grammar: str,
    shown: Shown,
    settings: Settings,
    deadline: float,
    heard: Heard,
) -> tuple[Attempt, Judgement]:
    limits = replace(settings.limits, seconds=max(0.0, deadline - monotonic()))
    written = model.generate(
        segments,
        grammar,
        ending=ENDING,
        seed=settings.seed,
        limits=limits,
        heard=lambda text: heard(sentences_so_far(text)),
    )
    judgement = judge(read_reply(written.text), shown, settings.rules, cut=written.finish == "length")
    if written.finish in ("timeout", "cancelled"):
        took = f"after {settings.limits.seconds:g} s" if written.finish == "timeout" else "on request"
        judgement = Judgement(judgement.judged, (Failure(written.finish, f"generation was stopped {took}"),))
    failures = [failure for each in judgement.judged for failure in each.failures] + list(judgement.withheld)
    attempt = Attempt(
        prompt_sha256=digest(segments),
        grammar_sha256=fingerprint(grammar),
        reply=written.text,
        finish=written.finish,
        prompt_tokens=written.prompt_tokens,
        reused_tokens=written.reused,
        tokens=written.tokens,
        prompt_seconds=round(written.prompt_seconds, 3),
        seconds=round(written.seconds, 3),
        failures=tuple(failures),
    )
    return attempt, judgement


def _explanation(
    model: LanguageModel,
    prompt: Prompt,
    settings: Settings,
    attempts: Sequence[Attempt],
    judgements: Sequence[Judgement],
) -> Explanation:
    last = judgements[-1]
    status: Status = "withheld" if last.withheld else "passed" if len(attempts) == 1 else "repaired"
    return Explanation(
        status=status,
        sentences=tuple(_cited(claim, prompt) for claim in last.kept),
        dropped=tuple(
            DroppedSentence(each.claim.text, each.failures[0].rule, each.failures[0].reason, number)
            for number, judgement in enumerate(judgements, 1)
            for each in judgement.judged
            if each.failures
        ),
        reasons=last.withheld,
        attempts=tuple(attempts),
        shown={excerpt.number: excerpt.blocks for excerpt in prompt.excerpts},
        prompt_tokens=prompt.tokens,
        settings=_settings(model, prompt, settings),
    )


def _cited(claim: Claim, prompt: Prompt) -> CitedSentence:
    source, start, end = claim.source or 0, claim.start or 0, claim.end or 0
    result = next(excerpt.result for excerpt in prompt.excerpts if excerpt.number == source)
    return CitedSentence(
        text=claim.text,
        source=source,
        start_line=start,
        end_line=end,
        place=line_place(result, start, end),
        url=line_url(result, start, end),
    )


def _settings(model: LanguageModel, prompt: Prompt, settings: Settings) -> dict[str, object]:
    return {
        "model": model.name,
        "model_sha256": model.digest,
        "runtime": model.runtime,
        "seed": settings.seed,
        "temperature": 0,
        "template": prompt.template.name,
        "prompt_budget": settings.prompt_tokens,
        "prompt_version": PROMPT_VERSION,
        "grammar_version": GRAMMAR_VERSION,
        "contract_version": CONTRACT_VERSION,
        "rules": rule_names(settings.rules),
    }
