"""The token for a GitHub server: from the environment, or from the `gh` command. It is never shown nor stored."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gitcontext_pipeline.corpus.permalinks import GITHUB

_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")
_OF_ENTERPRISE = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
_PATIENCE = 5


@dataclass(frozen=True, slots=True)
class Token:
    """A secret and where it was found; only the latter is ever printed."""

    value: str = field(repr=False)
    source: str


def find_token(github_url: str = GITHUB, environ: Mapping[str, str] | None = None) -> Token | None:
    """The first of GITHUB_TOKEN, GH_TOKEN and `gh auth token`; an Enterprise server's own variables come before."""
    environ = os.environ if environ is None else environ
    variables = _VARIABLES if github_url == GITHUB else (*_OF_ENTERPRISE, *_VARIABLES)
    for name in variables:
        # A line break (a secret pasted from a file) would end the header that carries it.
        if value := environ.get(name, "").strip():
            return Token(value, name)
    return _from_gh(urlsplit(github_url).netloc, environ)


def _from_gh(host: str, environ: Mapping[str, str]) -> Token | None:
    gh = shutil.which("gh", path=environ.get("PATH"))
    if gh is None:
        return None
    try:
        done = subprocess.run(
            [gh, "auth", "token", "--hostname", host],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    value = done.stdout.decode(errors="replace").strip()
    return Token(value, "gh auth token") if done.returncode == 0 and value and value.isascii() else None
