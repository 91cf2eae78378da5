from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.package_index import PackageIndex
from gitcontext_pipeline.corpus.pip_settings import IndexSettings
from gitcontext_pipeline.corpus.sdist import fetch_sdist, open_sdist
from gitcontext_pipeline.errors import GitContextError, OriginUnavailable
from tests.corpus.archives import member, sdist, tar, zipped
from tests.corpus.servers import Index, stalled

COMMIT = "c" * 40
FILES = {"src/demo.py": b"def demo(): ...\n", "README.md": b"# Demo\n"}
ARCHIVE = sdist(FILES)
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()
NAME = "demo-1.0.tar.gz"


def fetched(address: str, directory: Path, sha256: str = SHA256, **settings: object) -> dict[str, bytes]:
    where = IndexSettings(indexes=(address,), **settings)  # type: ignore[arg-type]
    checkout = fetch_sdist("Demo==1.0", sha256, COMMIT, directory, settings=where)
    assert checkout.revision == COMMIT
    assert checkout.repository is None
    return {file.path: checkout.read(file) for file in checkout.files()}


@pytest.mark.parametrize("form", ["json", "html"])
@pytest.mark.parametrize("promised", [True, False])
def test_a_release_is_downloaded_verified_and_unpacked(tmp_path: Path, form: str, promised: bool) -> None:
    others = {"demo-1.0-py3-none-any.whl": b"w", "demo-1.0.1.tar.gz": b"x", "demo-extra-1.0.tar.gz": b"y"}
    index = Index(files={**others, NAME: ARCHIVE}, form=form, hashes={} if promised else {NAME: ""})
    with index.running() as address:
        assert fetched(address, tmp_path) == dict(sorted(FILES.items()))
    assert index.asked == ["/simple/demo/", f"/files/{NAME}"]
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_zip_is_as_good(tmp_path: Path) -> None:
    content = zipped(FILES)
    with Index(files={"demo-1.0.zip": content}).running() as address:
        assert fetched(address, tmp_path, hashlib.sha256(content).hexdigest()) == dict(sorted(FILES.items()))


def test_what_was_unpacked_is_opened_again_without_an_index(tmp_path: Path) -> None:
    with Index(files={NAME: ARCHIVE}).running() as address:
        fetched(address, tmp_path)
    checkout = open_sdist(tmp_path, "Demo==1.0", SHA256, COMMIT)
    assert checkout
    assert [file.path for file in checkout.files()] == sorted(FILES)
    assert open_sdist(tmp_path, "Demo==1.0", "0" * 64, COMMIT) is None
    assert open_sdist(tmp_path, "Demo==1.1", SHA256, COMMIT) is None


def test_files_that_the_packaging_added_are_left_alone(tmp_path: Path) -> None:
    made = {
        "PKG-INFO": b"Name: demo\n",
        "src/demo.egg-info/PKG-INFO": b"Name: demo\n",
        "setup.cfg": b"[metadata]\nname = demo\n\n[egg_info]\ntag_build = \ntag_date = 0\n\n",
    }
    content = sdist(FILES | made)
    with Index(files={NAME: content}).running() as address:
        assert fetched(address, tmp_path, hashlib.sha256(content).hexdigest()).keys() == FILES.keys()
    checkout = open_sdist(tmp_path, "Demo==1.0", hashlib.sha256(content).hexdigest(), COMMIT)
    assert checkout
    assert checkout.not_regular().keys() == made.keys()


def test_another_hash_than_the_pinned_one_is_not_even_downloaded(tmp_path: Path) -> None:
    index = Index(files={NAME: ARCHIVE})
    with index.running() as address, pytest.raises(OriginUnavailable, match=SHA256) as caught:
        fetched(address, tmp_path, "0" * 64)
    assert "0" * 64 in str(caught.value)
    assert index.asked == ["/simple/demo/"]


def test_a_file_that_is_not_what_the_index_promised_is_not_unpacked(tmp_path: Path) -> None:
    evil = sdist({"src/demo.py": b"evil\n"})
    with (
        Index(files={NAME: evil}, hashes={NAME: SHA256}).running() as address,
        pytest.raises(OriginUnavailable, match="it was not unpacked"),
    ):
        fetched(address, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        (Index(), "no such source distribution"),
        (Index(files={"demo-1.0.tar.gz.asc": b"", "demo-1.0-py3-none-any.whl": b""}), "no such source distribution"),
        (Index(files={NAME: ARCHIVE}, truncate=True), "broke off"),
        (Index(files={NAME: ARCHIVE}, failures=99), "503"),
    ],
)
def test_an_index_without_the_file_is_unavailable(tmp_path: Path, index: Index, reason: str) -> None:
    with index.running() as address, pytest.raises(OriginUnavailable, match=reason) as caught:
        fetched(address, tmp_path)
    assert caught.value.fix
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_name_is_a_404(tmp_path: Path) -> None:
    with Index().running() as address, pytest.raises(OriginUnavailable, match="404"):
        fetch_sdist("other==1.0", SHA256, COMMIT, tmp_path, settings=IndexSettings(indexes=(address,)))


