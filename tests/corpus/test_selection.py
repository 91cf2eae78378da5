from __future__ import annotations

import pytest

from gitcontext_pipeline.corpus.checkout import TreeFile
from gitcontext_pipeline.corpus.selection import select

PATHS = [
    "README.md",
    "docs/api/x.md",
    "docs/index.md",
    "src/a.py",
    "src/deep/b.py",
    "src/deep/vendor/c.py",
    "tests/a.py",
]


@pytest.mark.parametrize(
    ("include", "exclude", "chosen"),
    [
        (["**"], [], PATHS),
        (["src/**"], [], ["src/a.py", "src/deep/b.py", "src/deep/vendor/c.py"]),
        (["*.md"], [], ["README.md", "docs/api/x.md", "docs/index.md"]),
        (["docs/*.md"], [], ["docs/index.md"]),
        (["docs"], [], ["docs/api/x.md", "docs/index.md"]),
        (["src/**/*.py"], ["**/vendor/**"], ["src/a.py", "src/deep/b.py"]),
        (["**"], ["tests/", "*.md"], ["src/a.py", "src/deep/b.py", "src/deep/vendor/c.py"]),
        (["**"], ["*.md", "!README.md", "*.py"], ["README.md"]),
        (["nothing/**"], [], []),
    ],
)
def test_globs_choose_as_in_gitignore(include: list[str], exclude: list[str], chosen: list[str]) -> None:
    selection = select([TreeFile(path, 1, "0" * 40) for path in PATHS], include, exclude)
    assert [file.path for file in selection.files] == chosen
    assert selection.excluded == len(PATHS) - len(chosen)
