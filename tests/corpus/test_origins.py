from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import pytest

from gitcontext_pipeline.corpus.git import GitCheckout
from gitcontext_pipeline.corpus.origins import IMPATIENT, open_checkout, read_checkout
from gitcontext_pipeline.corpus.sdist import SdistCheckout
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.errors import NotIndexed, OriginUnavailable
from tests.corpus.archives import sdist
from tests.corpus.servers import Index, git_over_http, stalled
from tests.repositories import Repository

ARCHIVE = sdist({"src/demo.py": b"def demo():\n    return 2\n"})
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()


def spec(*origins: dict[str, Any], **fields: Any) -> CorpusSpec:
    return CorpusSpec.model_validate({"name": "demo", "origins": list(origins), **fields})


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package index with the release of the demo, which is the only configured one."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    index = Index(files={"demo-1.0.tar.gz": ARCHIVE})
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with index.running() as address:
        monkeypatch.setenv("PIP_INDEX_URL", address)
        yield index


def test_the_first_origin_that_answers_is_used_and_the_others_are_named(
    origin: Repository, tmp_path: Path, release: Index
) -> None:
    gone = {"git": "https://ada:s3cret@host.invalid/demo.git", "revision": origin.head}
    said: list[str] = []
    opened = open_checkout(
        spec(gone, {"git": str(origin.path), "revision": origin.head}), tmp_path / "corpus", progress=said.append
    )
    assert isinstance(opened.checkout, GitCheckout)
    assert opened.position == 1
    assert opened.origin.revision == origin.head
    [(label, reason)] = opened.attempts
    assert label == f"https://***@host.invalid/demo.git@{origin.head[:12]}"
    assert "unknown from here" in reason
    assert said[0] == f"fetching {label}"
    record = (tmp_path / "corpus/checkout.json").read_text()
    assert json.loads(record) | {"attempts": []} == {
        "kind": "git",
        "origin": f"{origin.path}@{origin.head[:12]}",
        "revision": origin.head,
        "position": 1,
        "attempts": [],
        "files": 2,
        "bytes": 32,
    }
    assert "s3cret" not in record + str(said)
    assert release.asked == []


def test_without_the_repository_the_release_is_used(origin: Repository, tmp_path: Path, release: Index) -> None:
    revision = origin.head
    origins = (
        {"git": str(tmp_path / "gone"), "revision": revision},
        {"sdist": "demo==1.0", "sha256": SHA256, "revision": revision},
    )
    opened = open_checkout(spec(*origins), tmp_path / "corpus")
    assert isinstance(opened.checkout, SdistCheckout)
    assert (opened.position, opened.checkout.revision) == (1, revision)
    asked = len(release.asked)
    again = open_checkout(spec(*origins), tmp_path / "corpus")
    assert (again.position, len(release.asked)) == (1, asked)
    # Once the repository can be reached, it is preferred, and from then on needed no more.
    origin.path.rename(tmp_path / "gone")
    better = open_checkout(spec(*origins), tmp_path / "corpus")
    assert (better.position, better.attempts) == (0, ())
    (tmp_path / "gone").rename(origin.path)
    assert open_checkout(spec(*origins), tmp_path / "corpus").position == 0


def test_a_mirror_that_answered_before_does_not_hide_that_the_first_origin_does_not(
    origin: Repository, tmp_path: Path
) -> None:
    origins = (
        {"git": str(tmp_path / "gone"), "revision": origin.head},
        {"git": str(origin.path), "revision": origin.head},
    )
    for _ in range(2):
        opened = open_checkout(spec(*origins), tmp_path / "corpus")
        assert (opened.position, len(opened.attempts)) == (1, 1)


def test_an_origin_that_moved_needs_no_second_download(origin: Repository, tmp_path: Path) -> None:
    open_checkout(spec({"git": str(origin.path), "revision": origin.head}), tmp_path / "corpus").checkout.close()
    moved = spec({"git": "https://host.invalid/demo.git", "revision": origin.head})
    assert open_checkout(moved, tmp_path / "corpus").position == 0


def test_a_rerun_does_not_wait_for_a_first_origin_that_hangs(
    origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = origin.head
    second = {"git": str(origin.path), "revision": revision}
    open_checkout(spec(second), tmp_path / "corpus").checkout.close()
    with stalled() as server:
        start = time.monotonic()
        opened = open_checkout(spec({"git": f"{server}/x.git", "revision": revision}, second), tmp_path / "corpus")
        assert opened.position == 1
        assert time.monotonic() - start < IMPATIENT.stall + 5


def test_when_every_origin_fails_each_is_named(tmp_path: Path) -> None:
    origins = (
        {"git": str(tmp_path / "gone"), "revision": "1" * 40},
        {"git": "https://host.invalid/demo.git", "revision": "1" * 40},
    )
    with pytest.raises(OriginUnavailable) as caught:
        open_checkout(spec(*origins), tmp_path / "corpus")
    assert "demo" in caught.value.what
    assert f"{tmp_path / 'gone'}@111111111111: there is no such path" in caught.value.what
    assert "host.invalid" in caught.value.what
    assert caught.value.fix
    assert not (tmp_path / "corpus/checkout.json").exists()
    with pytest.raises(OriginUnavailable, match="no such path"):
        open_checkout(spec(origins[0]), tmp_path / "corpus")


def test_a_failed_run_leaves_what_was_opened_before(origin: Repository, tmp_path: Path) -> None:
    open_checkout(spec({"git": str(origin.path), "revision": origin.head}), tmp_path / "corpus").checkout.close()
    with pytest.raises(OriginUnavailable):
        open_checkout(spec({"git": str(origin.path), "revision": "1" * 40}), tmp_path / "corpus")
    with read_checkout(tmp_path / "corpus") as checkout:
        assert checkout.revision == origin.head
        assert next(checkout.read(file) for file in checkout.files()) == b"# Demo\n"


def test_the_release_that_was_opened_is_read_again(tmp_path: Path, release: Index) -> None:
    open_checkout(spec({"sdist": "demo==1.0", "sha256": SHA256, "revision": "1" * 40}), tmp_path / "corpus")
    asked = len(release.asked)
    with read_checkout(tmp_path / "corpus") as checkout:
        assert checkout.revision == "1" * 40
        assert [file.path for file in checkout.files()] == ["src/demo.py"]
    assert len(release.asked) == asked


def test_nothing_opened_yet_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotIndexed, match="Materialize"):
        read_checkout(tmp_path)


def test_a_commit_over_http_is_fetched_once(origin: Repository, tmp_path: Path) -> None:
    bare = Repository(tmp_path / "served" / "bare.git", bare=True)
    origin.git("push", "--quiet", str(bare.path), "main")
    with git_over_http(tmp_path / "served") as server:
        here = spec({"git": f"{server}/bare.git", "revision": origin.head}, history=2)
        open_checkout(here, tmp_path / "corpus").checkout.close()
    assert open_checkout(here, tmp_path / "corpus").position == 0
