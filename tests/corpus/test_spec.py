from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from gitcontext_pipeline.corpus.spec import CorpusSpec, GitOrigin, SdistOrigin

SHA = "0123456789abcdef0123456789abcdef01234567"
SHA256 = "0" * 64
GIT = {"git": "https://github.com/psf/requests.git", "revision": SHA}
SDIST = {"sdist": "requests==2.34.2", "sha256": SHA256, "revision": SHA}


def spec(**fields: Any) -> CorpusSpec:
    return CorpusSpec.model_validate({"name": "requests", "origins": [GIT], **fields})


def places(error: ValidationError) -> set[str]:
    return {".".join(str(part) for part in each["loc"]) for each in error.errors()}


def test_a_name_and_an_origin_are_enough() -> None:
    made = spec()
    assert made.origins == (GitOrigin(git=GIT["git"], revision=SHA),)
    assert (made.github, made.history, made.include, made.exclude) == (None, "all", ("**",), ())
    assert (made.golden_set, made.tolerance, made.embedding_model) == (None, 5.0, "all-MiniLM-L6-v2")


def test_it_survives_being_written_down() -> None:
    made = spec(origins=[GIT, SDIST], github="psf/requests", history=100, exclude=["ext/**"])
    assert CorpusSpec.model_validate(made.model_dump(mode="json", exclude_defaults=True)) == made
    assert CorpusSpec.model_validate_json(made.model_dump_json()) == made


def test_it_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        spec().name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/psf/requests.git",
        "http://localhost:8080/x",
        "ssh://git@github.com:22/psf/requests",
        "git://host/x",
        "file:///srv/git/x.git",
        "git@github.com:psf/requests.git",
        "user@[::1]:x.git",
        "/srv/git/x.git",
        "../x",
        "~/x",
        "a path/with spaces/and::colons",
    ],
)
def test_addresses_that_git_may_fetch_from(url: str) -> None:
    assert GitOrigin(git=url, revision=SHA).git == url


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ext::sh -c touch% /tmp/pwned", "transport 'ext' is not allowed"),
        ("EXT::sh -c id", "transport 'EXT' is not allowed"),
        ("ext:://x", "transport 'ext' is not allowed"),
        ("1ext::sh -c id", "transport '1ext' is not allowed"),
        ("fd::17/x", "transport 'fd' is not allowed"),
        ("transport-helper::x", "is not allowed"),
        ("--upload-pack=touch /tmp/pwned", "a git origin is"),
        ("-oProxyCommand=id", "a git origin is"),
        ("https://host/x\n--upload-pack=id", "a git origin is"),
        ("https://host/x\0", "a git origin is"),
        ("\thttps://host/x", "a git origin is"),
        ("", "a git origin is"),
        ("ftp://host/x", "scheme 'ftp'"),
        ("javascript://x", "scheme 'javascript'"),
        ("gopher://host:9418/x", "scheme 'gopher'"),
    ],
)
def test_addresses_that_could_run_a_command_are_refused(url: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said) as caught:
        spec(origins=[{"git": url, "revision": SHA}])
    assert places(caught.value) == {"origins.0.git.git"}


@pytest.mark.parametrize("revision", ["main", "v2.31.0", SHA[:12], SHA.upper(), SHA + "0", SHA + "\n", "", None])
def test_only_a_full_commit_id_pins(revision: str | None) -> None:
    with pytest.raises(ValidationError) as caught:
        spec(origins=[{"git": "/x", "revision": revision}])
    assert places(caught.value) == {"origins.0.git.revision"}


@pytest.mark.parametrize("name", ["requests", "r", "7zip", "a_b", "a" * 63])
def test_names_that_can_be_asset_keys_and_directories(name: str) -> None:
    assert spec(name=name).name == name


@pytest.mark.parametrize("name", ["", "Requests", "a-b", "a.b", "a/b", "..", "_a", "a" * 64, "requests\n", "é"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError) as caught:
        spec(name=name)
    assert places(caught.value) == {"name"}


@pytest.mark.parametrize("slug", ["psf/requests", "a/b", "BurntSushi/ripgrep", "x-y/a.b_c-d", "gin-gonic/gin"])
def test_slugs(slug: str) -> None:
    assert spec(github=slug).github == slug


@pytest.mark.parametrize(
    "slug",
    ["requests", "psf/", "/requests", "psf/requests/tree", "-x/y", "a b/c", "a/b?c", "a/b#c", "a/b\n", "a" * 40 + "/b"],
)
def test_other_slugs_are_refused(slug: str) -> None:
    with pytest.raises(ValidationError) as caught:
        spec(github=slug)
    assert places(caught.value) == {"github"}


@pytest.mark.parametrize(
    ("fields", "repository"),
    [
        ({}, None),
        ({"github": "psf/requests"}, "psf/requests"),
        ({"github": "psf/requests", "github_url": "https://github.com/"}, "psf/requests"),
        ({"github": "a/b", "github_url": "https://github.example.com/"}, "https://github.example.com/a/b"),
        ({"github": "a/b", "github_url": "http://localhost:8080"}, "http://localhost:8080/a/b"),
        ({"github_url": "https://github.example.com"}, None),
    ],
)
def test_permalinks_name_the_repository_by_slug_or_by_address(fields: dict[str, str], repository: str | None) -> None:
    assert spec(**fields).repository == repository


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("github.example.com", "https://HOST"),
        ("ftp://github.example.com", "https://HOST"),
        ("file:///etc", "https://HOST"),
        ("https://", "https://HOST"),
        ("https://host?x", "https://HOST"),
        ("https://host#x", "https://HOST"),
        ("https://host\n", "https://HOST"),
        ("https://host/a b", "https://HOST"),
        ("https://ada:token@host", "set GITHUB_TOKEN"),
        ("http://github.example.com", "use https"),
    ],
)
def test_a_server_that_a_token_must_not_be_sent_to_is_refused(url: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said) as caught:
        spec(github="a/b", github_url=url)
    assert places(caught.value) == {"github_url"}
    assert "token@" not in str(caught.value)


