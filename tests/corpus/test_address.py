from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.address import spec_from_address, split_revision
from gitcontext_pipeline.corpus.spec import GitOrigin
from gitcontext_pipeline.errors import OriginUnavailable, UsageError
from tests.repositories import Repository

SHA = "0123456789abcdef0123456789abcdef01234567"


class TestSplitRevision:
    @pytest.mark.parametrize(
        ("source", "address", "revision"),
        [
            ("https://github.com/psf/requests", "https://github.com/psf/requests", "HEAD"),
            ("https://github.com/psf/requests@v2.31.0", "https://github.com/psf/requests", "v2.31.0"),
            ("https://github.com/psf/requests.git@feature/x", "https://github.com/psf/requests.git", "feature/x"),
            ("https://github.com/psf/requests/@v2.31.0", "https://github.com/psf/requests/", "v2.31.0"),
            (f"https://host/x@{SHA}", "https://host/x", SHA),
            ("https://ada@host/x", "https://ada@host/x", "HEAD"),
            ("https://ada:p@ss@host/x@main", "https://ada:p@ss@host/x", "main"),
            ("https://host/@ada/x", "https://host/@ada/x", "HEAD"),
            ("https://host/@ada/x@v1", "https://host/@ada/x", "v1"),
            ("ssh://git@host:22/x", "ssh://git@host:22/x", "HEAD"),
            ("ssh://git@host:22/x@v1", "ssh://git@host:22/x", "v1"),
            ("git@github.com:psf/requests.git", "git@github.com:psf/requests.git", "HEAD"),
            ("git@github.com:psf/requests.git@v1", "git@github.com:psf/requests.git", "v1"),
            ("host:x@v1", "host:x", "v1"),
            ("../missing@v1", "../missing", "v1"),
            ("missing@v1~3", "missing", "v1~3"),
            ("missing@", "missing@", "HEAD"),
            ("@v1", "@v1", "HEAD"),
            ("", "", "HEAD"),
        ],
    )
    def test_an_at_sign_before_the_path_belongs_to_the_address(self, source: str, address: str, revision: str) -> None:
        assert split_revision(source) == (address, revision)

    def test_an_at_sign_in_a_path_that_exists_belongs_to_the_path(self, tmp_path: Path) -> None:
        path = tmp_path / "demo@2"
        path.mkdir()
        for source in (str(path), f"file://{path}"):
            assert split_revision(source) == (source, "HEAD")
            assert split_revision(f"{source}@v1") == (source, "v1")

    def test_home_is_looked_into(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        (tmp_path / "demo@2").mkdir()
        assert split_revision("~/demo@2") == ("~/demo@2", "HEAD")


class TestSpecFromAddress:
    @pytest.fixture
    def second(self, origin: Repository) -> str:
        """The commit before HEAD, tagged v1."""
        commit = origin.git("rev-parse", "HEAD~1")
        origin.git("tag", "v1", commit)
        return commit

    def test_a_path_is_pinned_to_where_it_stands_now(self, origin: Repository) -> None:
        made = spec_from_address(str(origin.path))
        assert made.name == "origin"
        assert made.origins == (GitOrigin(git=str(origin.path), revision=origin.head),)
        assert made.github is None

    def test_a_relative_path_is_made_absolute(self, origin: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(origin.path)
        made = spec_from_address(".")
        assert made.name == "origin"
        assert made.origins[0].label.startswith(f"{origin.path}@")

    @pytest.mark.parametrize("revision", ["v1", "HEAD~1", "main~1"])
    def test_a_revision_is_resolved(self, origin: Repository, second: str, revision: str) -> None:
        assert spec_from_address(f"{origin.path}@{revision}").origins[0].revision == second

    def test_a_url_is_asked_for_its_branches_and_tags(self, origin: Repository, second: str) -> None:
        for source, revision in ((f"file://{origin.path}", origin.head), (f"file://{origin.path}@v1", second)):
            made = spec_from_address(source)
            assert made.origins == (GitOrigin(git=f"file://{origin.path}", revision=revision),)

    def test_name_slug_and_other_fields_can_be_given(self, origin: Repository) -> None:
        made = spec_from_address(str(origin.path), name="mine", github="ada/demo", history="none", exclude=["docs/**"])
        assert (made.name, made.github, made.history, made.exclude) == ("mine", "ada/demo", "none", ("docs/**",))

    @pytest.mark.parametrize(
        ("directory", "name"),
        [
            ("Requests-HTML", "requests_html"),
            ("demo.git", "demo"),
            ("a b.c", "a_b_c"),
            ("__x__", "x"),
            ("日本", "repository"),
            ("n" * 80, "n" * 63),
        ],
    )
    def test_the_name_comes_from_the_address(self, tmp_path: Path, directory: str, name: str) -> None:
        repository = Repository(tmp_path / directory)
        repository.commit("First")
        assert spec_from_address(f"{repository.path}").name == name

    @pytest.mark.parametrize(
        "url",
        [
            "https://github.com/psf/requests",
            "https://github.com/psf/requests.git",
            "https://github.com/psf/requests/",
            "https://ada:token@github.com/psf/requests.git",
            "ssh://git@github.com/psf/requests.git",
            "git@github.com:psf/requests.git",
        ],
    )
    def test_addresses_at_github_are_linked_there(self, url: str) -> None:
        made = spec_from_address(f"{url}@{SHA}")
        assert (made.name, made.github) == ("requests", "psf/requests")
        assert made.origins == (GitOrigin(git=url, revision=SHA),)

    @pytest.mark.parametrize(
        "url", ["https://gitlab.com/psf/requests", "https://github.com.evil/psf/requests", "git@github.community:a/b"]
    )
    def test_addresses_elsewhere_are_not(self, url: str) -> None:
        assert spec_from_address(f"{url}@{SHA}").github is None

    def test_a_clone_of_github_is_linked_there_if_the_commit_was_fetched_from_there(self, origin: Repository) -> None:
        origin.git("remote", "add", "origin", "https://github.com/ada/demo.git")
        assert spec_from_address(str(origin.path)).github is None
        origin.git("update-ref", "refs/remotes/origin/main", origin.head)
        assert spec_from_address(str(origin.path)).github == "ada/demo"
        origin.commit("Not pushed yet")
        assert spec_from_address(str(origin.path)).github is None

    @pytest.mark.parametrize("source", ["missing", "./missing@v1", "~/missing"])
    def test_a_path_that_is_not_there(self, tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HOME", str(tmp_path))
        with pytest.raises(UsageError, match="there is no such directory"):
            spec_from_address(source)

    def test_a_directory_that_is_no_repository(self, tmp_path: Path) -> None:
        with pytest.raises(OriginUnavailable, match="no git repository"):
            spec_from_address(str(tmp_path))

    @pytest.mark.parametrize("revision", ["v9", "--upload-pack=id", "HEAD~9"])
    def test_a_revision_that_is_not_there(self, origin: Repository, revision: str) -> None:
        for source in (f"{origin.path}@{revision}", f"file://{origin.path}@{revision}"):
            with pytest.raises(UsageError, match="there is no") as caught:
                spec_from_address(source)
            assert revision in caught.value.what

    @pytest.mark.parametrize("source", ["ext::sh -c touch% {mark}", "1ext::sh -c touch% {mark}", "fd::17", "ftp://h/x"])
    def test_an_address_that_git_must_not_be_given(self, tmp_path: Path, source: str) -> None:
        mark = tmp_path / "mark"
        with pytest.raises(UsageError, match=r"not allowed|is not one of"):
            spec_from_address(source.format(mark=mark))
        assert not mark.exists()

    @pytest.mark.parametrize("source", ["--upload-pack=touch {mark}", "https://host/x\n{mark}", ""])
    def test_an_address_that_is_none(self, tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        mark = tmp_path / "mark"
        with pytest.raises((UsageError, OriginUnavailable)):
            spec_from_address(source.format(mark=mark))
        assert not mark.exists()

    def test_a_malformed_name_is_a_usage_error(self, origin: Repository) -> None:
        with pytest.raises(UsageError, match="name: String should match pattern") as caught:
            spec_from_address(str(origin.path), name="No Name")
        assert caught.value.exit_code == 2

    def test_an_error_does_not_repeat_a_password(self) -> None:
        with pytest.raises(UsageError, match="host/x") as caught:
            spec_from_address(f"https://ada:s3cret@host/x@{SHA}", name="No Name")
        assert "s3cret" not in str(caught.value)
