"""A page of which marked blocks are written by a command, and everything else by people.

A block stands between `<!-- quality:NAME -->` and `<!-- /quality:NAME -->`. The one thing inside that belongs to people
is the last column of the misses, the cause; it is read before a block is replaced, and written again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gitcontext_pipeline.evaluation.quality_tables import (
    MAIN_ROWS,
    SHOWN,
    CorpusQuality,
    markdown_table,
    misses_table,
    others_table,
    slices_table,
    switches_table,
    valued,
    variants_table,
)

SUMMARY = "summary"
MISSES = "Not in the first five:"
_BLOCK = re.compile(r"<!-- quality:(?P<name>\S+) -->\n(?P<body>.*?)<!-- /quality:(?P=name) -->\n", re.DOTALL)
_CELLS = re.compile(r"(?<!\\)\|")


def updated(page: str, qualities: Sequence[CorpusQuality]) -> str:
    """`page` with the blocks of the corpora in `qualities` written anew; other corpora's blocks stay as they are."""
    before = blocks(page)
    new = {SUMMARY: summary_block(qualities, before.get(SUMMARY, ""))}
    for quality in qualities:
        new[quality.corpus] = corpus_block(quality, causes(before.get(quality.corpus, "")))
        if quality.others:
            new[f"{quality.corpus}/others"] = others_block(quality)
    return with_blocks(page or "# Retrieval quality\n", new)


def blocks(page: str) -> dict[str, str]:
    """The bodies of the blocks by name."""
    return {found["name"]: found["body"] for found in _BLOCK.finditer(page)}


def with_blocks(page: str, new: Mapping[str, str]) -> str:
    """`page` with each block of `new` in its place, or at the end where it has none yet."""
    for name, body in new.items():
        block = f"<!-- quality:{name} -->\n{body}<!-- /quality:{name} -->\n"
        found = next((each for each in _BLOCK.finditer(page) if each["name"] == name), None)
        before, after = (page[: found.start()], page[found.end() :]) if found else (f"{page.rstrip()}\n\n", "")
        page = f"{before}{block}{after}"
    return page


def causes(block: str) -> dict[str, str]:
    """What people wrote into the last column of the misses, by question."""
    _, _, misses = block.partition(MISSES)
    rows = [_CELLS.split(line)[1:-1] for line in misses.splitlines() if line.startswith("|")]
    told = {row[0].strip(): row[-1].strip() for row in rows[2:] if len(row) > 1}
    return {case: cause.replace("\\|", "|") for case, cause in told.items() if cause}


def summary_block(qualities: Sequence[CorpusQuality], before: str) -> str:
    """One line a corpus and ranking; the lines of corpora that were not measured now are kept."""
    measured = {quality.corpus for quality in qualities}
    old = [[cell.strip() for cell in _CELLS.split(line)[1:-1]] for line in before.splitlines() if line.startswith("|")]
    columns = ["corpus", "questions", "ranking", *(key.replace("hit", "Hit") for key in SHOWN[:3]), "MRR", "nDCG@10"]
    kept = [row for row in old[2:] if row[0] not in measured and len(row) == len(columns)]
    new = [
        [
            quality.corpus,
            str(len(quality.hybrid.cases)),
            name,
            *(valued(quality.variants[name].metrics[key]) for key in SHOWN),
        ]
        for quality in qualities
        for name in MAIN_ROWS
        if name in quality.variants
    ]
    rows = sorted([*kept, *new], key=lambda row: (row[0], MAIN_ROWS.index(row[2]) if row[2] in MAIN_ROWS else 0))
    return f"\n{markdown_table(columns, rows)}\n"


def corpus_block(quality: CorpusQuality, told: Mapping[str, str]) -> str:
    """All about one corpus."""
    aside = len(quality.hybrid.set_aside)
    lacking = f" {aside} more are set aside: this origin lacks their answers." if aside else ""
    facts = ", ".join(f"{name} {value}" for name, value in quality.facts.items())
    return "\n".join(
        [
            "",
            f"### {quality.corpus}",
            "",
            f"{len(quality.hybrid.cases)} questions; {facts}.{lacking}",
            "",
            variants_table(quality),
            "By kind and style of question:",
            "",
            slices_table(quality),
            "Every switch, by kind and style:",
            "",
            switches_table(quality),
            MISSES,
            "",
            misses_table(quality, told),
            "",
        ]
    )


def others_block(quality: CorpusQuality) -> str:
    """Ours and other engines on the same questions."""
    return f"\n{quality.corpus}:\n\n{others_table(quality)}\n"
