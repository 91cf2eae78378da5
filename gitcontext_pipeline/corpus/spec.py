"""What a corpus is made of: the pinned origins, how much history, and which files."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, WithJsonSchema, model_validator

from gitcontext_pipeline.corpus.permalinks import GITHUB
from gitcontext_pipeline.corpus.redaction import redact

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_TOLERANCE = 5.0
DEFAULT_FRESH_WITHIN_DAYS = 90

_NAME = r"^[a-z0-9][a-z0-9_]{0,62}$"
_SHA1 = r"^[0-9a-f]{40}$"
_SHA256 = r"^[0-9a-f]{64}$"
_SLUG = r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$"
_REQUIREMENT = r"^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_-]+$"

Revision = Annotated[str, Field(pattern=_SHA1, description="a full commit id: 40 lower-case hexadecimal digits")]


def _git_url(url: str) -> str:
    """A URL or path that git may fetch from; never an option, never a transport that runs a command."""
    if not url or url.startswith("-") or any(ord(c) < 32 for c in url):
        raise ValueError("a git origin is a https, ssh or file URL, or a local path")
    # Git takes a digit for the beginning of a transport too: connect.c and transport-helper.c, is_urlschemechar.
    transport = re.match(r"^([A-Za-z0-9][A-Za-z0-9+.-]*)::", url)
    if transport:
        raise ValueError(f"the transport {transport.group(1)!r} is not allowed")
    scheme = re.match(r"^([A-Za-z][A-Za-z0-9+.-]*)://", url)
    if scheme and scheme.group(1).lower() not in {"https", "http", "ssh", "git", "file"}:
        raise ValueError(f"the scheme {scheme.group(1)!r} is not one of https, http, ssh, git, file")
    return url


def _server_url(url: str) -> str:
    """The address of a GitHub server, without a slash at its end; encrypted, unless it is this machine."""
    parts = urlsplit(url)
    odd = parts.query or parts.fragment or any(ord(c) <= 32 for c in url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or odd:
        raise ValueError("a GitHub server is https://HOST")
    if "@" in parts.netloc:
        raise ValueError("no user name or password belongs here: set GITHUB_TOKEN")
    if parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
        raise ValueError("use https: a token would be sent to this server")
    return url.rstrip("/")


class _Strict(BaseModel):
    # A rejected value may be an address with a password in it, so errors say where and why but not what.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class GitOrigin(_Strict):
    """A repository at exactly one commit."""

    git: Annotated[str, AfterValidator(_git_url)]
    revision: Revision

    @property
    def label(self) -> str:
        """The address without any password in it, and the revision: fit for a log."""
        return f"{redact(self.git)}@{self.revision[:12]}"


class SdistOrigin(_Strict):
    """A released source distribution from the configured package index, and the commit that it corresponds to."""

    sdist: Annotated[str, Field(pattern=_REQUIREMENT, description="NAME==VERSION")]
    sha256: Annotated[str, Field(pattern=_SHA256)]
    revision: Revision

    @property
    def label(self) -> str:
        return f"sdist {self.sdist}"


Origin = GitOrigin | SdistOrigin


def _origin_kind(value: Any) -> str:
    """Which of the two an entry means, so that an error speaks of that one alone."""
    return "sdist" if isinstance(value, SdistOrigin) or (isinstance(value, dict) and "sdist" in value) else "git"


def _at_least_one(origins: tuple[Origin, ...]) -> tuple[Origin, ...]:
    # Field(min_length=1) counts valid items only: beside the error of the one origin it says that there is none.
    if not origins:
        raise ValueError("name at least one origin")
    return origins


_ORIGIN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "git": {"type": "string"},
        "sdist": {"type": "string", "pattern": _REQUIREMENT},
        "sha256": {"type": "string", "pattern": _SHA256},
        "revision": {"type": "string", "pattern": _SHA1},
    },
    "required": ["revision"],
    "additionalProperties": False,
}
"""Of either kind at once: YAML files are checked against it first, and "matches none of two" helps nobody."""

_OriginField = Annotated[
    Annotated[GitOrigin, Tag("git")] | Annotated[SdistOrigin, Tag("sdist")],
    Discriminator(_origin_kind),
    WithJsonSchema(_ORIGIN_SCHEMA),
]
_Glob = Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, "not": {"pattern": r"(^|/)\.\.(/|$)"}})]


class CorpusSpec(_Strict):
    """One repository to index. `github` is the slug that permalinks are made from; without it links are local.

    `github_url` is the GitHub Enterprise server that the slug belongs to, where it is not github.com. Within
    `fresh_within_days` the published index must have been materialized to be called fresh; None asks for nothing.
    """

    name: Annotated[str, Field(pattern=_NAME, description="lower-case letters, digits and underscores")]
    github: Annotated[str, Field(pattern=_SLUG)] | None = None
    github_url: Annotated[str, AfterValidator(_server_url)] = GITHUB
    origins: Annotated[
        tuple[_OriginField, ...], AfterValidator(_at_least_one), Field(json_schema_extra={"minItems": 1})
    ]
    history: Annotated[int, Field(ge=1)] | Literal["all", "none"] = "all"
    include: tuple[_Glob, ...] = ("**",)
    exclude: tuple[_Glob, ...] = ()
    golden_set: str | None = None
    tolerance: Annotated[float, Field(ge=0, le=100)] = DEFAULT_TOLERANCE
    answers: bool = False
    fresh_within_days: Annotated[int, Field(ge=1, le=3650)] | None = DEFAULT_FRESH_WITHIN_DAYS
    embedding_model: Annotated[str, Field(min_length=1)] = DEFAULT_MODEL

    @property
    def repository(self) -> str | None:
        """How permalinks name the repository: its slug on github.com, its address elsewhere, None without a slug."""
        return self.github if self.github is None or self.github_url == GITHUB else f"{self.github_url}/{self.github}"

    @model_validator(mode="after")
    def _patterns_are_relative(self) -> CorpusSpec:
        for pattern in (*self.include, *self.exclude):
            if not pattern or ".." in PurePosixPath(pattern).parts:
                raise ValueError(f"the pattern {pattern!r} must be relative to the top of the repository")
        return self
