"""Why some lines are as they are: the changes that touched them, from what the last run of a corpus left on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitcontext_pipeline.answer.source import Place, pinned, read_lines
from gitcontext_pipeline.corpus.follow import Followed, Touch, follow_lines
from gitcontext_pipeline.corpus.permalinks import commit_url, file_url
from gitcontext_pipeline.corpus.pull_request_table import PULL_REQUESTS, read_pull_requests
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.state import CorpusState


@dataclass(frozen=True, slots=True)
class Why:
    """The lines at the pinned revision, and what is known of how they came about."""

    place: Place
    revision: str
    url: str
    followed: Followed
    repository: str | None

    @property
    def between(self) -> list[Touch]:
        """The changes that neither introduced the lines nor last changed them."""
        return [
            touch for touch in self.followed.touches if touch not in (self.followed.introduced, self.followed.changed)
        ]

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


def why(corpus: CorpusState, place: Place, manifest: Mapping[str, Any] | None = None) -> Why:
    """Follow the lines of `place` back, from the revision of the snapshot with that manifest, or of the published one.

    Raises:
        UsageError: there is no such file, or it has fewer lines.
        GitContextError: the corpus was made from a release, which has no history.
    """
    found = pinned(corpus, manifest)
    checkout, repository = found.checkout, found.repository
    if checkout.repository is None:
        raise GitContextError(
            f"the corpus {corpus.name!r} was made from a release, which carries no history",
            fix="index a git repository: gitcontext index URL_OR_PATH",
        )
    read_lines(checkout, place)
    table = corpus.directory / PULL_REQUESTS
    pulls = read_pull_requests(table) if table.is_file() else []
    followed = follow_lines(checkout.repository, checkout.revision, place.path, place.start, place.end, pulls)
    url = file_url(repository, checkout.revision, place.path, place.start, place.end)
    return Why(place, checkout.revision, url, followed, repository)
