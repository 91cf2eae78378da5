"""Bringing one pinned commit from wherever it is into a bare repository, within limits, or saying why not.

https://git-scm.com/docs/git-fetch, https://git-scm.com/docs/protocol-v2
"""

from __future__ import annotations

import re
import socket
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gitcontext_pipeline.corpus.command import GitFailed, environment, run_git
from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.errors import OriginUnavailable

_PORTS = {"http": 80, "https": 443, "git": 9418}
_REMOTE = "pinned"

# What git says in the C locale, what that means, and what to do about it.
_CAUSES = (
    ("dubious ownership", "the repository belongs to another user",
     "If you trust it: git config --global --add safe.directory '{url}'"),
    ("could not read Username|Authentication failed|terminal prompts disabled|HTTP 40[13]|error: 40[13]",
     "access was denied", "Check the address, or set up a git credential helper that can read it."),
    ("Permission denied \\(|Host key verification failed|publickey", "ssh access was denied",
     "Check with `ssh -T` that the key works without a prompt."),
    ("not our ref|couldn't find remote ref|does not allow request for unadvertised|no such ref",
     "the repository does not have the commit {revision}",
     "Check the revision; a commit of a deleted branch or of a fork must be pushed to this repository."),
    ("not found|does not exist|does not appear to be a git repository|not a git repository|error: 404",
     "there is no git repository at this address", "Check the address."),
    ("Could not resolve host|Name or service not known|Temporary failure in name resolution",
     "the host name is unknown from here", "Check the network, or add an origin that is reachable from here."),
    ("No space left on device|Disk quota exceeded", "no space left on device for what git fetches", "Make room."),
    ("Operation too slow", "the server stopped sending", "Try again later, or add another origin."),
    ("Connection refused|Failed to connect|Couldn't connect|Connection timed out|No route to host|unreachable",
     "the server did not answer", "Check the network, or add an origin that is reachable from here."),
    ("certificate|SSL", "the server's certificate was not accepted", "Set GIT_SSL_CAINFO to your certificate bundle."),
)  # fmt: skip
_UNADVERTISED = re.compile("does not allow request for unadvertised|dumb http transport|Cannot obtain needed")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a server may keep us waiting, in seconds: to connect, without sending anything, and in all."""

    connect: float = 10
    stall: float = 60
    total: float = 3600


def local_path(url: str) -> Path | None:
    """The directory (or bundle) that `url` names when it is a path on this machine, made absolute; else None."""
    if "://" in url:
        return None
    path = Path(url).expanduser()
    # `host:path` is how ssh addresses look, but a path that exists is meant as a path, as git itself decides.
    scp_like = ":" in url.split("/", 1)[0]
    return None if scp_like and not path.exists() else path.resolve()


def _remote(url: str, limits: Limits) -> dict[str, str]:
    """The environment in which the remote `pinned` is `url`: as configuration it can never be read as an option."""
    config = {
        f"remote.{_REMOTE}.url": str(local_path(url) or url),
        "http.lowSpeedLimit": "1",
        "http.lowSpeedTime": str(max(1, round(limits.stall))),
        "http.followRedirects": "initial",
    }
    return environment(config=config)


def unavailable(url: str, failure: GitFailed, revision: str | None = None) -> OriginUnavailable:
    """The user's version of what git said about `url`."""
    shown = redact(url)
    if failure.seconds is not None:
        return OriginUnavailable(
            f"no complete answer within {failure.seconds:g} s", where=shown, fix="Try again, or add another origin."
        )
    for pattern, meaning, fix in _CAUSES:
        if re.search(pattern, failure.stderr, re.IGNORECASE):
            named = {"url": local_path(url) or shown, "revision": revision or ""}
            return OriginUnavailable(meaning.format(**named), where=shown, fix=fix.format(**named))
    lines = [line for line in failure.stderr.splitlines() if line.startswith(("fatal:", "error:", "remote:"))]
    return OriginUnavailable(f"git could not fetch: {(lines or [failure.stderr])[-1]}", where=shown)


def probe(url: str, limits: Limits) -> None:
    """Raise OriginUnavailable unless the server of `url` can be connected to; git itself would wait for minutes."""
    path = local_path(url)
    if path is not None:
        if not path.exists():
            raise OriginUnavailable("there is no such path", where=url, fix="Check the path of the git origin.")
        return
    try:
        rewritten = run_git("ls-remote", "--get-url", _REMOTE, env=_remote(url, limits), seconds=limits.total)
    except GitFailed as failure:
        raise unavailable(url, failure) from failure
    target = urlsplit(rewritten.decode(errors="replace").strip())
    host = target.hostname
    if host is None or target.scheme not in _PORTS or _through_proxy(target.scheme, host, limits):
        return
    try:
        socket.create_connection((host, target.port or _PORTS[target.scheme]), timeout=limits.connect).close()
    except (OSError, UnicodeError) as error:
        reason = "the host name is unknown from here" if isinstance(error, socket.gaierror) else "no connection"
        raise OriginUnavailable(
            f"{reason} ({error})",
            where=redact(url),
            fix="Check the network, or add an origin that is reachable from here.",
        ) from error


def _through_proxy(scheme: str, host: str, limits: Limits) -> bool:
    if not scheme.startswith("http"):
        return False
    proxies = urllib.request.getproxies()
    if (scheme in proxies or "all" in proxies) and not urllib.request.proxy_bypass(host):
        return True
    try:
        configured = run_git(
            "config", "--get-urlmatch", "http.proxy", f"{scheme}://{host}", env=environment(), seconds=limits.total
        )
    except GitFailed:
        return False
    return bool(configured.strip())


def fetch(
    url: str,
    revision: str,
    repository: Path,
    *,
    depth: int | None,
    limits: Limits,
    progress: Callable[[str], None] = lambda line: None,
) -> None:
    """Add the commit `revision` of `url` to the objects of `repository`, with `depth` commits of history (None: all).

    Raises OriginUnavailable. Only objects are added; a ref that keeps them is the caller's to set.
    """
    probe(url, limits)
    env = _remote(url, limits)
    common = [
        "fetch",
        "--no-tags",
        "--no-write-fetch-head",
        "--recurse-submodules=no",
        "--update-shallow",
        "--progress",
    ]
    limited = [f"--depth={depth}"] if depth is not None else []

    def attempt(options: Sequence[str], *wanted: str) -> None:
        run_git(
            *common, *options, _REMOTE, *wanted, env=env, repository=repository, seconds=limits.total, heard=progress
        )

    try:
        try:
            attempt(limited, revision)
        except GitFailed as refused:
            if not _UNADVERTISED.search(refused.stderr):
                raise
            # An old or a dumb server hands out only what its refs name: take all of them, the commit is among them.
            attempt([], "+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*")
    except GitFailed as failure:
        raise unavailable(url, failure, revision) from failure


def advertised(url: str, limits: Limits, *names: str) -> dict[str, str]:
    """The refs (those called `names`, or all) that the repository at `url` advertises, with what they point to.

    The commit of an annotated tag has an entry of its own, `refs/tags/v1^{}`. Raises OriginUnavailable.
    """
    probe(url, limits)
    try:
        listing = run_git("ls-remote", "--quiet", _REMOTE, *names, env=_remote(url, limits), seconds=limits.total)
    except GitFailed as failure:
        raise unavailable(url, failure) from failure
    rows = (line.split("\t", 1) for line in listing.decode(errors="replace").splitlines() if "\t" in line)
    return {name: sha for sha, name in rows}
