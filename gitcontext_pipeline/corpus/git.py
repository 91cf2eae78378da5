"""A pinned commit of a git repository, kept as a bare clone and read from its object database (no work tree)."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gitcontext_pipeline.corpus.checkout import TreeFile
from gitcontext_pipeline.corpus.command import GitFailed, environment, git_directory, read_git, run_git
from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.corpus.transport import Limits, advertised, fetch, local_path, unavailable
from gitcontext_pipeline.errors import GitContextError, OriginUnavailable, UsageError
from gitcontext_pipeline.storage import building, read_json, write_json

if TYPE_CHECKING:
    from git import Repo

History = int | Literal["all", "none"]

REPOSITORY = "repo.git"
_PINS = "pins.json"
_SHA = re.compile(r"[0-9a-f]{40}")
_OTHER_MODES = {b"120000": "symbolic link", b"160000": "submodule"}


class GitCheckout:
    """The tree of one commit in a bare repository. `close()` it, or use it as a context manager."""

    def __init__(self, repository: Path, revision: str) -> None:
        self.revision = revision
        self.repository: Path | None = repository
        self._objects = _open(repository)
        self._pipe = threading.Lock()
        self._files: list[TreeFile] = []
        self._not_regular: dict[str, str] = {}
        for entry in read_git("ls-tree", "-r", "-l", "-z", "--full-tree", revision, repository=repository).split(b"\0"):
            if entry:
                self._add(entry)

    def _add(self, entry: bytes) -> None:
        described, name = entry.split(b"\t", 1)
        mode, _, blob, size = described.split()
        try:
            path = name.decode()
        except UnicodeDecodeError:
            self._not_regular[name.decode(errors="backslashreplace")] = "file name is not UTF-8"
            return
        if mode in _OTHER_MODES:
            self._not_regular[path] = _OTHER_MODES[mode]
        else:
            self._files.append(TreeFile(path, int(size), blob.decode()))

    def files(self) -> Iterator[TreeFile]:
        """Every regular file in path order."""
        return iter(sorted(self._files, key=lambda file: file.path))

    def read(self, file: TreeFile) -> bytes:
        """The blob's bytes as committed: no filter, no end-of-line conversion, no LFS download."""
        # One `cat-file --batch` serves all reads; two threads talking to it at once would get each other's files.
        with self._pipe:
            try:
                content: bytes = self._objects.git.get_object_data(file.blob)[3]
            except ValueError as error:
                raise GitContextError(
                    f"the object {file.blob} of {file.path} is missing",
                    where=self.repository,
                    fix="Remove this directory; the next run fetches it again.",
                ) from error
        return content

    def not_regular(self) -> dict[str, str]:
        """Paths that are in the tree but are not regular files, with the reason they are left alone."""
        return dict(self._not_regular)

    def close(self) -> None:
        self._objects.close()

    def __enter__(self) -> GitCheckout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open(repository: Path) -> Repo:
    # Importing GitPython fails where git is not installed, and an sdist can be read without it.
    try:
        from git import GitCmdObjectDB, Repo
    except ImportError as error:
        raise OriginUnavailable("git is not installed, or not on the PATH", fix="Install git 2.31 or newer.") from error
    opened: Any = Repo(repository, odbt=GitCmdObjectDB)
    where = git_directory(repository).absolute()
    opened.git.update_environment(
        **environment(own_config=False),
        GIT_DIR=str(where),
        GIT_OBJECT_DIRECTORY=str(where / "objects"),
        GIT_ALTERNATE_OBJECT_DIRECTORIES="",
    )
    return opened  # type: ignore[no-any-return]


def has_commit(repository: Path, revision: str) -> bool:
    """Whether `revision` is a commit in `repository` under exactly this id."""
    if not (repository / "HEAD").exists():
        return False
    try:
        kind = read_git("cat-file", "-t", revision, repository=repository).strip()
        named = read_git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}", repository=repository)
    except GitFailed:
        return False
    return kind == b"commit" and named.strip().decode() == revision


def shallow_commits(repository: Path) -> frozenset[str]:
    """The commits whose parents were not fetched; they look like roots, and are none."""
    try:
        return frozenset((git_directory(repository) / "shallow").read_text(encoding="ascii").split())
    except FileNotFoundError:
        return frozenset()


def _covers(had: object, asked: History) -> bool:
    if had == "all" or asked == "none":
        return had is not None
    return isinstance(had, int) and isinstance(asked, int) and had >= asked


def _pins(repository: Path) -> dict[str, dict[str, Any]]:
    found = read_json(repository / _PINS)
    return found if isinstance(found, dict) else {}


