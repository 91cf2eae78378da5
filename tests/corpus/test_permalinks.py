from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.corpus.permalinks import FileLink, commit_url, file_url, pull_request_url, read_file_url

SHA = "0123456789abcdef0123456789abcdef01234567"
BLOB = f"https://github.com/psf/requests/blob/{SHA}"


def test_a_range_of_lines_and_a_single_line() -> None:
    assert file_url("psf/requests", SHA, "src/requests/api.py", 3, 9) == f"{BLOB}/src/requests/api.py#L3-L9"
    assert file_url("psf/requests", SHA, "src/requests/api.py", 3, 3) == f"{BLOB}/src/requests/api.py#L3"


@pytest.mark.parametrize("path", ["README.md", "docs/index.RST", "a.markdown", "b.mdx", "n.ipynb"])
def test_what_github_renders_is_linked_as_plain_text(path: str) -> None:
    assert file_url("psf/requests", SHA, path, 1, 2) == f"{BLOB}/{path}?plain=1#L1-L2"


@pytest.mark.parametrize(
    ("path", "quoted"),
    [
        ("a b.py", "a%20b.py"),
        ("c#.py", "c%23.py"),
        ("what?.py", "what%3F.py"),
        ("100%.py", "100%25.py"),
        ("a%20b.py", "a%2520b.py"),
        ("naïve/日本.py", "na%C3%AFve/%E6%97%A5%E6%9C%AC.py"),
        ("a+b&c=d.py", "a%2Bb%26c%3Dd.py"),
        ("[id]/(group)/page.tsx", "%5Bid%5D/%28group%29/page.tsx"),
    ],
)
def test_odd_paths_are_quoted(path: str, quoted: str) -> None:
    assert file_url("psf/requests", SHA, path, 1, 1) == f"{BLOB}/{quoted}#L1"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_path_can_be_read_back_from_its_link(path: str) -> None:
    link = urlsplit(file_url("psf/requests", SHA, path, 1, 2))
    assert unquote(link.path) == f"/psf/requests/blob/{SHA}/{path}"
    assert link.fragment == "L1-L2"


def test_without_github_a_link_names_the_object_of_git() -> None:
    assert file_url(None, SHA, "docs/a b.md", 1, 2) == f"git:{SHA}:docs/a%20b.md#L1-L2"
    assert commit_url(None, SHA) == f"git:{SHA}"


def test_changes_are_linked_by_commit_and_by_number() -> None:
    assert commit_url("psf/requests", SHA) == f"https://github.com/psf/requests/commit/{SHA}"
    assert pull_request_url("psf/requests", 2850) == "https://github.com/psf/requests/pull/2850"


def test_a_repository_on_another_server_is_named_by_its_address() -> None:
    home = "https://code.example.com/psf/requests"
    assert file_url(home, SHA, "a.py", 1, 2) == f"{home}/blob/{SHA}/a.py#L1-L2"
    assert commit_url(home, SHA) == f"{home}/commit/{SHA}"
    assert pull_request_url(home, 12) == f"{home}/pull/12"


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    st.sampled_from([None, "psf/requests", "https://code.example.com/psf/requests"]),
    st.integers(1, 10**6),
    st.integers(0, 50),
)
def test_what_a_link_says_is_read_back(path: str, repository: str | None, start: int, more: int) -> None:
    link = read_file_url(file_url(repository, SHA, path, start, start + more))
    assert link is not None
    assert (link.path, link.revision, link.start_line, link.end_line) == (path, SHA, start, start + more)
    assert link.is_of(repository)
    assert not link.is_of("psf/other")


@pytest.mark.parametrize(
    "text",
    [
        "src/a.py:1",
        f"{BLOB}/a.py",
        "https://github.com/psf/requests/blob/main/a.py#L1",
        f"{BLOB}/a.py#L1-L",
        "git:a#L1",
    ],
)
def test_what_is_no_link_to_lines_of_a_commit_is_none(text: str) -> None:
    assert read_file_url(text) is None


def test_github_is_the_same_by_its_slug_and_by_its_address() -> None:
    assert FileLink("https://github.com/psf/requests", SHA, "a.py", 1, 1).is_of("psf/requests")
