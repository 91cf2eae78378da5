"""Addresses as they may be shown: whoever reads a log or an error never learns the password inside a URL."""

from __future__ import annotations

import re

_USERINFO = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)[^/\s'\"@]*(?:@[^/\s'\"@]*)*@")
_QUERY_SECRET = re.compile(r"([?&](?:[\w-]*token|[\w-]*key|password|secret|signature|sig)=)[^&\s'\"]+", re.IGNORECASE)


def redact(text: str) -> str:
    """`text` with the user information of every URL (`https://user:token@host`) and secret query values hidden."""
    return _QUERY_SECRET.sub(r"\1***", _USERINFO.sub(lambda match: f"{match['scheme']}***@", text))
