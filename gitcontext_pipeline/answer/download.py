"""Fetching a model file: resumed where it broke off, checked against its published hash, and then put in its place.

What has arrived so far lies beside the place under another name; only a file with the right size and SHA-256 is renamed
into it. Addresses are those of the Hugging Face hub or of a mirror of it: ENDPOINT/REPOSITORY/resolve/COMMIT/FILE.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gitcontext_pipeline.answer.model_files import HubFile, folder
from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.storage import locked, sha256_file

if TYPE_CHECKING:
    import httpx

ENDPOINT_VARIABLE = "HF_ENDPOINT"
ENDPOINT = "https://huggingface.co"
ATTEMPTS = 4
SPARE = 64 << 20
"""Bytes of disk that a download leaves free."""

Advance = Callable[[int, int], None]
"""Called with (bytes there, bytes in all)."""

_AGAIN = "run the same command again: it goes on where it stopped"


class _BrokenOff(GitContextError):
    """The transfer stopped before its end; what has arrived is kept."""


def fetch(
    file: HubFile,
    models: Path,
    advance: Advance = lambda done, total: None,
    *,
    pause: float = 1.0,
    free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
) -> Path:
    """The path of `file` under `models`, fetched if it is not there yet. `pause` is in seconds, doubled each attempt.

    Raises:
        GitContextError: it cannot be had, does not fit on the disk, or is not the published file.
    """
    with locked(folder(models)):
        target = folder(models) / file.filename
        if target.is_file() and target.stat().st_size == file.size and sha256_file(target) == file.sha256:
            advance(file.size, file.size)
            return target
        part = target.with_name(f"{file.filename}.{file.sha256[:12]}.part")
        _check_room(file, part, free)
        _transfer(file, part, advance, pause)
        _check(file, part)
        part.replace(target)
        return target


def address(file: HubFile) -> str:
    """Where the file is: on the hub, or on the mirror that `HF_ENDPOINT` names."""
    endpoint = (os.environ.get(ENDPOINT_VARIABLE) or ENDPOINT).rstrip("/")
    return f"{endpoint}/{file.repository}/resolve/{file.revision}/{file.filename}"


def _transfer(file: HubFile, part: Path, advance: Advance, pause: float) -> None:
    import httpx
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

    timeout = httpx.Timeout(60, connect=10)
    retrying = Retrying(
        retry=retry_if_exception_type(_BrokenOff),
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_exponential(multiplier=pause, max=30),
        reraise=True,
    )
    with httpx.Client(follow_redirects=True, timeout=timeout) as client:
        retrying(_attempt, client, file, part, advance)


def _attempt(client: httpx.Client, file: HubFile, part: Path, advance: Advance) -> None:
    have = part.stat().st_size if part.exists() else 0
    if have > file.size:
        part.unlink()
        have = 0
    if have == file.size:
        return
    with _response(client, address(file), have) as response:
        # A server that ignores the range sends the file from its beginning.
        mode, have = ("ab", have) if response.status_code == 206 else ("wb", 0)
        _check_announced(response, file, have)
        try:
            with part.open(mode) as out:
                for content in response.iter_raw():  # as it comes: what a larger part would hold back is lost
                    have += len(content)
                    if have > file.size:
                        raise _unpublished(file, part, f"it is longer than {file.size} bytes")
                    out.write(content)
                    advance(have, file.size)
        except OSError as error:
            raise _disk_error(error, part) from error
    if have < file.size:
        raise _BrokenOff(
            f"the transfer broke off after {have} of {file.size} bytes", where=redact(address(file)), fix=_AGAIN
        )


@contextmanager
def _response(client: httpx.Client, url: str, have: int) -> Iterator[httpx.Response]:
    import httpx

    where = redact(url)
    headers = {"User-Agent": "gitcontext", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    mirror = f"check the network, name a mirror in {ENDPOINT_VARIABLE}, or give the path of a file you have"
    try:
        with client.stream("GET", url, headers=headers) as response:
            status = response.status_code
            if status >= 500 or status in (408, 429):
                raise _BrokenOff(f"the server answered {status}", where=where, fix=_AGAIN)
            if status not in (200, 206):
                raise GitContextError(f"the server answered {status}", where=where, fix=mirror)
            yield response
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise GitContextError(f"no connection ({redact(str(error))})", where=where, fix=mirror) from error
    except httpx.TransportError as error:
        told = redact(str(error)) or type(error).__name__
        raise _BrokenOff(f"the transfer broke off ({told})", where=where, fix=_AGAIN) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise GitContextError(f"the request failed ({redact(str(error))})", where=where, fix=mirror) from error


def _check_announced(response: httpx.Response, file: HubFile, have: int) -> None:
    """Raise before the first byte when what the server announces is not the pinned file."""
    length = response.headers.get("content-length", "")
    if length.isdecimal() and have + int(length) != file.size:
        raise GitContextError(
            f"the server offers {have + int(length)} bytes, the published file has {file.size}",
            where=redact(str(response.url)),
            fix=f"unset {ENDPOINT_VARIABLE}, or name a mirror that has the file at commit {file.revision[:12]}",
        )


def _check_room(file: HubFile, part: Path, free: Callable[[Path], int]) -> None:
    missing = file.size - (part.stat().st_size if part.exists() else 0)
    room = free(part.parent)
    if room < missing + SPARE:
        raise GitContextError(
            f"{missing / 1e6:.0f} MB are still to be fetched, and {room / 1e6:.0f} MB are free",
            where=part.parent,
            fix="make room, or let GITCONTEXT_STATE name a directory on a larger disk",
        )


def _check(file: HubFile, part: Path) -> None:
    sha256 = sha256_file(part)
    if sha256 != file.sha256:
        raise _unpublished(file, part, f"its SHA-256 is {sha256}, the published one {file.sha256}")


def _unpublished(file: HubFile, part: Path, how: str) -> GitContextError:
    part.unlink(missing_ok=True)
    return GitContextError(
        f"what arrived is not the published file, and was thrown away: {how}",
        where=redact(address(file)),
        fix=f"run the command again; if it happens twice, do not trust the server ({ENDPOINT_VARIABLE})",
    )


def _disk_error(error: OSError, part: Path) -> GitContextError:
    what = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else f"cannot be written: {error}"
    return GitContextError(what, where=part.parent, fix=f"make room, then {_AGAIN}")
