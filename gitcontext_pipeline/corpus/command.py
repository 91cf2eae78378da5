"""Running git so that neither the user's environment, a repository's content nor a prompt can change what it does."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.errors import GitContextError

# Inside a hook git exports GIT_DIR, GIT_INDEX_FILE and others, which would silently point every command at another
# repository; only what says how to reach a server passes through.
_KEPT = ("GIT_SSL_", "GIT_SSH", "GIT_PROXY_", "GIT_HTTP_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH")
_ALWAYS = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    # Set but empty: git then neither runs core.askPass nor SSH_ASKPASS, and a missing password is an error.
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
}
_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.quotePath=true",
    "protocol.ext.allow=never",
    "fetch.recurseSubmodules=no",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "transfer.bundleURI=false",
)
_KEPT_LINES = 40


class GitFailed(GitContextError):
    """A git command ended with an error, or was stopped at its time limit (`seconds` is then set)."""

    def __init__(self, command: str, stderr: str, seconds: float | None = None) -> None:
        self.stderr = redact(stderr).strip()
        self.seconds = seconds
        reason = f"no end after {seconds:g} s" if seconds is not None else self.stderr or "failed without a word"
        super().__init__(f"git {command}: {reason}")


def environment(*, config: Mapping[str, str] | None = None, own_config: bool = True) -> dict[str, str]:
    """What git is run with: no prompts, no foreign repository, and the user's configuration only if `own_config`.

    `config` is handed over in the environment rather than as arguments, which other users of the machine can read.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key.startswith(_KEPT)}
    chosen = kept | _ALWAYS
    if "GIT_SSH" not in kept and "GIT_SSH_COMMAND" not in kept:
        chosen["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes -oConnectTimeout=10 -oServerAliveInterval=15"
    if not own_config:
        chosen |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
    for position, (key, value) in enumerate((config or {}).items()):
        chosen |= {f"GIT_CONFIG_KEY_{position}": key, f"GIT_CONFIG_VALUE_{position}": value}
    return chosen | {"GIT_CONFIG_COUNT": str(len(config or {}))}


def git_directory(repository: Path) -> Path:
    """The directory that holds the objects and refs of a bare repository, or of one with a work tree."""
    inside = repository / ".git"
    return inside if inside.is_dir() else repository


@contextmanager
def _running(
    arguments: Sequence[str],
    env: Mapping[str, str],
    seconds: float | None,
    heard: Callable[[str], None],
    directory: Path | None,
) -> Iterator[IO[bytes]]:
    """A running git whose output the caller reads; the whole process group is gone when the block ends."""
    options = [part for option in _OPTIONS for part in ("-c", option)]
    try:
        process = subprocess.Popen(
            ["git", *options, *arguments],
            env=dict(env),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise GitContextError("git is not installed, or not on the PATH", fix="Install git 2.31 or newer.") from error
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []
    expired = threading.Event()

    def listen(stream: IO[bytes]) -> None:
        for raw in stream:
            for line in raw.decode(errors="replace").replace("\r", "\n").splitlines():
                said.append(line)
                del said[:-_KEPT_LINES]
                heard(redact(line))

    def stop() -> None:
        # A transport is a child of git's: killing git alone would leave it holding the pipe, and us waiting.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return

    def expire() -> None:
        expired.set()
        stop()

    listener = threading.Thread(target=listen, args=(process.stderr,), daemon=True)
    listener.start()
    timer = threading.Timer(seconds, expire) if seconds is not None else None
    if timer:
        timer.daemon = True
        timer.start()
    left_early = True
    try:
        yield process.stdout
        left_early = bool(process.stdout.read(1))
    finally:
        if timer and not expired.is_set():
            timer.cancel()
        if left_early:
            stop()
        code = process.wait()
        listener.join(timeout=5)
        process.stdout.close()
        process.stderr.close()
    if expired.is_set():
        raise GitFailed(arguments[0], "\n".join(said), seconds)
    if code and not left_early:
        raise GitFailed(arguments[0], "\n".join(said))


def run_git(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    repository: Path | None = None,
    directory: Path | None = None,
    seconds: float | None = None,
    heard: Callable[[str], None] = lambda line: None,
) -> bytes:
    """The output of one git command; raises GitFailed. `heard` gets what git says meanwhile, line by line."""
    with _running(arguments, _bound(env, repository), seconds, heard, directory) as output:
        return output.read()


@contextmanager
def git_output(*arguments: str, repository: Path, config: Mapping[str, str] | None = None) -> Iterator[IO[bytes]]:
    """The output of one reading git command as a stream; leaving the block early ends the command."""
    env = environment(config=config, own_config=False)
    with _running(arguments, _bound(env, repository), None, lambda line: None, None) as output:
        yield output


def read_git(*arguments: str, repository: Path) -> bytes:
    """The output of a command that only reads `repository`, whatever the user's configuration is."""
    return run_git(*arguments, env=environment(own_config=False), repository=repository)


def _bound(env: Mapping[str, str] | None, repository: Path | None) -> dict[str, str]:
    chosen = dict(env if env is not None else environment())
    if repository is not None:
        # An explicit GIT_DIR also spares a state directory owned by another user (a mounted volume) git's refusal.
        chosen["GIT_DIR"] = str(git_directory(repository).absolute())
    return chosen
