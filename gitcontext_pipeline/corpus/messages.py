"""What a commit message says about its change: the pull request it came from, its title, what it takes back.

The forms are those of GitHub (merge, squash, merge queue), GitLab, Bitbucket, Azure DevOps, bors and homu.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(?P<number>[1-9]\d{0,8})"
_SQUASH = re.compile(rf"^(?P<title>.*?)\s*\((?:#|GH-|gh-){_NUMBER}\)$")
_GITLAB = re.compile(rf"^See merge request \S*!{_NUMBER}$", re.MULTILINE)

# Subjects of merges whose title, if any, is the first line of the body.
_MERGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^Merge (?:pull request|PR) #{_NUMBER}(?: from \S+)?",
        rf"^Auto merge of #{_NUMBER} - ",
        rf"^Merged in \S+ \(pull request #{_NUMBER}\)$",
        rf"^Merge branch .*\(#{_NUMBER}\)$",
        rf"^Merge #{_NUMBER}(?: #\d+)*$",
    )
)
# Subjects that carry the title themselves.
_TITLED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^Merged PR {_NUMBER}: (?P<title>.+)$",
        rf"^Merge (?:[\w.-]+/[\w.-]+)?#{_NUMBER}: (?P<title>.+)$",
    )
)
_BORS_LINE = re.compile(r"^(?P<number>\d+): (?P<title>.+?)(?: r=\S+)?(?: a=\S+)?$")
_REVERTED_SHA = re.compile(r"\breverts commits? ([0-9a-f]{7,40})\b", re.IGNORECASE)
_REVERTED_REQUEST = re.compile(
    r"^(?:This )?reverts (?:merge request |pull request |PR )?\S*?([#!][1-9]\d{0,8})\b", re.I | re.M
)
_REVERT_SUBJECT = re.compile(r'^Revert "(?P<quoted>.*)"')
_TAKES_BACK = re.compile(
    r"\b(?:re-?apply|(?:un)?revert(?:s|ed|ing)?|roll(?:s|ed)? ?back|back(?:s|ed)? out)\b", re.IGNORECASE
)
_TRAILER_WITH_ADDRESS = re.compile(r"^[A-Za-z-]+-by: .*@.*$", re.IGNORECASE)
_CO_AUTHOR = re.compile(r"^Co-authored-by:\s*(?P<name>[^<]*?)\s*(?:<.*)?$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Message:
    """A commit message, understood. `reference` is the number with its sign, `#12` or GitLab's `!12`.

    `reverts` holds ids of commits (7 to 40 hex digits) and references; `body` has no e-mail addresses of trailers.
    """

    title: str
    body: str
    number: int | None
    reference: str | None
    reverts: tuple[str, ...]
    co_authors: tuple[str, ...]


def read_message(text: str) -> Message:
    """Understand any text, however odd, as a commit message; never raises."""
    subject, rest = _parts(text)
    title, body, number, sign = _origin(subject, rest)
    kept = [line.rstrip() for line in body.split("\n") if not _TRAILER_WITH_ADDRESS.match(line)]
    return Message(
        title=title,
        body="\n".join(kept).strip(),
        number=number,
        reference=None if number is None else f"{sign}{number}",
        reverts=_reverts(subject, title, rest),
        co_authors=tuple(dict.fromkeys(name for name in _CO_AUTHOR.findall(rest) if name)),
    )


def read_subject(text: str) -> str:
    """The first line of a commit message, as it is."""
    return _parts(text)[0]


def _parts(text: str) -> tuple[str, str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip("\n").split("\n")
    return lines[0].strip(), "\n".join(lines[1:]).strip()


def _origin(subject: str, rest: str) -> tuple[str, str, int | None, str]:
    """Title, body, number and sign of the pull request that a commit with this message came from, if any."""
    for pattern in _MERGES:
        if found := pattern.match(subject):
            return *_title_from_body(subject, rest), int(found["number"]), "#"
    for pattern in (*_TITLED, _SQUASH):
        if found := pattern.match(subject):
            title, body = _joined(found["title"], rest)
            return title or subject, body, int(found["number"]), "#"
    if subject == "Merge commit from fork":  # GitHub's subject for the fix of a security advisory
        title, body = _title_from_body(subject, rest)
        return title.removeprefix("* "), body, None, ""
    if found := _GITLAB.search(rest):
        body = _GITLAB.sub("", rest).strip()
        if subject.startswith("Merge branch "):
            return *_title_from_body(subject, body), int(found["number"]), "!"
        return subject, body, int(found["number"]), "!"
    return subject, rest, None, ""


def _title_from_body(subject: str, rest: str) -> tuple[str, str]:
    title, _, body = rest.partition("\n")
    if bors := _BORS_LINE.match(title):
        title = bors["title"]
    if not title.strip() or _TRAILER_WITH_ADDRESS.match(title):
        return subject, rest
    return title.strip(), body.strip()


def _joined(title: str, rest: str) -> tuple[str, str]:
    """Undo GitHub's cut of a long title: `Some long ti… (#1)`, and `…tle` as the first line of the body."""
    for mark in ("…", "..."):
        if title.endswith(mark) and rest.startswith(mark):
            more, _, body = rest.partition("\n")
            return title.removesuffix(mark) + more.removeprefix(mark), body.strip()
    return title, rest


def _reverts(subject: str, title: str, rest: str) -> tuple[str, ...]:
    found: list[str] = []
    # A squashed branch lists its commits, and may have reverted some of its own; that takes back nothing of ours.
    if _TAKES_BACK.search(f"{subject}\n{title}") or rest.lower().startswith("this reverts"):
        found += [sha.lower() for sha in _REVERTED_SHA.findall(rest)]
        found += _REVERTED_REQUEST.findall(rest)
    for line in (subject, title):
        quoted = _REVERT_SUBJECT.match(line)
        inner = _SQUASH.match(quoted["quoted"]) if quoted else None
        if inner:
            found.append(f"#{inner['number']}")
    return tuple(dict.fromkeys(found))
