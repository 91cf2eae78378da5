"""A verdict as JSON, as Markdown for a pull-request comment, and as JUnit XML for a build server.

Queries, notes and failure reasons are other people's text. In Markdown it stands in `<code>` with every character that
could be markup, a mention or a link written as an entity; in XML, characters that XML 1.0 has no form for are replaced.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from xml.etree import ElementTree

from gitcontext_pipeline.evaluation.verdict import CaseChange, Delta, Outcome, Reason, Verdict

MARKER = "<!-- gitcontext-verdict -->"
"""First line of the comment, by which a later run finds and replaces it."""

HEADINGS: dict[Outcome, str] = {
    "pass": "✅ Retrieval quality: pass",
    "improvement": "🎉 Retrieval quality: improvement",
    "regression": "❌ Retrieval quality: regression",
    "incomparable": "⚠️ Retrieval quality: not comparable",
    "error": "⛔ Retrieval quality: error",
}
CASES_SHOWN = 20
TEXT_SHOWN = 200


def as_json(verdict: Verdict) -> str:
    return verdict.model_dump_json(indent=2) + "\n"


def as_markdown(verdict: Verdict) -> str:
    """A comment that says first what happened, then why, then the numbers."""
    lines = [MARKER, f"### {HEADINGS[verdict.outcome]}", ""]
    lines += [_bullet(reason) for reason in (*verdict.reasons, *verdict.warnings)]
    if verdict.deltas:
        lines += ["", f"Tolerance ±{verdict.tolerance_pp:g} points.", "", *_table(verdict.deltas)]
    for title, cases in (("Lost", verdict.lost), ("Gained", verdict.gained)):
        if cases:
            lines += ["", f"**{title}** at {verdict.changes_at} rows ({len(cases)}):", "", *_cases(cases)]
    if verdict.paired is not None:
        lines += ["", _paired_line(verdict)]
    if verdict.baseline is not None:
        frozen = verdict.baseline
        told = f"{frozen.frozen_at} by {quoted(frozen.frozen_by)}: {quoted(frozen.note)}"
        lines += ["", f"Baseline frozen {told}"]
    return "\n".join(lines) + "\n"


def as_junit(verdict: Verdict) -> str:
    """One test case for each gated number, and one, `comparison`, for the verdict as a whole."""
    gated = verdict.gated
    fallen = [delta for delta in gated if delta.outcome == "regression"]
    broken = verdict.outcome in {"incomparable", "error"}
    whole_failed = verdict.outcome == "regression"
    suite = ElementTree.Element(
        "testsuite",
        name="gitcontext.gate",
        tests=str(len(gated) + 1),
        failures=str(len(fallen) + whole_failed),
        errors=str(int(broken)),
    )
    whole = ElementTree.SubElement(suite, "testcase", classname="gitcontext.gate", name="comparison")
    if broken or whole_failed:
        tag = "error" if broken else "failure"
        told = "; ".join(reason.what for reason in verdict.reasons)
        fixes = "\n".join(reason.fix for reason in verdict.reasons if reason.fix)
        ElementTree.SubElement(whole, tag, type=verdict.outcome, message=xml_text(told)).text = xml_text(fixes)
    for delta in gated:
        case = ElementTree.SubElement(suite, "testcase", classname="gitcontext.gate", name=xml_text(delta.name))
        told = f"{delta.baseline:.3f} -> {delta.current:.3f} ({delta.delta_pp:+.2f} points, {delta.cases} cases)"
        if delta.outcome == "regression":
            ElementTree.SubElement(case, "failure", type="regression", message=told).text = told
        else:
            ElementTree.SubElement(case, "system-out").text = told
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def quoted(text: str) -> str:
    """`text` on one line as inert Markdown: no markup, no table cell border, no mention, no link, nothing invisible."""
    line = " ".join("".join(_visible(character) for character in text).split())
    line = line if len(line) <= TEXT_SHOWN else line[: TEXT_SHOWN - 1] + "…"
    return f"<code>{re.sub(_ACTIVE, _entity, line)}</code>"


_ACTIVE = re.compile(r"(?<=www)\.|[!\"#$&()*:<>@\[\\\]^_`{|}~]", re.IGNORECASE)
"""What Markdown, HTML or GitHub could act on inside a line."""


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def _visible(character: str) -> str:
    """Control and format characters (a right-to-left override among them) would change what a reader sees."""
    if character.isspace():
        return " "
    return "\ufffd" if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn"} else character


def xml_text(text: str) -> str:
    """`text` with the characters that XML 1.0 (section 2.2) does not allow replaced by U+FFFD."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def _bullet(reason: Reason) -> str:
    return f"- {quoted(reason.what)}" + (f"<br>{quoted(reason.fix)}" if reason.fix else "")


def _table(deltas: Sequence[Delta]) -> list[str]:
    lines = ["| | cases | baseline | now | points | |", "|---|--:|--:|--:|--:|---|"]
    for delta in deltas:
        told = delta.outcome if delta.gated else "not gated"
        name = quoted(delta.name) if delta.label else delta.name
        lines.append(
            f"| {name} | {delta.cases} | {delta.baseline:.3f} | {delta.current:.3f} | {delta.delta_pp:+.2f} | {told} |"
        )
    return lines


def _cases(cases: Sequence[CaseChange]) -> list[str]:
    lines = [
        f"- {quoted(case.id)} {_rank(case.before)} → {_rank(case.after)} {quoted(case.query)}"
        for case in cases[:CASES_SHOWN]
    ]
    return lines + ([f"- and {len(cases) - CASES_SHOWN} more"] if len(cases) > CASES_SHOWN else [])


def _rank(rank: int | None) -> str:
    return "miss" if rank is None else f"rank {rank}"


def _paired_line(verdict: Verdict) -> str:
    found = verdict.paired
    assert found is not None
    drop = found.resolvable_drop_pp
    told = (
        "too few cases to resolve any fall"
        if drop is None
        else f"the smallest fall it can resolve is {drop:.1f} points"
    )
    tests = f"McNemar p = {found.mcnemar_p:.3f}, MRR permutation p = {found.permutation_p:.3f}"
    return f"{found.cases} cases: {tests}; {told}."
