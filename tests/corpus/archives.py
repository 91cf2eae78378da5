"""Source distributions as bytes, well made and otherwise."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence

Member = tuple[tarfile.TarInfo, bytes]


def member(name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> Member:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content)
    info.linkname = link
    return info, content


def tar(members: Sequence[Member]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as packed:
        for info, content in members:
            packed.addfile(info, io.BytesIO(content))
    return raw.getvalue()


def sdist(files: Mapping[str, bytes], top: str = "demo-1.0") -> bytes:
    return tar([member(top, kind=tarfile.DIRTYPE), *(member(f"{top}/{path}", data) for path, data in files.items())])


def zipped(files: Mapping[str, bytes], top: str = "demo-1.0", links: Sequence[str] = ()) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in files.items():
            packed.writestr(f"{top}/{path}", content)
        for path in links:
            info = zipfile.ZipInfo(f"{top}/{path}")
            info.external_attr = 0o120777 << 16
            packed.writestr(info, "/etc/passwd")
    return raw.getvalue()


def bomb(size: int) -> bytes:
    """A small archive of one file of `size` zeros."""
    info = tarfile.TarInfo("demo-1.0/zeros")
    info.size = size
    return gzip.compress(info.tobuf() + bytes(size) + bytes(10240), compresslevel=9)