class TestOrigins:
    def test_they_are_kept_in_order(self) -> None:
        made = spec(origins=[SDIST, GIT])
        assert [type(origin) for origin in made.origins] == [SdistOrigin, GitOrigin]
        assert [origin.label for origin in made.origins] == [
            "sdist requests==2.34.2",
            "https://github.com/psf/requests.git@0123456789ab",
        ]

    def test_there_is_at_least_one(self) -> None:
        with pytest.raises(ValidationError, match="name at least one origin") as caught:
            spec(origins=[])
        assert places(caught.value) == {"origins"}

    def test_an_error_in_a_release_speaks_of_the_release_alone(self) -> None:
        with pytest.raises(ValidationError) as caught:
            spec(origins=[GIT, {"sdist": "requests>=2", "revision": SHA}])
        assert places(caught.value) == {"origins.1.sdist.sdist", "origins.1.sdist.sha256"}

    def test_an_error_in_a_repository_speaks_of_the_repository_alone(self) -> None:
        with pytest.raises(ValidationError) as caught:
            spec(origins=[{"git": "/x", "branch": "main"}])
        assert places(caught.value) == {"origins.0.git.revision", "origins.0.git.branch"}

    @pytest.mark.parametrize("origin", ["https://github.com/psf/requests", None, [], 1])
    def test_what_is_no_origin_at_all(self, origin: object) -> None:
        with pytest.raises(ValidationError) as caught:
            spec(origins=[origin])
        assert places(caught.value) == {"origins.0.git"}

    @pytest.mark.parametrize(
        "requirement", ["requests", "requests==", "requests>=2", "-r x==1", "a b==1", "a==1 --pre"]
    )
    def test_a_release_is_one_version(self, requirement: str) -> None:
        with pytest.raises(ValidationError) as caught:
            spec(origins=[{**SDIST, "sdist": requirement}])
        assert places(caught.value) == {"origins.0.sdist.sdist"}

    @pytest.mark.parametrize("digest", ["", "0" * 63, "G" * 64, "sha256:" + SHA256])
    def test_a_release_is_pinned_by_its_digest(self, digest: str) -> None:
        with pytest.raises(ValidationError) as caught:
            spec(origins=[{**SDIST, "sha256": digest}])
        assert places(caught.value) == {"origins.0.sdist.sha256"}


@pytest.mark.parametrize("history", ["all", "none", 1, 5000])
def test_history_is_a_depth_or_all_or_none(history: object) -> None:
    assert spec(history=history).history == history


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("history", 0),
        ("history", -1),
        ("history", "some"),
        ("tolerance", -0.1),
        ("tolerance", 100.1),
        ("tolerance", float("nan")),
        ("tolerance", float("inf")),
        ("embedding_model", ""),
        ("repository", "x"),
    ],
)
def test_impossible_values_are_refused_where_they_stand(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        spec(**{field: value})
    assert {place.split(".")[0] for place in places(caught.value)} == {field}


@pytest.mark.parametrize("pattern", ["../**", "src/../../x", ""])
def test_patterns_stay_inside_the_repository(pattern: str) -> None:
    for field in ("include", "exclude"):
        with pytest.raises(ValidationError, match="must be relative to the top of the repository"):
            spec(**{field: ["src/**", pattern]})


def test_patterns_may_be_any_glob() -> None:
    patterns = ("src/**", "*.py", "!docs/**", "a..b/*.md", "[id]/x", "/anchored.py")
    assert spec(include=patterns).include == patterns


@pytest.mark.parametrize("url", ["https://code.example.com", "https://code.example.com/", "http://127.0.0.1:8080"])
def test_permalinks_follow_the_github_server(url: str) -> None:
    assert spec(github="psf/requests", github_url=url).repository == f"{url.rstrip('/')}/psf/requests"
    assert spec(github="psf/requests").repository == "psf/requests"
    assert spec(github_url=url).repository is None


@pytest.mark.parametrize(
    "url", ["http://code.example.com", "code.example.com", "https://ada:secret@code.example.com", "https://h/?a=b", ""]
)
def test_a_github_server_that_a_token_must_not_be_sent_to(url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        spec(github="psf/requests", github_url=url)
    assert places(caught.value) == {"github_url"}
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        ({"git": "https://example.com/a.git", "revision": "main"}, "'main' does not match"),
        ({"git": "https://example.com/a.git"}, "'revision' is a required property"),
        ({"git": "https://example.com/a.git", "revision": "1" * 40, "branch": "main"}, "'branch' was unexpected"),
    ],
)
def test_the_schema_that_yaml_files_are_checked_against_names_what_is_wrong(origin: object, told: str) -> None:
    validator = jsonschema.Draft202012Validator(CorpusSpec.model_json_schema())
    (error,) = validator.iter_errors({"name": "a", "origins": [origin]})
    assert told in error.message
    assert list(error.absolute_path)[:2] == ["origins", 0]
