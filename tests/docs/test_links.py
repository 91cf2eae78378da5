"""Links of the pages lead to files, headings and pictures that exist, and every page can be found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, DOCS, ROOT, name_of, pages, prose

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|<(?:img|a)\b[^>]*\b(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
PAGES = pages()


def targets(page: Path) -> list[str]:
    """Where the page's links lead, but for other servers."""
    found = [first or second for first, second in LINK.findall(prose(page.read_text(encoding="utf-8")))]
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub names them in links."""
    found: set[str] = set()
    for heading in HEADING.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number = 0
        while slug + (f"-{number}" if number else "") in found:
            number += 1
        found.add(slug + (f"-{number}" if number else ""))
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in targets(page):
        path, _, anchor = target.partition("#")
        leads_to = (page.parent / path).resolve() if path else page
        assert leads_to.exists(), f"{name_of(page)}: {target}"
        assert leads_to.is_relative_to(ROOT), f"{name_of(page)}: {target}"
        if anchor and leads_to.suffix == ".md":
            assert anchor in anchors(leads_to), f"{name_of(page)}: {target}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        ahead += [(page.parent / target.partition("#")[0]).resolve() for target in targets(page)]
    assert set(DOCS.rglob("*.md")) - reached == set()


def test_every_picture_is_shown_somewhere() -> None:
    shown = {(page.parent / target).resolve() for page in PAGES for target in targets(page)}
    pictures = {path for path in (DOCS / "images").rglob("*") if path.is_file()}
    assert pictures - shown == set()
