"""The first origin of a corpus that answers, and what was tried before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gitcontext_pipeline.corpus.git import GitCheckout, fetch_git, fetched_from, open_git
from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.corpus.sdist import RELEASE, SdistCheckout, fetch_sdist, open_sdist
from gitcontext_pipeline.corpus.spec import CorpusSpec, GitOrigin, Origin
from gitcontext_pipeline.corpus.transport import Limits
from gitcontext_pipeline.errors import GitContextError, NotIndexed, OriginUnavailable
from gitcontext_pipeline.storage import locked, read_json, write_json

RECORD = "checkout.json"
IMPATIENT = Limits(connect=3, stall=5)
"""For an origin whose successor is on disk already: it may still be the better one, but nobody should wait for it."""


@dataclass(frozen=True, slots=True)
class OpenedOrigin:
    """A checkout, and how it was come by: the origin, its position in the spec, and why earlier ones were not used."""

    checkout: GitCheckout | SdistCheckout
    origin: Origin
    position: int
    attempts: tuple[tuple[str, str], ...]


def open_checkout(
    spec: CorpusSpec, directory: Path, *, progress: Callable[[str], None] = lambda line: None
) -> OpenedOrigin:
    """Open the first origin of `spec` that answers, and record it in `directory`; raises OriginUnavailable.

    What is on disk is used without any network. An origin that is not, but comes before one that is, is tried anew each
    time, so that a machine with a network ends up with the first; without one that costs seconds (see IMPATIENT).
    Holds the lock of `directory` meanwhile.
    """
    with locked(directory):
        attempts: list[tuple[str, str]] = []
        for position, origin in enumerate(spec.origins):
            checkout = _on_disk(spec, origin, directory)
            if checkout is None:
                later = any(_on_disk_at_all(spec, other, directory) for other in spec.origins[position + 1 :])
                progress(f"fetching {origin.label}")
                try:
                    checkout = _fetch(spec, origin, directory, IMPATIENT if later else Limits(), progress)
                except OriginUnavailable as error:
                    attempts.append((origin.label, error.what))
                    progress(f"{origin.label}: {error.what}")
                    last = error
                    continue
            opened = OpenedOrigin(checkout, origin, position, tuple(attempts))
            _record(opened, directory)
            return opened
        if len(attempts) == 1:
            raise last
        reasons = "\n".join(f"  {label}: {reason}" for label, reason in attempts)
        raise OriginUnavailable(f"no origin of the corpus {spec.name!r} can be used\n{reasons}", fix=last.fix)


def read_checkout(directory: Path, revision: str | None = None) -> GitCheckout | SdistCheckout:
    """What `open_checkout` opened last in `directory`, from disk alone; with `revision`, the tree at that one.

    Raises:
        NotIndexed: nothing was opened there, or `revision` is not what is there.
    """
    record = read_json(directory / RECORD)
    if not isinstance(record, dict):
        raise NotIndexed("nothing has been checked out here", where=directory, fix="Materialize the corpus first.")
    latest = str(record["revision"])
    if record["kind"] == "git":
        return open_git(directory, revision or latest)
    if revision not in (None, latest):
        raise NotIndexed(f"the files on disk are those of {latest}, not of {revision}", where=directory)
    return SdistCheckout(directory / RELEASE, latest)


def _on_disk(spec: CorpusSpec, origin: Origin, directory: Path) -> GitCheckout | SdistCheckout | None:
    if not isinstance(origin, GitOrigin):
        return open_sdist(directory, origin.sdist, origin.sha256, origin.revision)
    source = fetched_from(directory, origin.revision, spec.history)
    # The same commit from another origin of this corpus does not make this one reachable; from an address that the
    # spec no longer names, it does: the origin has moved.
    others = {redact(other.git) for other in spec.origins if isinstance(other, GitOrigin)} - {redact(origin.git)}
    return None if source is None or source in others else open_git(directory, origin.revision)


def _on_disk_at_all(spec: CorpusSpec, origin: Origin, directory: Path) -> bool:
    if isinstance(origin, GitOrigin):
        return fetched_from(directory, origin.revision, spec.history) is not None
    return open_sdist(directory, origin.sdist, origin.sha256, origin.revision) is not None


def _fetch(
    spec: CorpusSpec, origin: Origin, directory: Path, limits: Limits, progress: Callable[[str], None]
) -> GitCheckout | SdistCheckout:
    if isinstance(origin, GitOrigin):
        return fetch_git(origin.git, origin.revision, spec.history, directory, limits=limits, progress=progress)
    try:
        return fetch_sdist(origin.sdist, origin.sha256, origin.revision, directory, progress=progress)
    except OriginUnavailable:
        raise
    except GitContextError as error:
        raise OriginUnavailable(error.what, where=error.where, fix=error.fix) from error


def _record(opened: OpenedOrigin, directory: Path) -> None:
    files = list(opened.checkout.files())
    record = {
        "kind": "git" if isinstance(opened.checkout, GitCheckout) else "sdist",
        "origin": opened.origin.label,
        "revision": opened.checkout.revision,
        "position": opened.position,
        "attempts": [list(attempt) for attempt in opened.attempts],
        "files": len(files),
        "bytes": sum(file.size for file in files),
    }
    write_json(directory / RECORD, record)
