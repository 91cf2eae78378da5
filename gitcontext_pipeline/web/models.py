"""What the API answers with. The fields are those of `gitcontext ask --json` and `gitcontext search --json`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

Sha = Annotated[str, Field(description="A full commit id, 40 hex digits.")]


class ErrorModel(BaseModel):
    """Why there is no answer, where the fault lies, and what to do about it."""

    error: str = Field(examples=["no scope 'everything'"])
    where: str | None = Field(None, description="The parameter, file or header that is wrong.")
    fix: str | None = Field(None, examples=["one of code, docs, history, tests"])


class ResultModel(BaseModel):
    """A passage of the corpus with its provenance."""

    id: str = Field(description="Stable hash of corpus, path, symbol and text.")
    kind: str = Field(description="code, docs, commit or pull_request.", examples=["code"])
    path: str = Field(description="Empty for a change.", examples=["src/requests/sessions.py"])
    role: str = Field(description="main, test, example, generated, vendored, translated or bot.")
    language: str
    symbol: str | None = Field(examples=["SessionRedirectMixin.should_strip_auth"])
    symbol_kind: str | None = Field(description="function, method, section, …; review or discussion of a pull request.")
    signature: str = Field(description="The definition's header, a section's heading path, or a change's title.")
    start_line: int = Field(description="1-based.")
    end_line: int = Field(description="Inclusive.")
    revision: Sha
    url: str = Field(description="Immutable link to exactly these lines, or to the change.")
    commit: str | None = Field(description="The change's own commit.")
    pr: int | None
    author: str | None
    date: str | None = Field(description="ISO 8601.")
    text: str
    score: float = Field(description="Orders the results of one question and means nothing between questions.")
    parts: dict[str, float] = Field(description="What the score is made of, by feature.")
    copies: list[str] = Field(description="Links of near-identical passages that were folded into this one.")
    paths: list[str] = Field(description="Files that a change touched.")


class ChangeModel(BaseModel):
    """A change by its commit, and its pull request if it is one."""

    commit: Sha
    pr: int | None
    title: str
    date: str | None
    url: str


class LineageModel(BaseModel):
    """Which change brought some lines and which changed them last; for a change, where its lines stand today."""

    introduced: ChangeModel | None
    changed: ChangeModel | None
    stands: list[str]


class EvidenceModel(ResultModel):
    """A result with its number in the answer, and where it comes from."""

    number: int
    lineage: LineageModel


class ExplanationModel(BaseModel):
    """What came of asking for prose; `withheld` and `off` say why there is none."""

    status: Literal["passed", "repaired", "withheld", "off"]
    sentences: list[dict[str, Any]] = Field(description="text, source (the number of the evidence), lines, place, url.")
    dropped: list[dict[str, Any]] = Field(description="text, rule, reason and attempt of what did not hold.")
    reasons: list[dict[str, Any]] = Field(description="rule and reason.")
    attempts: list[dict[str, Any]] = Field(description="Each generation, with all that is needed to repeat it.")
    shown: dict[int, list[tuple[int, int]]] = Field(description="The runs of lines of each excerpt that were shown.")
    prompt_tokens: int
    settings: dict[str, Any]
    seconds: float


class SearchModel(BaseModel):
    """The results of one question, best first."""

    question: str
    corpus: str
    revision: Sha
    snapshot: str
    results: list[ResultModel]


class AnswerModel(BaseModel):
    """The evidence for one question, and what a model made of it if that was asked for."""

    question: str
    corpus: str
    revision: Sha
    snapshot: str
    summary: str = Field(examples=["Strongest evidence: `SessionRedirectMixin.should_strip_auth`."])
    strong: bool = Field(description="False: this is only what came nearest, and likely not about the question.")
    confidence: float | None = Field(description="From 0 to 1; null where it was not measured.")
    note: str
    explanation: ExplanationModel | None
    evidence: list[EvidenceModel]


class CorpusModel(BaseModel):
    """A corpus; without a published snapshot all but the name is null."""

    name: str
    revision: str | None
    snapshot: str | None
    github: str | None
    chunks: int | None


class TouchModel(BaseModel):
    """A change that touched the lines."""

    commit: Sha
    pr: int | None
    title: str
    author: str | None
    date: str
    url: str
    issues: list[int]
    reformatting: bool


class WhyModel(BaseModel):
    """How some lines came about, newest change first."""

    path: str
    start_line: int
    end_line: int
    revision: Sha
    url: str
    introduced: TouchModel | None
    changed: TouchModel | None
    touches: list[TouchModel]


class SourceModel(BaseModel):
    """Lines of a file at the pinned revision."""

    path: str
    start_line: int
    end_line: int
    lines: int = Field(description="How many the whole file has.")
    revision: Sha
    url: str
    text: str


class HealthModel(BaseModel):
    """Whether questions can be answered; `corpora` only for those who may ask."""

    status: Literal["ok", "unavailable"]
    why: str | None = Field(None, description="Only for those who may ask.")
    corpora: dict[str, str] | None = Field(None, description="The published snapshot of each corpus.")
