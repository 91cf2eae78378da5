from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.web.conftest import _no_model_of_the_tester, address, corpora

__all__ = ["_no_model_of_the_tester", "address", "corpora"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The one browser of these tests, the system's own; its driver keeps this thread's event loop to itself."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser, address: str) -> Iterator[BrowserContext]:
    """A fresh window; a request to anywhere but the server is cut off and fails the test."""
    strays: list[str] = []
    made = chromium.new_context(base_url=address, viewport={"width": 1200, "height": 900})
    made.set_default_timeout(30_000)
    made.on("request", lambda request: None if request.url.startswith(address) else strays.append(request.url))
    yield made
    made.close()
    assert strays == []


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which no script of a stranger may run and none of ours may fail."""
    complaints: list[str] = []
    made = context.new_page()
    made.on("pageerror", lambda error: complaints.append(str(error)))
    made.on("console", lambda message: complaints.append(message.text) if "Content Security" in message.text else None)
    yield made
    assert complaints == []
    assert made.evaluate("window.harmed") is None
