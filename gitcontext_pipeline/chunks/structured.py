"""Configuration, data and markup for machines: spans named by the key, table, statement or target they hold.

Nothing here is parsed in full: lines are matched one by one, so that a template, a fragment or rubbish gives spans too.
A file of up to `WINDOW_LINES` is one span, and so is each entry of a longer one; neighbouring entries of one or two
lines share a span, as do those of a few lines below the same long key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gitcontext_pipeline.chunks.lines import WINDOW_LINES, is_blank, pieces, skimmed_lines
from gitcontext_pipeline.chunks.markup import plain_heading
from gitcontext_pipeline.chunks.schema import Span
from gitcontext_pipeline.chunks.sections import Heading, split_sections

SHORT_LINES = 2
SHORT_NESTED_LINES = 12
DEEPEST_KEY = 4

_YAML_KEY = re.compile(
    r"""^(\s*)(?:- )?(?:"([^"]+)"|'([^']+)'|([^\s#&*!|>%@`"'\[\]{}\-][^#]*?|-\w[^#]*?))\s*:(?:\s|$)"""
)
_JSON_KEY = re.compile(r'^(\s*)"((?:[^"\\]|\\.)*)"()()\s*:')
_TABLE = re.compile(r"^\s*\[{1,2}([^\[\]]+)\]{1,2}\s*(?:[#;].*)?$")
_TARGET = re.compile(r"^([^\s#:=][^:=#]*?)\s*::?(?![:=])(?!\s*=)")
_DEFINE = re.compile(r"^define\s+(\S+)")
_STAGE = re.compile(r"^FROM\s+(\S+)(?:.*?\s+AS\s+(\S+))?", re.IGNORECASE)
_SQL_END = re.compile(r";\s*(?:--.*|/\*.*\*/\s*)?$")
_SQL_GO = re.compile(r"^\s*(?:GO|/)\s*$", re.IGNORECASE)
_SQL_QUOTE = re.compile(r"\$\w*\$")
_SQL_BEGIN = re.compile(r"\b(?:BEGIN|CASE)\b", re.IGNORECASE)
_SQL_BEGIN_END = re.compile(r"\bEND\b(?!\s+(?:IF|LOOP|WHILE|REPEAT))", re.IGNORECASE)
_SQL_ROUTINE = re.compile(r"^\s*CREATE\b[^;]*?\b(?:FUNCTION|PROCEDURE|TRIGGER|PACKAGE)\b", re.IGNORECASE)
_SQL_NAME = re.compile(
    r"""^\s*(?:CREATE|ALTER|DROP|INSERT\s+INTO|UPDATE|DELETE\s+FROM|COMMENT\s+ON|TRUNCATE)\s+
    (?:OR\s+REPLACE\s+|TEMP(?:ORARY)?\s+|UNIQUE\s+|MATERIALIZED\s+|UNLOGGED\s+|GLOBAL\s+|LOCAL\s+|EXTERNAL\s+)*
    (?:TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|TRIGGER|TYPE|SCHEMA|SEQUENCE|DATABASE|EXTENSION|POLICY|ROLE|COLUMN|DOMAIN)?\s*
    (?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:ONLY\s+)?([\w."`\[\]$]+)""",
    re.IGNORECASE | re.VERBOSE,
)
_HTML_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)(?:</h\1\s*>|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that begins at a 1-based line and ends where the next one begins; `above` is the key it is under."""

    line: int
    name: str | None
    kind: str
    above: str | None = None
    depth: int = 0


def split_yaml(text: str) -> list[Span]:
    return _by_keys(skimmed_lines(text), _YAML_KEY)


def split_json(text: str) -> list[Span]:
    return _by_keys(skimmed_lines(text), _JSON_KEY)


def split_tables(text: str) -> list[Span]:
    """TOML, INI and everything else with `[tables]`."""
    return _by_line(
        text, "table", lambda line: (m.group(1).strip(" \t\"'"), True) if (m := _TABLE.match(line)) else None
    )


def split_makefile(text: str) -> list[Span]:
    def target(line: str) -> tuple[str | None, bool] | None:
        match = _DEFINE.match(line) or _TARGET.match(line)
        return (" ".join(match.group(1).split()), not match.group(1).startswith(".")) if match else None

    return _by_line(text, "target", target)


def split_dockerfile(text: str) -> list[Span]:
    return _by_line(text, "stage", lambda line: (m.group(2) or m.group(1), True) if (m := _STAGE.match(line)) else None)


def split_sql(text: str) -> list[Span]:
    """One entry a statement; a routine's body, between `$$` or BEGIN and END, does not end at its semicolons."""
    lines = skimmed_lines(text)
    entries: list[Entry] = []
    beginning: int | None = None
    quoted, depth = False, 0
    for number, line in enumerate(lines, 1):
        comment = line.lstrip().startswith("--")
        if beginning is None:
            if is_blank(line):
                continue
            beginning = number
        if comment:
            continue
        quoted ^= len(_SQL_QUOTE.findall(line)) % 2 == 1
        routine = _SQL_ROUTINE.match(" ".join(lines[_first_word(lines, beginning) : number][:5])) is not None
        if routine and not quoted:
            depth = max(0, depth + len(_SQL_BEGIN.findall(line)) - len(_SQL_BEGIN_END.findall(line)))
        if (_SQL_END.search(line) and not quoted and depth == 0) or _SQL_GO.match(line):
            entries.append(_statement(lines, beginning, number))
            beginning, quoted, depth = None, False, 0
    if beginning is not None:
        entries.append(_statement(lines, beginning, len(lines)))
    return _spans(lines, entries)


def split_html(text: str) -> list[Span]:
    """By heading; in a page without headings, and inside scripts and styles, lines are just lines."""
    lines = skimmed_lines(text)
    headings: list[Heading] = []
    code = ""
    for number, line in enumerate(lines, 1):
        low = line.lower()
        if code:
            code = "" if f"</{code}" in low else code
            continue
        code = next((tag for tag in ("script", "style") if f"<{tag}" in low and f"</{tag}" not in low), "")
        match = _HTML_HEADING.search(line)
        title = plain_heading(match.group(2)) if match is not None else ""
        if match is not None and title:
            headings.append(Heading(number, number, int(match.group(1)), title))
    return split_sections(lines, headings)


def _first_word(lines: Sequence[str], beginning: int) -> int:
    """The index of the first line of a statement that is not a comment."""
    index = beginning - 1
    while index + 1 < len(lines) and (is_blank(lines[index]) or lines[index].lstrip().startswith("--")):
        index += 1
    return index


def _statement(lines: Sequence[str], start: int, end: int) -> Entry:
    match = _SQL_NAME.match(" ".join(lines[_first_word(lines, start) : end][:3])[:500])
    return Entry(start, match.group(1).strip('"`[]') if match else None, "statement")


def _by_line(text: str, kind: str, read: Callable[[str], tuple[str | None, bool] | None]) -> list[Span]:
    """Entries begin at the lines that `read` gives (name, named) for, or at the comments right above those lines."""
    lines = skimmed_lines(text)
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        found = read(line)
        if found is not None and (found[1] or not entries):
            entries.append(Entry(_with_comments(lines, number), found[0] if found[1] else None, kind))
    return _spans(lines, entries)


def _with_comments(lines: Sequence[str], number: int) -> int:
    """The first of the comment lines directly above line `number` that are indented as it is."""
    indentation = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    while number > 1 and lines[number - 2][indentation:].startswith(("#", ";", "//", ".PHONY")):
        if lines[number - 2][:indentation].strip():
            break
        number -= 1
    return number


def _by_keys(lines: list[str], key: re.Pattern[str]) -> list[Span]:
    """Top-level keys, and the keys below one that is longer than `WINDOW_LINES`, named `jobs.build`."""
    entries: list[Entry] = []
    waiting = [(Entry(1, None, "key"), 1, len(lines))] if len(lines) > WINDOW_LINES else []
    while waiting:
        around, start, end = waiting.pop()
        found = _keys_of(lines, start, end, key)
        for position, (number, name) in enumerate(found):
            last = found[position + 1][0] - 1 if position + 1 < len(found) else end
            first = around.line if around.name and not position else _with_comments(lines, number)
            entry = Entry(first, f"{around.name}.{name}" if around.name else name, "key", around.name, around.depth + 1)
            entries.append(entry)
            if last - number >= WINDOW_LINES and entry.depth < DEEPEST_KEY:
                waiting.append((entry, number + 1, last))
    divided = {entry.above for entry in entries}
    return _spans(lines, sorted((one for one in entries if one.name not in divided), key=lambda entry: entry.line))


def _keys_of(lines: Sequence[str], start: int, end: int, key: re.Pattern[str]) -> list[tuple[int, str]]:
    """The keys of least indentation among these lines."""
    found: list[tuple[int, str]] = []
    least = 1_000
    for number in range(start, end + 1):
        match = key.match(lines[number - 1])
        if match is None or len(match.group(1)) > least:
            continue
        if len(match.group(1)) < least:
            least, found = len(match.group(1)), []
        found.append((number, " ".join((match.group(2) or match.group(3) or match.group(4) or "").split())[:120]))
    return found


def _spans(lines: Sequence[str], entries: Iterable[Entry]) -> list[Span]:
    """Spans from each entry to the next, short neighbours together; what is before the first entry has no name."""
    if len(lines) <= WINDOW_LINES:
        return [Span(first, last) for first, last in pieces(lines, 1, len(lines))]
    spans: list[Span] = []
    short: list[tuple[int, Entry]] = []

    def flush() -> None:
        if short:
            first = short[0][1]
            shared = first if len(short) == 1 else Entry(first.line, first.above, first.kind)
            spans.extend(_named(lines, first.line, short[-1][0], shared))
            short.clear()

    begun = [Entry(1, None, "head"), *entries]
    for position, entry in enumerate(begun):
        end = begun[position + 1].line - 1 if position + 1 < len(begun) else len(lines)
        if end < entry.line:
            continue
        if short and (short[0][1].above != entry.above or end - short[0][1].line >= WINDOW_LINES):
            flush()
        limit = SHORT_LINES if entry.above is None else SHORT_NESTED_LINES
        if sum(not is_blank(line) for line in lines[entry.line - 1 : end]) <= limit:
            short.append((end, entry))
            continue
        flush()
        spans += _named(lines, entry.line, end, entry)
    flush()
    return spans


def _named(lines: Sequence[str], start: int, end: int, entry: Entry) -> list[Span]:
    kind = entry.kind if entry.name else None
    return [Span(first, last, entry.name, kind) for first, last in pieces(lines, start, end)]
