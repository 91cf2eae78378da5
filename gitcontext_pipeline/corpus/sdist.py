"""A released source distribution as a checkout: downloaded, verified, unpacked, never built and never run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path, PurePosixPath

from gitcontext_pipeline.corpus.archive import Unpacked, blob_id, unpack
from gitcontext_pipeline.corpus.checkout import TreeFile
from gitcontext_pipeline.corpus.package_index import PackageIndex
from gitcontext_pipeline.corpus.pip_settings import IndexSettings, configured_settings
from gitcontext_pipeline.corpus.simple_pages import Candidate
from gitcontext_pipeline.errors import GitContextError, OriginUnavailable
from gitcontext_pipeline.storage import building, read_json, write_json

RELEASE = "release"
_MANIFEST = "manifest.json"
_TREE = "tree"
_PACKAGING = "made by the packaging, not in the repository"
_CHECK_HASH = "Compare the pinned sha256 with the one that the package index publishes for this file."


class SdistCheckout:
    """The files of a release that `fetch_sdist` unpacked in `release`; `revision` is the commit it corresponds to."""

    def __init__(self, release: Path, revision: str) -> None:
        self.revision = revision
        self.repository: Path | None = None
        self._tree = release / _TREE
        manifest = read_json(release / _MANIFEST)
        if not isinstance(manifest, dict):
            raise OriginUnavailable("no release has been unpacked here", where=release)
        self._files = [TreeFile(**file) for file in manifest["files"]]
        self._not_regular: dict[str, str] = dict(manifest["left"])

    def files(self) -> Iterator[TreeFile]:
        """Every regular file in path order."""
        return iter(self._files)

    def read(self, file: TreeFile) -> bytes:
        """The file's content, checked against its blob id, since a directory can be edited."""
        try:
            content = self._tree.joinpath(file.path).read_bytes()
        except OSError:
            content = b""
        if blob_id(content) != file.blob:
            raise GitContextError(
                "this file of the release was changed or removed after it was unpacked",
                where=self._tree / file.path,
                fix="Remove the release directory; the next run downloads it again.",
            )
        return content

    def not_regular(self) -> dict[str, str]:
        """Paths that the archive has but the checkout leaves alone, with the reason."""
        return dict(self._not_regular)

    def close(self) -> None:
        """Nothing is held open."""

    def __enter__(self) -> SdistCheckout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_sdist(directory: Path, requirement: str, sha256: str, revision: str) -> SdistCheckout | None:
    """The checkout of a release that was unpacked in `directory` before, if it is exactly that one."""
    manifest = read_json(directory / RELEASE / _MANIFEST)
    if not isinstance(manifest, dict) or (manifest.get("sdist"), manifest.get("sha256")) != (requirement, sha256):
        return None
    return SdistCheckout(directory / RELEASE, revision)


def fetch_sdist(
    requirement: str,
    sha256: str,
    revision: str,
    directory: Path,
    *,
    settings: IndexSettings | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> SdistCheckout:
    """Download NAME==VERSION from the configured index and unpack it in `directory`; raises OriginUnavailable.

    Nothing is unpacked unless the file has exactly `sha256`. The caller holds the lock of `directory`; the release
    that was there before stays until the new one is complete.
    """
    name, version = requirement.split("==", 1)
    with PackageIndex(settings or configured_settings()) as index, tempfile.TemporaryDirectory() as scratch:
        found = index.find(name, version)
        wanted = [candidate for candidate in found.candidates if candidate.sha256 in (sha256, None)]
        wanted.sort(key=lambda candidate: candidate.sha256 is None)
        if not wanted:
            raise _none_found(requirement, sha256, found.candidates, found.silent)
        reasons: list[str] = []
        archive = Path(scratch) / "archive"
        for candidate in wanted:
            progress(f"downloading {candidate.filename}")
            try:
                arrived = index.download(candidate, archive)
            except OriginUnavailable as error:
                reasons.append(error.what)
                continue
            if arrived == sha256:
                _unpack(archive, candidate, requirement, sha256, directory)
                return SdistCheckout(directory / RELEASE, revision)
            reasons.append(f"{candidate.filename} has the sha256 {arrived}, not the pinned one; it was not unpacked")
    raise OriginUnavailable("; ".join(reasons), where=f"sdist {requirement}", fix=_CHECK_HASH)


def _none_found(requirement: str, sha256: str, offered: list[Candidate], silent: list[str]) -> OriginUnavailable:
    where = f"sdist {requirement}"
    if offered:
        others = ", ".join(sorted({f"{file.filename} with sha256 {file.sha256}" for file in offered}))
        return OriginUnavailable(f"the index offers {others}, not the pinned {sha256}", where=where, fix=_CHECK_HASH)
    reasons = f" ({'; '.join(silent)})" if silent else ""
    return OriginUnavailable(
        f"the configured package indexes have no such source distribution{reasons}",
        where=where,
        fix="Check the name and the version, the network, and `python -m pip config list`.",
    )


def _unpack(archive: Path, candidate: Candidate, requirement: str, sha256: str, directory: Path) -> None:
    with building(directory / RELEASE) as beside:
        unpacked = unpack(archive, candidate.filename, beside / _TREE)
        files = _without_packaging(unpacked, beside / _TREE)
        manifest = {
            "sdist": requirement,
            "sha256": sha256,
            "file": candidate.filename,
            "files": [asdict(file) for file in files],
            "left": unpacked.left,
        }
        write_json(beside / _MANIFEST, manifest)


def _without_packaging(unpacked: Unpacked, tree: Path) -> list[TreeFile]:
    """The files that the repository can have too; a permalink to what the packaging added would lead nowhere."""
    kept: list[TreeFile] = []
    for file in unpacked.files:
        path = PurePosixPath(file.path)
        made = file.path == "PKG-INFO" or any(part.endswith(".egg-info") for part in path.parts[:-1])
        if file.path == "setup.cfg":
            # setuptools appends this section to the file, or makes the file for it.
            made = b"[egg_info]\ntag_build = \ntag_date = 0\n" in tree.joinpath(path).read_bytes()
        if made:
            unpacked.left[file.path] = _PACKAGING
        else:
            kept.append(file)
    return kept