def test_a_server_that_recovers_is_asked_again(tmp_path: Path) -> None:
    index = Index(files={NAME: ARCHIVE}, failures=1)
    with index.running() as address:
        assert fetched(address, tmp_path).keys() == FILES.keys()
    assert index.asked.count("/simple/demo/") == 2


def test_a_silent_index_is_given_up(tmp_path: Path) -> None:
    with (
        stalled() as address,
        PackageIndex(IndexSettings(indexes=(address,), read=0.2), pause=0.01) as index,
    ):
        assert index.find("demo", "1.0").silent == [f"{address}/demo/: the transfer broke off (timed out)"]


def test_a_later_place_is_used_when_an_earlier_one_fails(tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    (links / NAME).write_bytes(ARCHIVE)
    with Index().running() as address:
        found = fetched(address, tmp_path / "corpus", links=(str(links), "/nowhere"))
    assert found.keys() == FILES.keys()


@pytest.mark.parametrize("form", ["index", "links"])
def test_an_index_may_be_a_directory(tmp_path: Path, form: str) -> None:
    page = tmp_path / "simple" / "demo"
    page.mkdir(parents=True)
    (page / NAME).write_bytes(ARCHIVE)
    (page / "index.html").write_text(f'<a href="{NAME}#sha256={SHA256}">{NAME}</a>')
    if form == "index":
        assert fetched((tmp_path / "simple").as_uri(), tmp_path / "corpus").keys() == FILES.keys()
    else:
        assert fetched("file:///nowhere", tmp_path / "corpus", links=(page.as_uri(),)).keys() == FILES.keys()


def test_an_index_on_the_network_cannot_name_files_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(ARCHIVE)
    with Index(extra_links=[(tmp_path / NAME).as_uri()]).running() as address, pytest.raises(OriginUnavailable):
        fetched(address, tmp_path / "corpus")


def test_a_password_in_the_index_address_is_used_and_never_shown(tmp_path: Path) -> None:
    index = Index(files={NAME: ARCHIVE})
    with index.running() as address:
        secret = address.replace("://", "://ada:s3cret@")
        fetched(secret, tmp_path)
        with pytest.raises(OriginUnavailable) as caught:
            fetch_sdist("other==1.0", SHA256, COMMIT, tmp_path, settings=IndexSettings(indexes=(secret,)))
    assert index.authorizations[0] == "Basic YWRhOnMzY3JldA=="
    assert "s3cret" not in str(caught.value)
    assert not any(b"s3cret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_hostile_archive_leaves_the_release_that_was_there(tmp_path: Path) -> None:
    evil = tar([member("demo-1.0/../../evil", b"x")])
    with Index(files={NAME: ARCHIVE}).running() as address:
        fetched(address, tmp_path)
    with Index(files={NAME: evil}).running() as address, pytest.raises(OriginUnavailable, match="refused"):
        fetched(address, tmp_path, hashlib.sha256(evil).hexdigest())
    assert open_sdist(tmp_path, "Demo==1.0", SHA256, COMMIT)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_file_that_was_edited_afterwards_is_noticed(tmp_path: Path) -> None:
    with Index(files={NAME: ARCHIVE}).running() as address:
        fetched(address, tmp_path)
    (tmp_path / "release/tree/README.md").write_text("edited\n")
    checkout = open_sdist(tmp_path, "Demo==1.0", SHA256, COMMIT)
    assert checkout
    readme = next(file for file in checkout.files() if file.path == "README.md")
    with pytest.raises(GitContextError, match="changed or removed"):
        checkout.read(readme)


def test_nothing_larger_than_the_limit_is_downloaded(tmp_path: Path) -> None:
    with Index(files={NAME: ARCHIVE}).running() as address, PackageIndex(IndexSettings(indexes=(address,))) as index:
        candidate = index.find("demo", "1.0").candidates[0]
        with pytest.raises(OriginUnavailable, match="larger than 10 bytes"):
            index.download(candidate, tmp_path / "file", limit=10)


def test_the_pinned_release_of_requests_is_on_the_configured_index(tmp_path: Path) -> None:
    """Uses the network: the package index is needed to install this project anyway."""
    checkout = fetch_sdist(
        "requests==2.34.2",
        "f288924cae4e29463698d6d60bc6a4da69c89185ad1e0bcc4104f584e960b9ed",
        "6e83187b8feb273ed4c6cdab5efd8d54901dfab3",
        tmp_path,
    )
    files = {file.path: file for file in checkout.files()}
    lines = checkout.read(files["src/requests/sessions.py"]).decode().splitlines()
    assert lines[153].strip().startswith("def should_strip_auth(")
    assert files["src/requests/sessions.py"].blob == "feaf34053a911d4b9051069aeb57e595b4d00165"
