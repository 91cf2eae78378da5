"""The grammar that a reply is decoded under: whatever a model writes has the shape of an answer.

https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md

Citations are spelled out, so a model can only cite an excerpt that it was shown, and a run of lines that was shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitcontext_pipeline.answer.excerpts import Excerpt

GRAMMAR_VERSION = 1
MOST_CLAIMS = 4
LONGEST_CITATION = 24
"""Lines that one claim may rest on."""

FEWEST_UNITS, MOST_UNITS = 24, 180
"""Length of a sentence in units: a character, with the dot or the space before it."""

ENDING = '."}]}'
"""What closes a reply in the middle of a sentence."""

PLAIN = r"#-'\x28-\x2d/-;=@-\x5b\x5d_-z"
"""Characters of a sentence besides spaces and inner dots: printable ASCII without quotes, braces, `<>|!?~^\\`."""

_SENTENCE = rf"""
sentence ::= [A-Za-z_`] unit{{{FEWEST_UNITS - 1},{MOST_UNITS - 1}}} "."
unit ::= [{PLAIN}] | " " [{PLAIN}] | "." [A-Za-z0-9_] | " ." [A-Za-z0-9_]
"""


def reply_grammar(excerpts: Sequence[Excerpt]) -> str:
    """GBNF for 1 to 4 claims about `excerpts`, or for saying that they do not answer."""
    shown = [excerpt for excerpt in excerpts if excerpt.lines]
    rules = [
        f'root ::= "{{\\"claims\\":[" claim ("," claim){{0,{MOST_CLAIMS - 1}}} "]}}" | "{{\\"answered\\":false}}"',
        'claim ::= "{\\"source\\":" source ",\\"text\\":\\"" sentence "\\"}"',
        "source ::= " + " | ".join(f"excerpt-{excerpt.number}" for excerpt in shown),
    ]
    for excerpt in shown:
        rules += _citations(excerpt)
    return "\n".join(rules) + _SENTENCE


def _citations(excerpt: Excerpt) -> list[str]:
    number = excerpt.number
    firsts, rules = [], []
    for start, end in excerpt.blocks:
        for line in range(start, end + 1):
            lasts = " | ".join(f'"{last}"' for last in range(line, min(end, line + LONGEST_CITATION - 1) + 1))
            firsts.append(f"line-{number}-{line}")
            rules.append(f'line-{number}-{line} ::= "{line},\\"to\\":" ({lasts})')
    head = f'excerpt-{number} ::= "{number},\\"from\\":" ({" | ".join(firsts)})'
    return [head, *rules]
