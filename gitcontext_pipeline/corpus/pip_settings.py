"""Where releases are looked for: what pip's configuration files and environment variables say.

https://pip.pypa.io/en/stable/topics/configuration/
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import dataclass

DEFAULT_INDEX = "https://pypi.org/simple"

_CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Index URLs, pages or directories of links, and how to reach them. Times are in seconds."""

    indexes: tuple[str, ...] = (DEFAULT_INDEX,)
    links: tuple[str, ...] = ()
    certificates: str | None = None
    client_certificate: str | None = None
    proxy: str | None = None
    trusted_hosts: frozenset[str] = frozenset()
    connect: float = 5
    read: float = 15


def configured_settings() -> IndexSettings:
    """pip's effective settings on this machine; pip's own defaults where nothing is configured."""
    options = _pip_options()
    indexes: list[str] = []
    if options.get("no-index", "").lower() not in ("1", "true", "yes", "on"):
        indexes = [options.get("index-url", DEFAULT_INDEX), *options.get("extra-index-url", "").split()]
    return IndexSettings(
        indexes=tuple(dict.fromkeys(index.rstrip("/") for index in indexes)),
        links=tuple(dict.fromkeys(options.get("find-links", "").split())),
        certificates=options.get("cert") or next(filter(None, map(os.environ.get, _CERTIFICATES)), None),
        client_certificate=options.get("client-cert"),
        proxy=options.get("proxy"),
        trusted_hosts=frozenset(options.get("trusted-host", "").split()),
    )


def _pip_options() -> dict[str, str]:
    """pip's options by name: the environment over [download] over [install] over [global]."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        listed = ""
    sections: dict[str, dict[str, str]] = {"global": {}, "install": {}, "download": {}}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, option = key.rpartition(".")
        if section in sections:
            try:
                sections[section][option] = str(ast.literal_eval(value))
            except (ValueError, SyntaxError):
                continue
    # Read here too, for a virtual environment that was made without pip.
    own = {
        key.removeprefix("PIP_").lower().replace("_", "-"): value
        for key, value in os.environ.items()
        if key.startswith("PIP_") and value
    }
    return sections["global"] | sections["install"] | sections["download"] | own
