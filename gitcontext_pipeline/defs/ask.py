"""Asking as a job: the launchpad's counterpart of `gitcontext ask`, in three steps that can be looked at one by one."""

import sys
from typing import Any

import dagster as dg
from pydantic import Field

from gitcontext_pipeline.answer.evidence import Answer


class AskConfig(dg.Config):
    """What to ask. Without a corpus, the one published last answers."""

    question: str = Field(default="Where does Requests strip redirect authorization?", description="In plain words.")
    corpus: str | None = Field(default=None, description="Name of a published corpus.")
    top: int = Field(default=5, ge=1, le=200, description="How many pieces of evidence.")
    scope: str | None = Field(default=None, description="Only code, docs, history or tests.")
    generate: bool = Field(default=False, description="Let the local model explain; only what can be checked is shown.")


class ExplainConfig(dg.Config):
    """Whether the local model explains."""

    generate: bool = False


class RetrieveConfig(dg.Config):
    """What to search for."""

    question: str
    corpus: str | None
    top: int
    scope: str | None


@dg.op(description="The strongest evidence for the question, from a published index.")
def retrieve(context: dg.OpExecutionContext, config: RetrieveConfig) -> Answer:
    from gitcontext_pipeline.answer.opened import open_corpus
    from gitcontext_pipeline.errors import GitContextError

    try:
        found = open_corpus(config.corpus).ask(config.question, config.top, config.scope)
    except GitContextError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error
    context.add_output_metadata(
        {
            "corpus": found.corpus,
            "revision": found.revision,
            "found": dg.MetadataValue.md("\n".join(f"- {each.name} ({each.place})" for each in found.evidence)),
        }
    )
    return found


@dg.op(description="Prose about the evidence, as far as it can be checked; passes the evidence on where none is asked.")
def explain(context: dg.OpExecutionContext, config: ExplainConfig, found: Answer) -> Answer:
    from gitcontext_pipeline.answer.local_model import explain_answer
    from gitcontext_pipeline.errors import GitContextError
    from gitcontext_pipeline.state import State

    if not config.generate:
        context.add_output_metadata({"status": "not asked for"})
        return found
    try:
        explained = explain_answer(State.locate(), found, progress=context.log.info)
    except GitContextError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error
    explanation = explained.explanation
    if explanation is not None:
        dropped = [f"- {each.text} ({each.rule}: {each.reason})" for each in explanation.dropped]
        context.add_output_metadata(
            {
                "status": explanation.status,
                "sentences": len(explanation.sentences),
                "withheld_because": "; ".join(reason.reason for reason in explanation.reasons) or "nothing",
                "dropped": dg.MetadataValue.md("\n".join(dropped) or "none"),
                "prompt_tokens": explanation.prompt_tokens,
                "seconds": round(explanation.seconds, 3),
                "settings": dg.MetadataValue.json(dict(explanation.settings)),
            }
        )
    return explained


@dg.op(name="show", description="The answer as Markdown on standard output and in the metadata.")
def show(context: dg.OpExecutionContext, explained: Answer) -> None:
    text = explained.as_markdown()
    sys.stdout.write(text)
    context.add_output_metadata(
        {
            "answer": dg.MetadataValue.md(text),
            "corpus": explained.corpus,
            "revision": explained.revision,
            **{f"link_{number}": dg.MetadataValue.url(each.url) for number, each in enumerate(explained.evidence, 1)},
        }
    )


@dg.config_mapping
def one_question(config: AskConfig) -> dict[str, Any]:
    asked = {"question": config.question, "corpus": config.corpus, "top": config.top, "scope": config.scope}
    return {"retrieve": {"config": asked}, "explain": {"config": {"generate": config.generate}}}


@dg.graph(config=one_question)
def answer() -> None:
    """Retrieve, explain, answer."""
    show(explain(retrieve()))


@dg.job(description="Answer one question from a published index.")
def ask() -> None:
    answer()
