from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.corpus.noise import TEMPLATE, is_chatter, noise_of, template_lines, trimmed

BODY = """\
<!-- Please read CONTRIBUTING
before you start -->
## What does this change?

[![build](https://ci.example.com/badge.svg)](https://ci.example.com) Waits twice as long.

> What does it do now?

```python
> not a quote
- [ ] not a box
```

- [ ] I wrote tests
- [x] No new dependency

Signed-off-by: Ada <ada@example.com>
On Mon, 4 Dec 2023, Bob wrote:
"""


def test_what_says_nothing_is_left_out_of_the_searched_text() -> None:
    assert trimmed(BODY, {"## What does this change?"}) == (
        "Waits twice as long.\n\n```python\n> not a quote\n- [ ] not a box\n```\n\n- [x] No new dependency"
    )


def test_a_robots_release_notes_are_left_out_and_a_persons_details_are_not() -> None:
    body = "Bumps x.\n<details><summary>Notes</summary>Much.</details>"
    assert trimmed(body, by_robot=True) == "Bumps x."
    assert "Much." in trimmed(body)


def test_lines_that_many_bodies_share_are_a_template() -> None:
    bodies = [f"### Summary of the change\nNumber {n}\nok\n" for n in range(20)]
    assert template_lines(["## Checklist\n\n"], bodies) == {"### Summary of the change", "## Checklist"}
    assert template_lines([], bodies[:3]) == set()


@pytest.mark.parametrize(
    ("path", "is_template"),
    [
        (".github/PULL_REQUEST_TEMPLATE.md", True),
        (".github/pull_request_template.md", True),
        ("docs/pull_request_template.md", True),
        ("PULL_REQUEST_TEMPLATE.md", True),
        (".github/PULL_REQUEST_TEMPLATE/fix.md", True),
        (".github/ISSUE_TEMPLATE.md", False),
        ("src/pull_request_template.py", False),
    ],
)
def test_templates_are_where_github_looks_for_them(path: str, is_template: bool) -> None:
    assert bool(TEMPLATE.match(path)) == is_template


@pytest.mark.parametrize(
    "text",
    [
        "LGTM!", "+1", "👍 thanks", "Thank you so much, @ada!", "@dependabot rebase", "bors r+", "r? @bob", "/retest",
        "> quoted only\n", "", "ping @ada", "<!-- nothing -->", "Great work, thanks all",
    ],
)  # fmt: skip
def test_chatter_is_told(text: str) -> None:
    assert is_chatter(text, by_robot=False, hidden=None)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, but this breaks the proxy.", "+1 because the old way leaks", "/etc/hosts is not read here, why?",
        "It is documented in RFC 7235.", "No.",
    ],
)  # fmt: skip
def test_what_says_something_is_no_chatter(text: str) -> None:
    assert not is_chatter(text, by_robot=False, hidden=None)


def test_robots_and_hidden_spam_are_chatter_whatever_they_say() -> None:
    assert is_chatter("Coverage went down by 0.1%.", by_robot=True, hidden=None)
    assert is_chatter("Buy now, at a good price.", by_robot=False, hidden="spam")
    assert not is_chatter("This was right before the rewrite.", by_robot=False, hidden="outdated")


@pytest.mark.parametrize(
    ("title", "paths", "noise"),
    [
        ("Bump actions/checkout from 3 to 4", (".github/workflows/test.yml",), "dependency bump"),
        ("chore(deps): update dependency black to v24", ("poetry.lock", "pyproject.toml"), "dependency bump"),
        ("Update requirements", ("requirements-dev.txt",), "dependency bump"),
        ("Upgrade urllib3 to 2.0", ("setup.py", "src/requests/adapters.py"), None),
        ("Update the docs to 3.0", ("docs/index.rst",), None),
        ("Bump x from 1 to 2", (), None),
    ],
)
def test_dependency_bumps_touch_nothing_but_manifests(title: str, paths: tuple[str, ...], noise: str | None) -> None:
    assert noise_of(title, False, paths) == noise


@given(st.text())
def test_any_text_can_be_trimmed_and_judged(text: str) -> None:
    assert len(trimmed(text)) <= len(text)
    assert isinstance(is_chatter(text, False, None), bool)
