"""What is said around changes without saying anything about them: templates, quotes, badges, robots, "LGTM".

Nothing is deleted for it: the stored text stays whole, and only the text that is searched is trimmed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath

TEMPLATE = re.compile(
    r"^(?:\.github/|docs/)?(?:pull_request_template(?:/[^/]+)?|pull_request_template/[^/]+)\.(?:md|txt)$", re.IGNORECASE
)
"""Where GitHub looks for templates of pull requests."""

_SHARED_BODIES, _SHARED_PART, _SHARED_LENGTH = 5, 0.1, 12
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DETAILS = re.compile(r"<details>.*?(?:</details>|\Z)", re.DOTALL | re.IGNORECASE)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>", re.IGNORECASE)
_EMPTY_LINK = re.compile(r"\[\s*\]\([^)]*\)")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_NO_CONTENT = re.compile(
    r"^\s*(?:>|[-*+]\s+\[ \]|(?:signed-off|co-authored|reviewed|acked|tested|approved|cc)(?:-by)?:|on .{5,90} wrote:$"
    r"|(?:you are receiving this|reply to this email|sent from my|—$|-- $))",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"@?(?:dependabot|bors|homu|mergify|codecov|pre-commit|rustbot|rfcbot|pytorchbot|k8s-ci-robot|jenkins)\b"
    r"|/[a-z][\w-]*(?:\s|$)|r\? @?[\w/-]+$|retest this|ok to test",
    re.IGNORECASE,
)
_COMMAND_LENGTH = 80
_FILLER = frozenset(
    "+1 -1 a ack all again and awesome bump cool done everyone excellent fixed for good great is it job lgtm looks lot "
    "me much nice ok okay perfect ping pr pull r request so thank thanks that the this to ty very wonderful work yes "
    "you 👍 🎉 ❤ ❤️ 🚀 ✨ 🍰 🙏".split()
)
"""Words of a comment that only thanks, approves or calls for somebody."""
_WORD = re.compile(r"[^\s,.!?:;()]+")
_HIDDEN = frozenset({"spam", "abuse", "off-topic", "off_topic", "duplicate"})
_BUMP = re.compile(
    r"^(?:\W*(?:chore|build|fix|deps|ci)(?:\([^)]*\))?!?:\s*)?(?:bump|update|upgrade|pin|unpin)s?\b"
    r"(?:.*\bfrom \S+ to \S+|.*\bto v?\d[\w.]*|.*\b(?:dependenc(?:y|ies)|requirements|lock ?file|group)\b)",
    re.IGNORECASE,
)
_MANIFEST = re.compile(
    r"^(?:requirements.*\.(?:txt|in)|constraints.*\.txt|setup\.(?:py|cfg)|pyproject\.toml|pipfile|package\.json|go\.(?:mod|sum)"
    r"|cargo\.toml|gemfile|.*\.gemspec|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|.*lock(?:\.json|\.ya?ml|file)?|.*\.lock"
    r"|\.pre-commit-config\.yaml|(?:history|changelog|changes|news)(?:\.\w+)?)$",
    re.IGNORECASE,
)


def noise_of(title: str, bot: bool, paths: Sequence[str]) -> str | None:
    """What kind of routine a change is, `robot` or `dependency bump`, or None."""
    if bot:
        return "robot"
    routine = bool(paths) and all(_is_manifest(path) for path in paths)
    return "dependency bump" if routine and _BUMP.match(title) else None


def _is_manifest(path: str) -> bool:
    return path.startswith(".github/workflows/") or bool(_MANIFEST.match(PurePosixPath(path).name))


def template_lines(templates: Iterable[str], bodies: Sequence[str]) -> frozenset[str]:
    """The lines of a repository's templates, and those that so many bodies share that they must be from one."""
    found = {line.strip() for text in templates for line in text.splitlines()}
    counts = Counter(line for body in bodies for line in {line.strip() for line in body.splitlines()})
    often = max(_SHARED_BODIES, _SHARED_PART * len(bodies))
    found |= {line for line, count in counts.items() if count >= often and len(line) >= _SHARED_LENGTH}
    return frozenset(found - {""})


def trimmed(text: str, template: Collection[str] = (), *, by_robot: bool = False) -> str:
    """`text` without template, quotes, badges, trailers and unticked boxes; code in fences is left as it is."""
    text = _COMMENT.sub("", text)
    if by_robot:
        text = _DETAILS.sub("", text)
    kept: list[str] = []
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        if not fenced:
            line = _EMPTY_LINK.sub("", _IMAGE.sub("", line))
            if line.strip() in template or _NO_CONTENT.match(line):
                continue
        kept.append(line.rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def is_chatter(text: str, by_robot: bool, hidden: str | None) -> bool:
    """Whether a comment says nothing about the change: a robot's report, a command to one, thanks, an approval."""
    said = trimmed(text)
    if by_robot or (hidden or "") in _HIDDEN or not said:
        return True
    if len(said) <= _COMMAND_LENGTH and _COMMAND.match(said):
        return True
    return all(word in _FILLER or word.startswith("@") for word in _WORD.findall(said.lower()))
