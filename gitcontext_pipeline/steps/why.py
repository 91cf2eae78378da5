"""Why some lines are as they are: the changes that touched them, from what the last run of a corpus left on disk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gitcontext_pipeline.corpus.checkout import Checkout
from gitcontext_pipeline.corpus.follow import Followed, Touch, follow_lines
from gitcontext_pipeline.corpus.origins import read_checkout
from gitcontext_pipeline.corpus.permalinks import commit_url, file_url
from gitcontext_pipeline.corpus.pull_request_table import read_pull_requests
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.state import CorpusState
from gitcontext_pipeline.steps.pull_requests import PULL_REQUESTS
from gitcontext_pipeline.storage import read_json

_PLACE = re.compile(r"(?P<path>.+?)(?::|#L)(?P<start>\d+)(?:-L?(?P<end>\d+))?")


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file of the corpus, 1-based and inclusive."""

    path: str
    start: int
    end: int

    @classmethod
    def parse(cls, text: str) -> Place:
        """Understand `FILE:LINE`, `FILE:FIRST-LAST` and `FILE#L1-L9`; raises UsageError."""
        found = _PLACE.fullmatch(text)
        if found is None or int(found["start"]) < 1:
            raise UsageError(f"{text!r} names no line", fix="gitcontext why src/module.py:12, or src/module.py:12-20")
        start = int(found["start"])
        end = int(found["end"] or start)
        if end < start:
            raise UsageError(f"{text!r} ends before it begins", fix="give the first line, then the last")
        return cls(found["path"].removeprefix("./"), start, end)

    def __str__(self) -> str:
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end > self.start else "")


@dataclass(frozen=True, slots=True)
class Why:
    """The lines at the pinned revision, and what is known of how they came about."""

    place: Place
    revision: str
    url: str
    followed: Followed
    repository: str | None

    def url_of(self, touch: Touch) -> str:
        return commit_url(self.repository, touch.sha)

    def as_json(self) -> dict[str, Any]:
        return {
            "path": self.place.path,
            "start_line": self.place.start,
            "end_line": self.place.end,
            "revision": self.revision,
            "url": self.url,
            "introduced": self._told(self.followed.introduced),
            "changed": self._told(self.followed.changed),
            "touches": [self._told(touch) for touch in self.followed.touches],
        }

    def _told(self, touch: Touch | None) -> dict[str, Any] | None:
        if touch is None:
            return None
        return {
            "commit": touch.sha,
            "pr": touch.pull.number if touch.pull else None,
            "title": touch.title,
            "author": touch.author or None,
            "date": touch.date,
            "url": self.url_of(touch),
            "issues": [issue.number for issue in touch.pull.issues] if touch.pull else [],
            "reformatting": touch.reformatting,
        }


def why(corpus: CorpusState, place: Place) -> Why:
    """Follow the lines of `place` back.

    Raises:
        UsageError: there is no such file, or it has fewer lines.
        GitContextError: the corpus was made from a release, which has no history.
    """
    checkout = read_checkout(corpus.directory)
    if checkout.repository is None:
        raise GitContextError(
            f"the corpus {corpus.name!r} was made from a release, which carries no history",
            fix="index a git repository: gitcontext index URL_OR_PATH",
        )
    _verify(checkout, place)
    manifest = read_json(corpus.current / "manifest.json") if corpus.current else None
    repository = (manifest or {}).get("github")
    table = corpus.directory / PULL_REQUESTS
    pulls = read_pull_requests(table) if table.is_file() else []
    followed = follow_lines(checkout.repository, checkout.revision, place.path, place.start, place.end, pulls)
    url = file_url(repository, checkout.revision, place.path, place.start, place.end)
    return Why(place, checkout.revision, url, followed, repository)


def _verify(checkout: Checkout, place: Place) -> None:
    file = next((file for file in checkout.files() if file.path == place.path), None)
    if file is None:
        raise UsageError(
            f"there is no file {place.path!r} at {checkout.revision[:12]}",
            fix="give its path from the top of the repository",
        )
    data = checkout.read(file)
    lines = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    if place.end > lines:
        raise UsageError(f"{place.path} has {lines} lines at {checkout.revision[:12]}", where=str(place))
