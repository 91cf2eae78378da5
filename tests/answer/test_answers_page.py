from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gitcontext_pipeline.evaluation.answers_page import render_page, write_page
from gitcontext_pipeline.evaluation.answers_report import Quoted, Sentence
from tests.answer.reports import case, report


class Reader(HTMLParser):
    """Collects tags with their attributes, and the visible text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def test_every_answer_is_there_with_sentences_evidence_and_what_was_dropped() -> None:
    measured = report([case("a"), case("b", "withheld")])
    page = Reader(render_page(measured))
    assert [each["data-case"] for each in page.all("article")] == ["a", "b"]
    assert "It is a." in page.text
    assert "no claim holds" in page.text
    assert "1| x = 1" in page.text
    assert page.all("body")[0]["data-report"] == measured.id


def test_each_answer_can_be_accepted_or_rejected() -> None:
    buttons = Reader(render_page(report([case("a")]))).all("button")
    assert [button["data-give"] for button in buttons if "data-give" in button] == ["accept", "reject"]
    assert all(f"<kbd>{key}</kbd>" in render_page(report([])) for key in "jkarue")


def test_the_page_needs_nothing_from_anywhere() -> None:
    page = Reader(render_page(report([case("a")])))
    for tag, attributes in page.tags:
        if tag in ("script", "img", "iframe", "link", "style"):
            assert "src" not in attributes
            assert not str(attributes.get("href", "data:")).startswith("http")


def test_foreign_text_is_shown_and_never_run() -> None:
    hostile = '</pre><script>alert("x")</script><img src=x onerror=alert(1)>'
    bad_url = Sentence(text="It is so.", source=1, place=hostile, url="javascript:alert(1)")
    quoted = Quoted(number=1, heading=hostile, url="javascript:alert(1)", text=hostile, is_gold=False)
    page = Reader(render_page(report([case('"><b>', query=hostile, sentences=[bad_url], excerpts=[quoted])])))
    assert len(page.all("script")) == 1
    assert page.all("img") == []
    assert page.all("a") == []
    assert hostile in page.text


def test_the_policy_lets_only_the_page_s_own_script_and_style_run() -> None:
    page = Reader(render_page(report([case("a")])))
    (policy,) = [each["content"] for each in page.all("meta") if "http-equiv" in each]
    nonce = page.all("script")[0]["nonce"]
    assert f"script-src 'nonce-{nonce}'" in str(policy)
    assert "default-src 'none'" in str(policy)
    assert not re.search(r"\son\w+=|style=", render_page(report([case("a")])))


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_keys_accept_reject_and_undo_in_a_browser(tmp_path: Path) -> None:
    measured = report([case("a"), case("b"), case("c")])
    page = render_page(measured)
    pressed = "".join(
        f'document.body.dispatchEvent(new KeyboardEvent("keydown", {{key: "{key}", bubbles: true}}));' for key in "arru"
    )
    typed = f'<script nonce="{measured.id}">{pressed}</script></body>'
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", typed), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [str(CHROMIUM), *options, path.as_uri()], capture_output=True, text=True, timeout=90, check=True
    )
    grades = {each["data-case"]: each["data-grade"] for each in Reader(done.stdout).all("article")}
    assert grades == {"a": "accept", "b": "reject", "c": ""}
    assert "2 of 3 graded" in done.stdout


def test_it_is_written_whole(tmp_path: Path) -> None:
    write_page(tmp_path / "reports" / "answers.html", report([case("a")]))
    assert (tmp_path / "reports" / "answers.html").read_text().rstrip().endswith("</html>")