def fetched_from(directory: Path, revision: str, history: History) -> str | None:
    """The (redacted) address that `revision`, with enough history, was fetched from before; None if it was not."""
    repository = directory / REPOSITORY
    pin = _pins(repository).get(revision)
    if not isinstance(pin, dict) or not _covers(pin.get("history"), history) or not has_commit(repository, revision):
        return None
    return str(pin.get("from"))


def fetch_git(
    url: str,
    revision: str,
    history: History,
    directory: Path,
    *,
    limits: Limits | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> GitCheckout:
    """Fetch exactly `revision` into the bare clone in `directory` and pin it there; raises OriginUnavailable.

    The caller holds the lock of `directory`. Killed at any moment, the clone still has whatever it had before.
    """
    repository = directory / REPOSITORY
    limits = limits or Limits()
    depth = None if history == "all" else 1 if history == "none" else history
    if (repository / "HEAD").exists():
        _remove_leftovers(repository)
        shallow = (repository / "shallow").exists()
        if history == "all" and shallow:
            depth = 2**31 - 1  # git's own notion of infinity: deepens a shallow repository to all there is
        elif not shallow:
            depth = None  # a depth would cut the history that other pins already have here
        _fetch_and_pin(url, revision, history, repository, depth, limits, progress)
    else:
        with building(repository) as beside:
            run_git("init", "--quiet", "--bare", "--template=", "--initial-branch=none", str(beside))
            _fetch_and_pin(url, revision, history, beside, depth, limits, progress)
    return GitCheckout(repository, revision)


def _fetch_and_pin(
    url: str,
    revision: str,
    history: History,
    repository: Path,
    depth: int | None,
    limits: Limits,
    progress: Callable[[str], None],
) -> None:
    if has_commit(repository, revision):
        # git does not ask a server for a commit that is here already, and would take any address for a good one.
        advertised(url, limits, "HEAD")
    fetch(url, revision, repository, depth=depth, limits=limits, progress=progress)
    if not has_commit(repository, revision):
        raise OriginUnavailable(
            f"the repository does not have the commit {revision}",
            where=redact(url),
            fix="Check that the revision is a commit (not a tag or a tree) of this repository.",
        )
    read_git("update-ref", f"refs/pins/{revision}", revision, repository=repository)
    pins = {} if depth is not None else _pins(repository)  # a new shallow boundary may run through another pin's past
    write_json(repository / _PINS, pins | {revision: {"history": history, "from": redact(url)}})


def _remove_leftovers(repository: Path) -> None:
    # A killed fetch leaves its locks and half-written packs behind; the directory's own lock says nobody is at it now.
    for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/pack/.tmp-*", "objects/incoming-*/*"):
        for leftover in repository.glob(pattern):
            if leftover.is_file():
                leftover.unlink(missing_ok=True)


def open_git(directory: Path, revision: str) -> GitCheckout:
    """The checkout of a commit that was fetched before; no network."""
    if not has_commit(directory / REPOSITORY, revision):
        raise OriginUnavailable(f"the commit {revision} has not been fetched", where=directory)
    return GitCheckout(directory / REPOSITORY, revision)


def resolve_revision(url: str, revision: str, *, limits: Limits | None = None) -> str:
    """The full commit id of a branch, tag, `HEAD` or (for local paths) any revision git understands.

    Raises UsageError when there is no such revision, OriginUnavailable when the repository cannot be asked.
    """
    path = local_path(url)
    if path is not None and path.is_dir():
        # Without the ceiling a directory that is no repository would answer for the one it lies in.
        env = environment() | {"GIT_CEILING_DIRECTORIES": str(path.parent)}
        try:
            named = run_git(
                "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}", env=env, directory=path
            )
        except GitFailed as failure:
            if "dubious ownership" in failure.stderr or "not a git repository" in failure.stderr:
                raise unavailable(url, failure) from failure
            raise UsageError(
                f"there is no commit {revision!r}", where=url, fix="Name a branch, a tag, or a commit that is there."
            ) from failure
        return named.strip().decode()
    if _SHA.fullmatch(revision.lower()):
        return revision.lower()
    refs = advertised(url, limits or Limits())
    for name in (revision, f"refs/{revision}", f"refs/tags/{revision}", f"refs/heads/{revision}"):
        if name in refs:
            return refs.get(f"{name}^{{}}", refs[name])
    raise UsageError(
        f"there is no branch or tag {revision!r}",
        where=redact(url),
        fix="Name a branch, a tag, HEAD, or a full commit id of 40 digits.",
    )
