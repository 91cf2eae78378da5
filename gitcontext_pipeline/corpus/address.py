"""From what a person types, `URL_OR_PATH[@REV]`, to a pinned specification."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import ValidationError

from gitcontext_pipeline.corpus.command import GitFailed, environment, run_git
from gitcontext_pipeline.corpus.git import resolve_revision
from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.corpus.spec import CorpusSpec, GitOrigin
from gitcontext_pipeline.corpus.transport import local_path
from gitcontext_pipeline.errors import UsageError

_LONGEST_NAME = 63
_BEFORE_PATH = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*://[^/]*|[^/:@]+@[^/:]+:)")
_GITHUB = re.compile(
    r"^(?:https?://(?:[^/@]*@)?github\.com/|ssh://(?:[^/@]*@)?github\.com/|git@github\.com:)"
    r"(?P<slug>[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+?)(?:\.git)?/?$"
)


def split_revision(source: str) -> tuple[str, str]:
    """The address and the revision of `URL_OR_PATH[@REV]`; `HEAD` where none is given.

    An `@` of a user name (`git@host:…`, `https://user@host/…`) is no revision, nor is one in a path that exists or at
    the beginning of a directory's name (`https://host/@owner/name`).
    """
    named = source.removeprefix("file://")
    if "://" not in named and Path(named).expanduser().exists():
        return source, "HEAD"
    begins = _BEFORE_PATH.match(source)
    head, rest = (source[: begins.end()], source[begins.end() :]) if begins else ("", source)
    path, at, revision = rest.rpartition("@")
    inside = path.endswith("/") and "/" in revision
    return (head + path, revision) if at and path and revision and not inside else (source, "HEAD")


def spec_from_address(source: str, name: str | None = None, github: str | None = None, **fields: object) -> CorpusSpec:
    """The specification of one git repository at the commit that its revision names now.

    Raises:
        UsageError: a malformed name or address, or no such revision.
        OriginUnavailable: the repository cannot be asked.
    """
    url, revision = split_revision(source)
    path = local_path(url)
    if path is not None:
        if not path.exists():
            raise UsageError("there is no such directory", where=url, fix="give a path to a git repository, or its URL")
        url = str(path)
    try:
        GitOrigin(git=url, revision="0" * 40)  # an address that git must not be given is refused before it is asked
        pinned = resolve_revision(url, revision)
        slug = github or _slug(url) or (_published_slug(path, pinned) if path is not None else None)
        return CorpusSpec.model_validate(
            {"name": name or _name(url), "github": slug, "origins": [{"git": url, "revision": pinned}], **fields}
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the options"
        raise UsageError(
            f"{place}: {first['msg'].removeprefix('Value error, ')}",
            where=redact(source),
            fix="gitcontext index --help",
        ) from error


def _name(url: str) -> str:
    last = re.split(r"[/:]", url.rstrip("/"))[-1].removesuffix(".git").lower()
    return re.sub(r"[^a-z0-9_]+", "_", last).strip("_")[:_LONGEST_NAME] or "repository"


def _slug(url: str) -> str | None:
    found = _GITHUB.match(url)
    return found["slug"] if found else None


def _published_slug(path: Path, revision: str) -> str | None:
    """The GitHub repository that a clone came from, if a branch that was fetched from there holds the commit."""
    try:
        origin = run_git("config", "--get", "remote.origin.url", env=environment(), directory=path).decode().strip()
        held = run_git("branch", "--remotes", "--contains", revision, env=environment(), directory=path)
    except GitFailed:
        return None
    return _slug(origin) if held.strip() else None
