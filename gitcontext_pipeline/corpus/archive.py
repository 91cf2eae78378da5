"""Unpacking a source distribution as if whoever made it meant harm: plain files in a new directory, within limits.

Members are written by hand rather than extracted, so no link, device, owner or permission of the archive takes effect.
https://docs.python.org/3/library/tarfile.html#tarfile-extraction-filter
"""

from __future__ import annotations

import gzip
import hashlib
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gitcontext_pipeline.corpus.checkout import TreeFile
from gitcontext_pipeline.errors import OriginUnavailable

MAX_FILES = 100_000
MAX_BYTES = 1 << 30
_COPY = 1 << 16


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of an archive: a path, and either what it holds or the reason it is not a regular file."""

    path: str
    content: IO[bytes] | None
    reason: str = ""


@dataclass(slots=True)
class Unpacked:
    """What was written (paths without the archive's top directory), and what was left out, with the reason."""

    files: list[TreeFile] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)


class _Budget(io.RawIOBase):
    """A stream that fails once more than `limit` bytes came out of it, however small the file it is read from."""

    def __init__(self, source: IO[bytes] | gzip.GzipFile, limit: int) -> None:
        self.source = source
        self.left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        # A negative size, or the size that a header claims, may be anything; the budget bounds both.
        wanted = self.left + 1 if size < 0 else min(size, self.left + 1)
        data = self.source.read(wanted)
        self.left -= len(data)
        if self.left < 0:
            raise OriginUnavailable(f"it unpacks to more than {MAX_BYTES} bytes")
        return data


def unpack(archive: Path, name: str, into: Path, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES) -> Unpacked:
    """Write the regular files of `archive` (called `name`) below `into`; raises OriginUnavailable and then is unusable.

    Symbolic and hard links are left out and reported, as links in a git tree are; an absolute path, a `..`, a device,
    a path that comes twice or too much of anything condemns the whole archive.
    """
    try:
        with archive.open("rb") as raw:
            members = _zip(raw) if name.endswith(".zip") else _tar(raw, max_bytes)
            return _write(members, into, max_files, max_bytes)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, OSError, ValueError, RuntimeError) as error:
        raise OriginUnavailable(f"the archive cannot be unpacked: {error}", where=name) from error
    except OriginUnavailable as error:
        raise OriginUnavailable(f"the archive was refused: {error.what}", where=name) from error


def _tar(raw: IO[bytes], max_bytes: int) -> Iterator[Member]:
    # Headers and padding count too, hence twice the budget of the files; `r|` never seeks, so nothing is read twice.
    unzipped = _Budget(gzip.GzipFile(fileobj=raw), 2 * max_bytes)
    with tarfile.open(fileobj=unzipped, mode="r|", errorlevel=1) as tar:
        for member in tar:
            if member.isdir():
                continue
            if member.isreg():
                yield Member(member.name, tar.extractfile(member))
            elif member.issym() or member.islnk():
                yield Member(member.name, None, "symbolic link" if member.issym() else "hard link")
            else:
                raise OriginUnavailable(f"{member.name!r} is a device or a pipe")


def _zip(raw: IO[bytes]) -> Iterator[Member]:
    with zipfile.ZipFile(raw) as packed:
        for member in packed.infolist():
            if member.is_dir():
                continue
            if stat.S_ISLNK(member.external_attr >> 16):
                yield Member(member.filename, None, "symbolic link")
                continue
            with packed.open(member) as content:
                yield Member(member.filename, content)


def _write(members: Iterable[Member], into: Path, max_files: int, max_bytes: int) -> Unpacked:
    result = Unpacked()
    seen: set[str] = set()
    top: str | None = None
    budget = max_bytes
    for member in members:
        parts = _parts(member.path)
        if top not in (None, parts[0]) or len(parts) == 1:
            raise OriginUnavailable("not everything in it is in one top directory")
        top, path = parts[0], "/".join(parts[1:])
        if path in seen:
            raise OriginUnavailable(f"{path!r} comes twice")
        seen.add(path)
        if len(seen) > max_files:
            raise OriginUnavailable(f"it holds more than {max_files} files")
        if member.content is None:
            result.left[path] = member.reason
            continue
        target = into.joinpath(*parts[1:])
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            while data := member.content.read(min(_COPY, budget + 1)):
                budget -= len(data)
                if budget < 0:
                    raise OriginUnavailable(f"it unpacks to more than {max_bytes} bytes")
                out.write(data)
        result.files.append(TreeFile(path, target.stat().st_size, blob_id(target.read_bytes())))
    if not result.files:
        raise OriginUnavailable("it holds no files")
    result.files.sort(key=lambda file: file.path)
    return result


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    while parts and parts[0] == ".":
        parts = parts[1:]
    odd = any(part in ("", ".", "..", ".git") for part in parts)
    if not parts or odd or "\\" in path or any(ord(character) < 32 for character in path):
        raise OriginUnavailable(f"the path {path!r} is not safe")
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise OriginUnavailable(f"the path {path!r} is not UTF-8") from error
    return parts


def blob_id(content: bytes) -> str:
    """The id git gives a blob with this content (40 hex digits)."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
