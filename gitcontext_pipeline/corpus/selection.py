"""Which files of the tree belong to the corpus, by globs as in .gitignore (https://git-scm.com/docs/gitignore)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pathspec

from gitcontext_pipeline.corpus.checkout import TreeFile


@dataclass(frozen=True, slots=True)
class Selection:
    """The files that belong to the corpus, in the order given, and how many do not."""

    files: tuple[TreeFile, ...]
    excluded: int


def select(files: Iterable[TreeFile], include: Sequence[str] = ("**",), exclude: Sequence[str] = ()) -> Selection:
    """The files whose path matches a pattern of `include` and none of `exclude`.

    A pattern without a slash matches at any depth, a directory stands for all that is in it, `**` crosses directories,
    and a later `!pattern` takes back what an earlier one of the same list matched.
    """
    wanted = pathspec.GitIgnoreSpec.from_lines(include)
    unwanted = pathspec.GitIgnoreSpec.from_lines(exclude)
    chosen: list[TreeFile] = []
    excluded = 0
    for file in files:
        if wanted.match_file(file.path) and not unwanted.match_file(file.path):
            chosen.append(file)
        else:
            excluded += 1
    return Selection(tuple(chosen), excluded)
