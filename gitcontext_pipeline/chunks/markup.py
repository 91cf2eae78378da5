"""Markdown, reStructuredText and AsciiDoc: where their headings are.

The rules are those of CommonMark (https://spec.commonmark.org/0.31.2/#atx-headings), docutils
(https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections) and AsciiDoc, read line by line: what is
inside fenced code, front matter, comments, or indented blocks is not a heading.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from gitcontext_pipeline.chunks.lines import is_blank, skimmed_lines
from gitcontext_pipeline.chunks.schema import Span
from gitcontext_pipeline.chunks.sections import Heading, split_sections

HEADING_CHARACTERS = 200

_FENCE = re.compile(r"^\s*(?:[-*+>]\s+|\d+[.)]\s+)*(`{3,}|~{3,})([^`]*)$")
_ATX = re.compile(r"^ {0,3}(#{1,6})((?:[ \t].*)?)$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_NOT_A_PARAGRAPH = re.compile(
    r"^(?: {4}|\t| {0,3}(?:[-*+>|]\s|[-*+>|]$|\d{1,9}[.)]\s|#{1,6}\s|<|`{3}|~{3}))|^[\s|:\-=*_]+$"
)
_HTML_HEADING = re.compile(r"^ {0,3}<h([1-6])\b[^>]*>(.*?)</h\1>\s*$", re.IGNORECASE)
_FRONT_MATTER_TITLE = re.compile(r"""^title\s*[:=]\s*["']?(.*?)["']?\s*$""")
_MARKDOWN_ANCHOR = re.compile(r"""^\s*<a\s+(?:name|id)=[^>]*>\s*(?:</a>)?\s*$""")
_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1*\s*$")
_RST_LABEL = re.compile(r"^\.\. _[^:]+:\s*$|^\.\. _`[^`]+`:\s*$")
_ASCIIDOC = re.compile(r"^(={1,6})([ \t].*)$")
_ASCIIDOC_BLOCK = re.compile(r"^(-{4,}|\.{4,}|\+{4,}|/{4,}|_{4,}|\*{4,}|`{3,})[^\n]*$")
_ASCIIDOC_ANCHOR = re.compile(r"^\[\[?[^\]]*\]\]?\s*$")

_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"\s*\{#[^}]*\}\s*$"), ""),
    (re.compile(r"(?<!\w):[\w:+.-]+:`~?([^`<]*?)(?:\s*<[^`>]*>)?`"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?"), r"\1"),
    (re.compile(r"`+([^`]+)`+(?:__?\b)?"), r"\1"),
    (re.compile(r"<(https?://[^>\s]+)>"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>]*>"), ""),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def plain_heading(written: str) -> str:
    """A heading as a reader sees it, without inline markup."""
    written = written[: 2 * HEADING_CHARACTERS]
    for pattern, replacement in _INLINE:
        written = pattern.sub(replacement, written)
    return " ".join(html.unescape(written).split())[:HEADING_CHARACTERS]


def _unclosed(title: str, mark: str) -> str:
    """An ATX heading's text without the marks that may close it (`## Title ##`)."""
    title = title.strip()
    bare = title.rstrip(mark)
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def split_markdown(text: str) -> list[Span]:
    lines = skimmed_lines(text)
    body, title = _front_matter(lines)
    return split_sections(lines, _markdown_headings(lines, body), title)


def split_rst(text: str) -> list[Span]:
    lines = skimmed_lines(text)
    return split_sections(lines, _rst_headings(lines))


def split_asciidoc(text: str) -> list[Span]:
    lines = skimmed_lines(text)
    return split_sections(lines, _asciidoc_headings(lines))


def _front_matter(lines: Sequence[str]) -> tuple[int, str | None]:
    """The index of the first line after the front matter, and the title that it gives."""
    mark = lines[0].strip() if lines else ""
    if mark not in {"---", "+++"}:
        return 0, None
    title = None
    for index, line in enumerate(lines[1:200], 1):
        if line.strip() == mark or (mark == "---" and line.strip() == "..."):
            return index + 1, title
        match = _FRONT_MATTER_TITLE.match(line)
        if match is not None and title is None:
            title = plain_heading(match.group(1)) or None
    return 0, None


def _markdown_headings(lines: Sequence[str], body: int) -> list[Heading]:
    headings: list[Heading] = []
    fence = ""
    commented = False
    paragraph = 0
    for index in range(body, len(lines)):
        line = lines[index]
        if commented:
            commented = "-->" not in line
            continue
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence = ""
            continue
        if mark is not None:
            fence, paragraph = mark.group(1), 0
            continue
        if line.lstrip().startswith("<!--") and "-->" not in line:
            commented, paragraph = True, 0
            continue
        underline = _SETEXT.match(line) if 0 < paragraph <= 2 else None
        match = _ATX.match(line) or _HTML_HEADING.match(line)
        if underline is not None:
            title = " ".join(part.strip() for part in lines[index - paragraph : index])
            level = 1 if underline.group(1).startswith("=") else 2
            headings.append(_heading(lines, index - paragraph, index, level, title, _MARKDOWN_ANCHOR))
        elif match is not None:
            level = len(match.group(1)) if match.group(1).startswith("#") else int(match.group(1))
            headings.append(_heading(lines, index, index, level, _unclosed(match.group(2), "#"), _MARKDOWN_ANCHOR))
        plain = underline is None and match is None and not is_blank(line)
        paragraph = paragraph + 1 if plain and (paragraph or not _NOT_A_PARAGRAPH.match(line)) else 0
    return headings


def _rst_headings(lines: Sequence[str]) -> list[Heading]:
    """A title is an unindented line over an adornment about its length, alone or with the same one above it."""
    headings: list[Heading] = []
    levels: dict[tuple[str, bool], int] = {}
    index = 0
    while index + 1 < len(lines):
        title, under = lines[index], _ADORNMENT.match(lines[index + 1])
        over = _ADORNMENT.match(lines[index - 1]) if index else None
        overlined = over is not None and under is not None and over.group(1) == under.group(1)
        if (
            under is None
            or is_blank(title)
            or _ADORNMENT.match(title) is not None
            or (title[0].isspace() and not overlined)
            or len(lines[index + 1].rstrip()) < min(4, len(title.strip()))
            or not (overlined or index == 0 or is_blank(lines[index - 1]) or _RST_LABEL.match(lines[index - 1]))
        ):
            index += 1
            continue
        level = levels.setdefault((under.group(1), overlined), len(levels) + 1)
        headings.append(_heading(lines, index - overlined, index + 1, level, title, _RST_LABEL))
        index += 2
    return headings


def _asciidoc_headings(lines: Sequence[str]) -> list[Heading]:
    headings: list[Heading] = []
    block = ""
    for index, line in enumerate(lines):
        mark = _ASCIIDOC_BLOCK.match(line)
        if block:
            block = "" if line.rstrip() == block else block
        elif mark is not None:
            block = mark.group(1)
        elif (match := _ASCIIDOC.match(line)) is not None:
            headings.append(
                _heading(lines, index, index, len(match.group(1)), _unclosed(match.group(2), "="), _ASCIIDOC_ANCHOR)
            )
    return headings


def _heading(lines: Sequence[str], first: int, last: int, level: int, title: str, label: re.Pattern[str]) -> Heading:
    """The heading at these rows (0-based), from the link targets above it on, at most one blank line apart."""
    start = first
    while start and (
        label.match(lines[start - 1]) or (start > 1 and is_blank(lines[start - 1]) and label.match(lines[start - 2]))
    ):
        start -= 1
    return Heading(start + 1, last + 1, level, plain_heading(title))
