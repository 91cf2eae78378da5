"""Small git repositories for tests: fixed people and dates, and nothing of the tester's own git configuration."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ADA = "Ada Lovelace"
BOB = "Bob Martin"
FIRST_DATE = 1_700_000_000
DAY = 86_400


class Repository:
    """A repository with a work tree whose every commit is a day later than the one before, so ids are the same again.

    Commands return the full id of the commit they made.
    """

    def __init__(self, path: Path, *, bare: bool = False, branch: str = "main") -> None:
        self.path = path
        self.now = FIRST_DATE
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", f"--initial-branch={branch}", *(["--bare"] if bare else []))

    def git(self, *arguments: str, stdin: bytes | None = None, author: str = ADA, **env: str) -> str:
        """The output of a git command in this repository, without its last newline."""
        return self.git_bytes(*arguments, stdin=stdin, author=author, **env).decode(errors="replace").rstrip("\n")

    def git_bytes(self, *arguments: str, stdin: bytes | None = None, author: str = ADA, **env: str) -> bytes:
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", "-c", "core.autocrlf=false", *arguments],
            cwd=self.path,
            env=isolated(author, self.now) | env,
            input=stdin if stdin is not None else b"",
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the work tree (and stage nothing)."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def commit(self, message: str, files: dict[str, str | bytes | None] | None = None, *, author: str = ADA) -> str:
        """Commit the work tree after writing `files` (None deletes one); a commit without changes is fine."""
        for path, content in (files or {}).items():
            if content is None:
                (self.path / path).unlink()
            else:
                self.write(path, content)
        self.git("add", "--all")
        return self.commit_staged(message, author=author)

    def commit_staged(self, message: str, *, author: str = ADA) -> str:
        self.now += DAY
        self.git(
            "commit", "--quiet", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "--file=-",
            stdin=message.encode(), author=author,
        )  # fmt: skip
        return self.head

    def rename(self, old: str, new: str, message: str) -> str:
        (self.path / new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", old, new)
        return self.commit_staged(message)

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Create a branch and switch to it."""
        self.git("checkout", "--quiet", "-b", name, start)

    def switch(self, name: str) -> None:
        self.git("checkout", "--quiet", name)

    def merge(self, *branches: str, message: str | None = None, number: int = 1, title: str = "A title") -> str:
        """Merge branches with a commit of its own, by default with the message GitHub writes for a pull request."""
        self.now += DAY
        message = message or f"Merge pull request #{number} from ada/{branches[0]}\n\n{title}\n"
        self.git("merge", "--quiet", "--no-ff", "--no-edit", "-m", message, *branches)
        return self.head

    def squash(self, branch: str, message: str, *, author: str = ADA) -> str:
        """All of `branch` as one commit, as GitHub's "squash and merge" does."""
        self.git("merge", "--quiet", "--squash", branch)
        return self.commit_staged(message, author=author)

    def cherry_pick(self, commit: str) -> str:
        self.now += DAY
        self.git("cherry-pick", "-x", commit)
        return self.head

    def revert(self, commit: str) -> str:
        self.now += DAY
        self.git("revert", "--no-edit", commit)
        return self.head

    def tag(self, name: str, *, annotated: bool = False) -> str:
        """Tag HEAD; the id of the tag object when it is annotated."""
        self.git("tag", *(["-a", "-m", name] if annotated else []), name)
        return self.git("rev-parse", name)

    def fast_import(self, stream: bytes) -> None:
        """Feed `git fast-import`, which can make what `git commit` refuses to: odd dates, names, bytes."""
        self.git("fast-import", "--quiet", "--force", "--date-format=raw-permissive", stdin=stream)


def isolated(author: str = ADA, now: int = FIRST_DATE) -> dict[str, str]:
    """An environment in which git knows nobody's configuration, and the time is `now`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    email = f"{author.split()[0].lower()}@example.com"
    return kept | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": author,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_AUTHOR_DATE": f"{now} +0000",
        "GIT_COMMITTER_NAME": author,
        "GIT_COMMITTER_EMAIL": email,
        "GIT_COMMITTER_DATE": f"{now} +0000",
        "LC_ALL": "C.UTF-8",
    }
