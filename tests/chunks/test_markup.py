from __future__ import annotations

import pytest

from gitcontext_pipeline.chunks.markup import plain_heading
from gitcontext_pipeline.chunks.splitter import split
from tests.chunks.spans_of import named, written


def long_text(lines: int = 45) -> str:
    return "".join(f"Sentence {number}.\n" for number in range(lines))


def test_a_document_is_split_by_heading_and_each_knows_the_way_to_it() -> None:
    text = f"# Guide\n\nWelcome.\n\n## Advanced `use`\n\n{long_text()}\n### Ordering\n\nAs given.\n"
    found = split("guide.md", text)
    assert written(found.spans) == ["1-3 section Guide", "5-51 section Advanced use", "53-55 section Ordering"]
    assert named(found, "Ordering").signature == "Guide > Advanced use > Ordering"
    assert (found.kind, found.language) == ("docs", "markdown")


def test_a_release_keeps_subsections_that_every_release_has() -> None:
    parts = "**Security**\n\n### Fixes\n\n- One.\n\n### Docs\n\n- Two.\n\n"
    text = f"History\n=======\n\n2.31.0 (2023-05-22)\n------\n\n{parts}2.30.0\n------\n\n{parts}{long_text()}"
    assert written(split("HISTORY.md", text).spans)[0] == "1-15 section 2.31.0 (2023-05-22)"


def test_what_looks_like_a_heading_in_code_comments_and_front_matter_is_none() -> None:
    text = (
        '---\ntitle: "The guide"\n# no: heading\n---\nIntroduction.\n\n# Real\n\n```sh\n# comment\n~~~\n```\n\n'
        "<!--\n# hidden\n-->\n\n    # indented\n\n| a |\n---\n\n- item\n---\n"
    )
    assert written(split("a.md", text).spans) == ["1-5 section The guide", "7-24 section Real"]


def test_setext_html_and_closed_headings() -> None:
    first = f"Title\n=====\n\n{long_text()}\n<h2 align='center'>Sub <b>one</b></h2>\n\n{long_text()}\n"
    text = f"{first}## Sub two ##\n\nText.\n"
    assert [span.symbol for span in split("a.md", text).spans] == ["Title", "Sub one", "Sub two"]


def test_a_long_section_is_cut_at_paragraphs_and_keeps_its_name() -> None:
    text = "# Long\n\n" + "A line.\nAnother line.\n\n" * 40
    found = split("a.md", text)
    assert {span.symbol for span in found.spans} == {"Long"}
    assert len(found.spans) > 1
    assert all(span.end_line % 3 == 1 for span in found.spans)


def test_rst_levels_follow_the_order_of_adornments() -> None:
    text = (
        "=====\nGuide\n=====\n\nHello.\n\n.. _advanced:\n\nAdvanced\n--------\n\n"
        f"{long_text()}\nHeader ``Ordering``\n~~~~~~~~~~~~~~~~~~~\n\nText::\n\n    Not a heading\n    -------------\n\n"
        "Next\n----\n\n.. code-block:: python\n\n    x\n    =\n\n=====  =====\nA      B\n=====  =====\n"
    )
    found = split("a.rst", text)
    assert written(found.spans) == [
        "1-5 section Guide",
        "7-56 section Advanced",
        "58-64 section Header Ordering",
        "66-76 section Next",
    ]
    assert named(found, "Header Ordering").signature == "Guide > Advanced > Header Ordering"


def test_asciidoc() -> None:
    text = f"= Guide\n\n{long_text()}\n== First\n\n----\n== not a heading\n----\n"
    assert [span.symbol for span in split("a.adoc", text).spans] == ["Guide", "First"]


def test_a_heading_without_text_opens_its_first_subsection() -> None:
    text = f"# Guide\n\n## First\n\n{long_text()}\n## Second\n\nText.\n"
    assert written(split("a.md", text).spans) == ["1-49 section First", "51-53 section Second"]


@pytest.mark.parametrize(
    ("heading", "plain"),
    [
        ("The `Session` **class**", "The Session class"),
        ("[2.0](https://example.org) ![logo](x.png)", "2.0 logo"),
        (":class:`Session <requests.Session>` objects", "Session objects"),
        ("``Response.ok`` and `link <https://example.org>`_", "Response.ok and link"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("Q&amp;A {#questions}", "Q&A"),
        ("<a name='x'></a>Install", "Install"),
    ],
)
def test_headings_are_written_plainly(heading: str, plain: str) -> None:
    assert plain_heading(heading) == plain
