"""A pinned tree that is a dictionary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from gitcontext_pipeline.corpus.archive import blob_id
from gitcontext_pipeline.corpus.checkout import TreeFile


class FakeCheckout:
    """Records in `was_read` the path of every file that was read, in order. `sizes` overrides what the tree claims."""

    repository: Path | None = None

    def __init__(
        self,
        files: Mapping[str, str | bytes],
        *,
        not_regular: Mapping[str, str] | None = None,
        sizes: Mapping[str, int] | None = None,
        revision: str = "a" * 40,
    ) -> None:
        self.revision = revision
        self.was_read: list[str] = []
        self._content = {
            path: content.encode() if isinstance(content, str) else content for path, content in sorted(files.items())
        }
        self._not_regular = dict(not_regular or {})
        self._sizes = dict(sizes or {})

    def files(self) -> Iterator[TreeFile]:
        for path, content in self._content.items():
            yield TreeFile(path, self._sizes.get(path, len(content)), blob_id(content))

    def read(self, file: TreeFile) -> bytes:
        self.was_read.append(file.path)
        return self._content[file.path]

    def not_regular(self) -> dict[str, str]:
        return dict(self._not_regular)
