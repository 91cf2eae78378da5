"""Asking as a job: the launchpad's counterpart of `gitcontext ask`, in three steps that can be looked at one by one."""

import sys
from typing import Any

import dagster as dg
from pydantic import Field

from gitcontext_pipeline.answer.evidence import Answer, title
from gitcontext_pipeline.components.metadata import plain

QUESTION = "Where does Requests strip redirect authorization?"
QUESTION_TAG = "question"
"""On every run of the job, so that the list of runs says what was asked."""


class AskConfig(dg.Config):
    """What to ask, and of which corpus."""

    question: str = Field(default=QUESTION, description="In plain words, or a name or error message as it is written.")
    corpus: str | None = Field(
        default=None, description="Name of a published corpus, as `gitcontext corpora` lists them; else the newest."
    )
    top: int = Field(default=5, ge=1, le=200, description="How many pieces of evidence to show, 1 to 200.")
    scope: str | None = Field(default=None, description="Only `code`, `docs`, `history` or `tests`; else all of them.")
    generate: bool = Field(
        default=False,
        description="Let a local model explain the evidence (`gitcontext setup-model` first); only what can be checked "
        "against the cited lines is shown.",
    )


class ExplainConfig(dg.Config):
    """Whether the local model explains."""

    generate: bool = Field(default=False, description="Let the local model explain the evidence.")


class RetrieveConfig(dg.Config):
    """What to search for."""

    question: str = Field(description="In plain words, or a name or error message as it is written.")
    corpus: str | None = Field(description="Name of a published corpus; else the one published last.")
    top: int = Field(description="How many pieces of evidence.")
    scope: str | None = Field(description="Only code, docs, history or tests; else all of them.")


@dg.op(
    description="Search a published index for the question: the strongest code, docs, commits and pull requests, with "
    "the exact lines and immutable links."
)
def retrieve(context: dg.OpExecutionContext, config: RetrieveConfig) -> Answer:
    from gitcontext_pipeline.answer.opened import open_corpus
    from gitcontext_pipeline.errors import GitContextError

    context.instance.add_run_tags(context.run_id, {QUESTION_TAG: title(config.question)})
    try:
        found = open_corpus(config.corpus).ask(config.question, config.top, config.scope)
    except GitContextError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error
    context.log.info(found.summary)
    context.add_output_metadata({"corpus": found.corpus, "revision": found.revision, "found": len(found.evidence)})
    return found


@dg.op(
    description="Let the local model write about the evidence, and keep of it what can be checked against the cited "
    "lines. Without `generate` the evidence is passed on as it is."
)
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
        dropped = [f"- {plain(each.text)} ({each.rule}: {plain(each.reason)})" for each in explanation.dropped]
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


@dg.op(
    description="The answer: in this step's output metadata as Markdown (`answer`) and as one link for each piece of "
    "evidence, and on standard output."
)
def show(context: dg.OpExecutionContext, explained: Answer) -> None:
    text = explained.as_markdown()
    sys.stdout.write(text)
    context.add_output_metadata(
        {
            "answer": dg.MetadataValue.md(text),
            **{
                f"{number}. {title(each.name)}": dg.MetadataValue.url(each.url)
                for number, each in enumerate(explained.evidence, 1)
            },
            "corpus": explained.corpus,
            "revision": explained.revision,
        }
    )


@dg.config_mapping
def one_question(config: AskConfig) -> dict[str, Any]:
    asked = {"question": config.question, "corpus": config.corpus, "top": config.top, "scope": config.scope}
    return {"retrieve": {"config": asked}, "explain": {"config": {"generate": config.generate}}}


@dg.graph(config=one_question)
def answer() -> None:
    """Search the index, explain where asked for, show the answer. Configured in one place, under `answer`."""
    show(explain(retrieve()))


@dg.job(
    config={"ops": {"answer": {"config": AskConfig().model_dump()}}},
    description="""
Ask a question about an indexed repository, and get the evidence: code, docs, commits and pull requests with links.

1. **Launchpad**: write your `question`. With `corpus: null` the corpus published last answers.
2. **Launch Run**. It needs a published index: materialize a corpus first, or run `gitcontext index URL_OR_PATH`.
3. The answer is the output of the step `answer.show`, at the end of the run's events: `answer` as Markdown, and one
   link for each piece of evidence. The **stdout** tab has it as text.
""".strip(),
)
def ask() -> None:
    answer()
