"""Pieces of evidence with real code in them, and true claims about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gitcontext_pipeline.answer.claims import Claim
from gitcontext_pipeline.answer.excerpts import Excerpt
from gitcontext_pipeline.answer.shown import Shown
from gitcontext_pipeline.retrieval.result import Result

REVISION = "6e83187b8feb273ed4c6cdab5efd8d54901dfab3"
QUESTION = "Where does Requests strip redirect authorization?"

SHOULD_STRIP_AUTH = '''\
def should_strip_auth(self, old_url: str, new_url: str) -> bool:
    """Decide whether Authorization header should be removed when redirecting"""
    old_parsed = urlparse(old_url)
    new_parsed = urlparse(new_url)
    if old_parsed.hostname != new_parsed.hostname:
        return True
    # Special case: allow http -> https redirect when using the standard
    # ports. This isn't specified by RFC 7235, but is kept to avoid
    # breaking backwards compatibility with older versions of requests
    # that allowed any redirects on the same host.
    if (
        old_parsed.scheme == "http"
        and old_parsed.port in (80, None)
        and new_parsed.scheme == "https"
        and new_parsed.port in (443, None)
    ):
        return False

    # Standard case: root URI must match
    return changed_port or changed_scheme'''

REBUILD_AUTH = '''\
def rebuild_auth(self, prepared_request: PreparedRequest, response: Response) -> None:
    """When being redirected we may want to strip authentication from the
    request to avoid leaking credentials.
    """
    headers = prepared_request.headers
    original_url = response.request.url

    if "Authorization" in headers and self.should_strip_auth(original_url, url):
        # If we get redirected to a new host, we should strip out any
        # authentication headers.
        del headers["Authorization"]

    # .netrc might have more auth for us on our new host.
    new_auth = get_netrc_auth(url) if self.trust_env else None
    if new_auth is not None:
        prepared_request.prepare_auth(new_auth)'''

ITER_LINES = '''\
def iter_lines(self, chunk_size=512, decode_unicode=False, delimiter=None):
    """Iterates over the response data, one line at a time.

    .. note:: This method is not reentrant safe.
    """
    pending = None
    for chunk in self.iter_content(chunk_size=chunk_size, decode_unicode=decode_unicode):
        if pending is not None:
            chunk = pending + chunk
        lines = chunk.split(delimiter) if delimiter else chunk.splitlines()
        if lines and lines[-1] and chunk and lines[-1][-1] == chunk[-1]:
            pending = lines.pop()
        else:
            pending = None
        yield from lines
    if pending is not None:
        yield pending'''

CHANGE = """\
Strip the header on a change of host (#4718)

Credentials leaked to the new host when a redirect changed it.

M requests/sessions.py"""


def result(
    text: str, *, symbol: str | None, path: str = "src/requests/sessions.py", start: int = 1, **other: Any
) -> Result:
    end = start + text.count("\n")
    fields: dict[str, Any] = {
        "id": f"{path}:{start}",
        "kind": "code",
        "path": path,
        "role": "main",
        "language": "python",
        "symbol": symbol,
        "symbol_kind": "function" if symbol else None,
        "signature": text.split("\n", 1)[0],
        "start_line": start,
        "end_line": end,
        "revision": REVISION,
        "url": f"https://github.com/psf/requests/blob/{REVISION}/{path}#L{start}-L{end}",
        "commit": None,
        "pr": None,
        "author": None,
        "date": None,
        "text": text,
        "score": 1.0,
    }
    return Result(**{**fields, **other})


STRIP = result(SHOULD_STRIP_AUTH, symbol="SessionRedirectMixin.should_strip_auth", start=154)
REBUILD = result(REBUILD_AUTH, symbol="SessionRedirectMixin.rebuild_auth", start=309)
LINES = result(ITER_LINES, symbol="Response.iter_lines", path="src/requests/models.py", start=886)
FIX = result(
    CHANGE,
    symbol=None,
    path="",
    kind="pull_request",
    signature="Strip the header on a change of host",
    url=f"https://github.com/psf/requests/commit/{REVISION}",
    commit=REVISION,
    pr=4718,
    author="Ada",
)
EVIDENCE = (STRIP, REBUILD, LINES, FIX)


def whole(number: int, evidence: Result) -> Excerpt:
    """An excerpt that shows every line."""
    lines = evidence.text.split("\n")
    return Excerpt(number, evidence, {evidence.start_line + at: line for at, line in enumerate(lines)})


SHOWN = Shown(QUESTION, {number: whole(number, each) for number, each in enumerate(EVIDENCE, 1)})

TRUE_CLAIMS = (
    Claim("Once the hostname of the old and that of the new URL differ, the answer is `True` at once.", 1, 156, 159),
    Claim(
        "A redirect from http to https keeps authorization while the ports are the standard 80 and 443.", 1, 160, 170
    ),
    Claim("In every other case `should_strip_auth` looks at changed_port and changed_scheme.", 1, 172, 173),
    Claim(
        "Before following a redirect, rebuild_auth deletes the Authorization entry of the request headers.", 2, 316, 319
    ),
    Claim(
        "Credentials for the new host may then come from .netrc through `get_netrc_auth` if trust_env is set.",
        2,
        321,
        324,
    ),
    Claim(
        "A chunk that does not end with a delimiter leaves its last piece in `pending` for the next chunk.", 3, 893, 900
    ),
    Claim("Lines are cut out of chunks of 512 units by default, as iter_lines declares its chunk_size.", 3, 886, 886),
    Claim("The header is dropped because credentials leaked to a host that a redirect had changed.", 4, 1, 3),
)


def reply(claims: Sequence[Claim | Mapping[str, Any]]) -> str:
    """The reply of a model that makes these claims, in the form that the grammar gives it."""
    rows = [
        {"source": each.source, "from": each.start, "to": each.end, "text": each.text}
        if isinstance(each, Claim)
        else dict(each)
        for each in claims
    ]
    return json.dumps({"claims": rows}, separators=(",", ":"))
