"""What the documentation says, taken apart: its pages, their blocks, and the commands that they name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
EXITS = re.compile(r"\s+# exits (\d+)$")
COMMENT = re.compile(r"(^|\s)# .*$")
INDENTED = re.compile(r"^ {4}(?! *\|)(\S.*)$", re.MULTILINE)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
SEPARATORS = {"&&", "||", "|", ";", ">", ">>", "<", "2>"}


@dataclass
class Command:
    """A line that is run, the code it exits with, and what it must print."""

    text: str
    exits: int = 0
    prints: list[str] = field(default_factory=list)


@dataclass
class File:
    """A block that is written to `path` before what follows it is run."""

    path: str
    text: str


def pages() -> list[Path]:
    """Every page for people, in order."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "evals").rglob("*.md")])


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def steps(page: str) -> Iterator[Command | File]:
    """What a reader who follows the page does, in order."""
    for block in BLOCK.finditer((DOCS / page).read_text(encoding="utf-8")):
        title = re.search(r'title="([^"]+)"', block["info"])
        if title is not None:
            yield File(title[1], block["body"])
        elif block["info"].strip() == "console":
            yield from commands(block["body"])


def commands(body: str) -> list[Command]:
    """The commands of a `console` block, with what stands below each."""
    found: list[Command] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            exits = EXITS.search(line)
            found.append(Command(EXITS.sub("", line[2:]), int(exits[1]) if exits else 0))
        elif line.strip() and line.strip() != "…":
            found[-1].prints.append(line.strip())
    return found


def prose(text: str) -> str:
    """The text without its blocks, and with nothing left of code spans but the quotes."""
    return SPAN.sub("``", BLOCK.sub("", text))


def mentions(text: str, program: str) -> list[list[str]]:
    """The arguments of every call of `program` in blocks, indented lines and code spans."""
    fenced = [line for block in BLOCK.finditer(text) for line in _whole_lines(block["body"])]
    rest = BLOCK.sub("", text)
    spans = [" ".join(span.split()) for span in SPAN.findall(rest)]
    found = [*fenced, *(line for line in INDENTED.findall(rest)), *spans]
    return [words[1:] for line in found for words in _calls(line) if words[0] == program]


def _whole_lines(body: str) -> Iterator[str]:
    """The lines of a block; one that goes on (a backslash, an open quote) is joined with the next."""
    pending = ""
    for line in body.replace("\\\n", " ").splitlines():
        pending = f"{pending} {line.removeprefix('$ ')}".strip()
        if "gitcontext" in pending and _split(pending) is None:
            continue
        yield pending
        pending = ""


def _calls(line: str) -> Iterator[list[str]]:
    """The words of each command of a line; brackets around what may be left out are dropped."""
    words: list[str] = []
    for word in [*(_split(COMMENT.sub("", line)) or []), ";"]:
        if word not in SEPARATORS:
            words.append(word)
            continue
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words.pop(0)
        if words:
            yield [word.removeprefix("[").removesuffix("]") if word != "[" else word for word in words]
        words = []


def _split(line: str) -> list[str] | None:
    try:
        return shlex.split(line)
    except ValueError:
        return None
