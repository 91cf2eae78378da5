"""Asking as a job: the launchpad's counterpart of `gitcontext ask`."""

import sys

import dagster as dg
from pydantic import Field


class AskConfig(dg.Config):
    """What to ask. Without a corpus, the one published last answers."""

    question: str = Field(default="Where does Requests strip redirect authorization?", description="In plain words.")
    corpus: str | None = Field(default=None, description="Name of a published corpus.")
    top: int = Field(default=5, ge=1, le=200, description="How many pieces of evidence.")
    scope: str | None = Field(default=None, description="Only code, docs, history or tests.")


@dg.op(description="The strongest evidence for a question, as Markdown on standard output and in the metadata.")
def answer(context: dg.OpExecutionContext, config: AskConfig) -> None:
    from gitcontext_pipeline.answer.asking import answer_question
    from gitcontext_pipeline.errors import GitContextError
    from gitcontext_pipeline.state import State

    try:
        found = answer_question(
            State.locate(), config.question, corpus=config.corpus, top=config.top, scope=config.scope
        )
    except GitContextError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error
    text = found.as_markdown()
    sys.stdout.write(text)
    context.add_output_metadata(
        {
            "answer": dg.MetadataValue.md(text),
            "corpus": found.corpus,
            "revision": found.revision,
            **{f"link_{number}": dg.MetadataValue.url(each.url) for number, each in enumerate(found.evidence, 1)},
        }
    )


@dg.job(description="Answer one question from a published index.")
def ask() -> None:
    answer()
