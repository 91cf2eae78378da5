"""What can go wrong for a user, said as: what, where, and what to do about it."""

from __future__ import annotations

from pathlib import Path


class GitContextError(Exception):
    """A failure the user can act on; the command line prints it without a traceback and exits with `exit_code`."""

    exit_code = 3

    def __init__(self, what: str, *, where: str | Path | None = None, fix: str | None = None) -> None:
        self.what = what
        self.where = str(where) if where is not None else None
        self.fix = fix
        super().__init__(str(self))

    def __str__(self) -> str:
        located = f"{self.where}: {self.what}" if self.where else self.what
        return f"{located}\n  {self.fix}" if self.fix else located


class UsageError(GitContextError):
    """The request itself is wrong: an unknown name, a malformed file, an impossible value."""

    exit_code = 2


class OriginUnavailable(GitContextError):
    """An origin did not answer, or did not have the pinned revision; the next origin may."""


class NotIndexed(GitContextError):
    """The corpus has no published index yet."""
