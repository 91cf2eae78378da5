"""What part a file plays in its repository, told from paths alone, so that search can prefer what the project is.

The rules hold for every language and are meant to be conservative: a file is `main` unless its path says otherwise.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

Role = Literal["main", "test", "example", "generated", "vendored", "translated"]

_VENDORED = frozenset(
    "vendor vendored _vendor _vendored third_party third-party thirdparty node_modules bower_components".split()
)
_GENERATED = frozenset("generated __generated__ __snapshots__ autogen".split())
_TEST_DATA = frozenset("testdata test_data test-data fixtures __fixtures__ __mocks__ __snapshots__".split())
_TESTS = frozenset("test tests spec __tests__ e2e bench benches benchmark benchmarks unittests runtime-tests".split())
_TEST_FOLDER = re.compile(r"^.+[-_.]tests?$|^tests?[-_].+$")
_EXAMPLES = frozenset("example examples sample samples demo demos playground".split())
_TEST_FILE = re.compile(
    r"""^(?:
        test_.+\.py | .+_test\.\w+ | .+_tests\.\w+ | .+_spec\.rb | .+[.-](?:test|spec|bench|e2e)(?:-d)?\.\w+
        | tests?\.(?:py|rs) | conftest\.py | .+_benchmark\.\w+ | .+\.bats
        | \w*[a-z0-9]Tests?\.(?:java|kt|kts|cs|swift|php|scala|groovy) | Test[A-Z]\w*\.(?:java|kt|cs)
    )$""",
    re.VERBOSE,
)
_GUIDES = frozenset({".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc"})
_PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".html"})
_MESSAGES = frozenset(
    {".po", ".pot", ".json", ".yml", ".yaml", ".toml", ".properties", ".strings", ".arb", ".ftl", ".xlf"}
)
_LANGUAGE_PARENTS = frozenset(
    "docs doc i18n l10n locale locales lang langs languages translations translated content readme readmes".split()
)
_ALWAYS_TRANSLATED = frozenset({"translations", "translated", "lc_messages"})
_FOR_LANGUAGES_ONLY = frozenset("i18n l10n locale locales".split())
_LANGUAGE_CODES = frozenset(
    """
    af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja jp ka kk km
    kn ko kr ku ky lo lt lv mk ml mn mr ms my ne nl nn no pa pl ps pt ro ru si sk sl sq sr sv sw ta te tg th tl tr tw uk
    ur uz vi yue zh cn hans hant br
    """.split()
)
_ENGLISH = re.compile(r"^en(?:[-_][A-Za-z]{2})?$")
_CODE_WITH_REGION = re.compile(r"^([a-z]{2,3})[-_](?:[A-Za-z]{4}(?:[-_][A-Za-z]{2})?|[A-Z]{2}|[a-z]{2}|419)$")
_SUFFIXED = re.compile(r"^(.+?)[._-]([A-Za-z]{2,4}(?:[-_][A-Za-z]{2,4})?)$")


def role_of(path: str, paths: frozenset[str] = frozenset()) -> Role:
    """The role of the file at `path`; `paths` are all paths of the tree.

    They tell a translation from a package that happens to be called `it`: a bare language code counts where other
    language codes stand beside it, or the original stands beside the translation.
    """
    pure = PurePosixPath(path)
    folders = [folder.lower() for folder in pure.parts[:-1]]
    if not _VENDORED.isdisjoint(folders):
        return "vendored"
    if not _GENERATED.isdisjoint(folders):
        return "generated"
    if _is_translated(pure, paths):
        return "translated"
    in_tests = any(folder in _TESTS or _TEST_FOLDER.match(folder) for folder in folders)
    guide = pure.suffix.lower() in _GUIDES
    if _TEST_FILE.match(pure.name) or not _TEST_DATA.isdisjoint(folders) or (in_tests and not guide):
        return "test"
    if not _EXAMPLES.isdisjoint(folders):
        return "example"
    return "main"


def _is_translated(path: PurePosixPath, paths: frozenset[str]) -> bool:
    suffix = path.suffix.lower()
    if suffix in {".po", ".mo"}:
        return True
    if suffix not in _PROSE and suffix not in _MESSAGES:
        return False
    folders = path.parts[:-1]
    if not _ALWAYS_TRANSLATED.isdisjoint(folder.lower() for folder in folders):
        return True
    for depth, folder in enumerate(folders):
        if _is_foreign(folder) and _is_language_folder(folders, depth, paths):
            return True
    named = _SUFFIXED.match(path.stem)
    if named is None or not _is_foreign(named.group(2)) or suffix not in _PROSE:
        return False
    original = str(path.with_name(named.group(1) + path.suffix))
    return original in paths or _CODE_WITH_REGION.match(named.group(2)) is not None


def _is_foreign(word: str) -> bool:
    """Whether `word` is the code of a language other than English."""
    if _ENGLISH.match(word):
        return False
    with_region = _CODE_WITH_REGION.match(word)
    return (with_region.group(1) if with_region else word.lower()) in _LANGUAGE_CODES


def _is_language_folder(folders: tuple[str, ...], depth: int, paths: frozenset[str]) -> bool:
    parent = folders[depth - 1].lower() if depth else ""
    if _CODE_WITH_REGION.match(folders[depth]) or parent in _FOR_LANGUAGES_ONLY:
        return True
    if not paths:
        return parent in _LANGUAGE_PARENTS
    siblings = _folders_in(paths).get(folders[:depth], frozenset())
    others = [one for one in siblings if one != folders[depth] and (_is_foreign(one) or _ENGLISH.match(one))]
    return len(others) >= (1 if parent in _LANGUAGE_PARENTS else 2)


@lru_cache(maxsize=4)
def _folders_in(paths: frozenset[str]) -> dict[tuple[str, ...], frozenset[str]]:
    """The names of the folders in each folder."""
    inside: dict[tuple[str, ...], set[str]] = {}
    for path in paths:
        folders = tuple(path.split("/")[:-1])
        for depth, folder in enumerate(folders):
            inside.setdefault(folders[:depth], set()).add(folder)
    return {folder: frozenset(names) for folder, names in inside.items()}
