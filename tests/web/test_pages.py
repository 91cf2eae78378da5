"""The pages as they arrive, without a browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import httpx
import pytest

from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.retrieval.confidence import Confidence
from gitcontext_pipeline.state import State
from tests.sample import PULL_REQUEST_QUESTION
from tests.web.conftest import client_of
from tests.web.published import CORPUS, HOSTILE_CHANGE_QUESTION, HOSTILE_QUESTION, IMAGE, QUESTION, SCRIPT, copied
from tests.web.running import running


def links(html: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="([^"]*)"', html)]


def test_the_front_page_says_what_is_indexed_and_how_to_begin(client: httpx.Client) -> None:
    html = client.get("/").text
    assert "What is indexed" in html
    assert f'<option value="{CORPUS}" selected>' in html
    begin = [link for link in links(html) if link.startswith("/?q=")]
    assert begin
    assert client.get(begin[0]).status_code == 200


@pytest.mark.parametrize(("file", "content"), [("reports/retrieval.json", "{}"), ("manifest.json", '{"revision": 5}')])
def test_a_damaged_file_of_one_corpus_costs_the_front_page_nothing_else(
    corpora: State, models: Path, tmp_path: Path, file: str, content: str
) -> None:
    state = copied(corpora, tmp_path / "copy", models)
    shutil.copytree(state.corpus(CORPUS).directory, state.corpus("other").directory, symlinks=True)
    snapshot = state.corpus("other").current
    assert snapshot is not None
    (snapshot / file).write_text(content)
    with running(Library(state)) as address, client_of(address) as client:
        for path in ("/", "/?corpus=other", "/api/corpora", "/metrics"):
            assert client.get(path).status_code == 200
        assert f'<option value="{CORPUS}"' in client.get("/").text


def test_an_answer_shows_excerpts_with_their_lines_places_and_links(client: httpx.Client) -> None:
    html = client.get("/", params={"q": QUESTION}).text
    assert '<h2 id="name-1"><code>TokenBucket.take</code></h2>' in html
    assert re.search(r'data-line="\d+">.*<span class="k">def</span>', html)
    assert any(
        re.fullmatch(r"https://github.com/acme/client/blob/[0-9a-f]{40}/limiter/bucket.py#L\d+-L\d+", link)
        for link in links(html)
    )
    assert "introduced in" in html
    assert "share of the question&#39;s terms" in html


def test_the_permanent_link_names_corpus_and_snapshot_and_answers_the_same(
    client: httpx.Client, corpora: State
) -> None:
    html = client.get("/", params={"q": QUESTION, "scope": "code"}).text
    link = next(link for link in links(html) if link.startswith("/?q=") and "snapshot=" in link)
    assert f"corpus={CORPUS}" in link
    assert "scope=code" in link
    again = client.get(link).text
    assert "This link was made at" not in again
    assert re.findall("<h2.*</h2>", again) == re.findall("<h2.*</h2>", html)


def test_a_link_made_at_another_snapshot_says_so(client: httpx.Client) -> None:
    html = client.get("/", params={"q": QUESTION, "snapshot": "0123456789ab"}).text
    assert "made at snapshot <code>0123456789ab</code>" in html


def test_the_answer_as_markdown_is_the_one_of_the_command(client: httpx.Client, corpora: State) -> None:
    reply = client.get("/answer.md", params={"q": QUESTION, "corpus": CORPUS})
    assert reply.headers["content-type"].startswith("text/markdown")
    assert reply.text == Library(corpora).open(CORPUS).ask(QUESTION).as_markdown()


def test_a_pull_request_shows_who_merged_what_and_where_it_stands(client: httpx.Client) -> None:
    html = client.get("/", params={"q": PULL_REQUEST_QUESTION, "scope": "history"}).text
    assert "Exponential backoff between attempts" in html
    assert "pull request #7" in html
    assert "still stands at" in html
    assert '<span class="gi">' in html


def test_a_scope_without_anything_in_it_leads_everywhere(client: httpx.Client) -> None:
    html = client.get("/", params={"q": QUESTION, "scope": "tests"}).text
    assert "No evidence found" in html
    assert any("scope" not in link for link in links(html) if link.startswith("/?q="))


class Unsure(Corpus):
    """A corpus that is sure of nothing."""

    def ask(self, *given: object, **named: object) -> Answer:
        return replace(super().ask(*given, **named), confidence=Confidence(0.1, 0.5))  # type: ignore[arg-type]


class UnsureLibrary(Library):
    def open(self, name: str | None = None) -> Corpus:
        return Unsure(self.state, self.state.choose(name))


@pytest.fixture
def unsure(corpora: State) -> Iterator[httpx.Client]:
    with running(UnsureLibrary(corpora)) as address, client_of(address) as client:
        yield client


def test_weak_evidence_is_called_so_and_each_piece_is_marked(unsure: httpx.Client) -> None:
    html = unsure.get("/", params={"q": "How do I bake bread?", "top": 3}).text
    assert "No strong evidence." in html
    assert "Strongest evidence" not in html
    assert 'id="explain"' not in html  # a model makes prose of whatever it is given
    assert html.count("nearest, not strong") == html.count("<article") == 3


def test_a_mistake_keeps_the_question_and_says_what_to_do(client: httpx.Client) -> None:
    for parameters in ({"corpus": "nope"}, {"scope": "all"}, {"top": "many"}):
        reply = client.get("/", params={"q": QUESTION, **parameters})
        assert reply.status_code == 400
        assert 'role="alert"' in reply.text
        assert f'value="{QUESTION}"' in reply.text


def test_lines_are_shown_with_what_stands_around_them(client: httpx.Client) -> None:
    html = client.get("/source", params={"path": "retry.py", "lines": "4-6", "context": "2"}).text
    assert re.findall(r'class="line( wanted)?" data-line="(\d+)"', html) == [
        ("", "2"), ("", "3"), (" wanted", "4"), (" wanted", "5"), (" wanted", "6"), ("", "7"), ("", "8")
    ]  # fmt: skip
    assert any(link.startswith("/why?") for link in links(html))


def test_why_shows_the_changes_behind_lines(client: httpx.Client) -> None:
    html = client.get("/why", params={"place": "retry.py:4-6"}).text
    assert "Introduced in" in html
    assert "Exponential backoff between attempts" in html


@pytest.mark.parametrize("path", ["/source", "/source?path=nope.py", "/why?place=nope", "/why?place=nope.py:3"])
def test_a_page_that_cannot_show_it_says_why(client: httpx.Client, path: str) -> None:
    reply = client.get(path)
    assert reply.status_code == 400
    assert 'role="alert"' in reply.text


def test_quality_shows_runs_slices_and_the_worst_with_links_to_ask_them(client: httpx.Client) -> None:
    html = client.get("/quality").text
    assert html.count('<g class="series') == 3
    assert html.count("<circle") == 6  # two runs
    assert "kind: code" in html
    worst = [link for link in links(html) if link.startswith("/?q=")]
    assert all(client.get(link).status_code == 200 for link in worst)


@pytest.mark.parametrize(
    "question", [HOSTILE_QUESTION, HOSTILE_CHANGE_QUESTION, SCRIPT, f'"{IMAGE}', "\x00\x1b[31m‮{{7*7}}"]
)
@pytest.mark.parametrize("path", ["/", "/source", "/why", "/quality"])
def test_nothing_that_is_asked_or_found_becomes_part_of_a_page(client: httpx.Client, path: str, question: str) -> None:
    names = ("q", "path", "place", "corpus") if path != "/" else ("q",)
    html = client.get(path, params=dict.fromkeys(names, question)).text
    assert "<script>" not in html
    assert "<img" not in html
    assert html.count("</html>") == html.count("</main>") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f‪-‮]", re.sub(r' value="[^"]*"', "", html))
    assert "javascript:" not in " ".join(links(html))


def test_hostile_content_is_shown_as_the_text_it_is(client: httpx.Client) -> None:
    html = client.get("/", params={"q": HOSTILE_QUESTION}).text
    assert "&lt;/code&gt;&lt;/pre&gt;&lt;/article&gt;&lt;script&gt;window.harmed = 1&lt;/script&gt;" in html
    assert "&lt;img src=x onerror=window.harmed=1&gt; &amp; &#39;quotes&#39;.py" in html
    change = client.get("/", params={"q": HOSTILE_CHANGE_QUESTION, "scope": "history"}).text
    assert "Render a banner &lt;script&gt;window.harmed = 1&lt;/script&gt;" in change
    assert "Mallory &amp; Co" in change
