from __future__ import annotations

import contextlib
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitcontext_pipeline.corpus.archive import Unpacked, blob_id, unpack
from gitcontext_pipeline.errors import OriginUnavailable
from tests.corpus.archives import bomb, member, sdist, tar, zipped
from tests.repositories import Repository

GOOD = member("demo-1.0/a.py", b"a = 1\n")


def unpacked(tmp_path: Path, content: bytes, name: str = "demo-1.0.tar.gz", **limits: int) -> Unpacked:
    archive = tmp_path / "archive"
    archive.write_bytes(content)
    return unpack(archive, name, tmp_path / "tree", **limits)


def on_disk(tmp_path: Path) -> list[str]:
    return sorted(str(path.relative_to(tmp_path / "tree")) for path in (tmp_path / "tree").rglob("*") if path.is_file())


@pytest.mark.parametrize("pack", [sdist, zipped])
def test_the_top_directory_is_stripped_and_blob_ids_are_gits(tmp_path: Path, pack: object) -> None:
    files = {"src/demo.py": b"def demo(): ...\n", "README.md": b"", "docs/\xfc.md": b"\r\n\0"}
    assert callable(pack)
    name = "demo-1.0.zip" if pack is zipped else "demo-1.0.tar.gz"
    result = unpacked(tmp_path, pack(files), name)
    repository = Repository(tmp_path / "repository")
    assert {file.path: file.blob for file in result.files} == {
        path: repository.git("hash-object", "--stdin", stdin=content) for path, content in files.items()
    }
    assert [file.path for file in result.files] == sorted(files)
    assert on_disk(tmp_path) == sorted(files)


@pytest.mark.parametrize(
    "bad",
    [
        member("/etc/passwd", b"x"),
        member("demo-1.0/../../evil", b"x"),
        member("../evil", b"x"),
        member("demo-1.0//evil", b"x"),
        member("demo-1.0/a\\..\\evil", b"x"),
        member("demo-1.0/new\nline", b"x"),
        member("demo-1.0/.git/hooks/post-checkout", b"x"),
        member("demo-1.0/device", kind=tarfile.CHRTYPE),
        member("demo-1.0/disk", kind=tarfile.BLKTYPE),
        member("demo-1.0/pipe", kind=tarfile.FIFOTYPE),
        member("other/a.py", b"x"),
        member("loose.py", b"x"),
        member("demo-1.0/a.py", b"again"),
        member("demo-1.0/a.py/b.py", b"below a file"),
        member("demo-1.0/" + "n" * 300, b"x"),
    ],
    ids=lambda bad: repr(bad[0].name[:30]),
)
def test_a_hostile_member_condemns_the_archive(tmp_path: Path, bad: tuple[tarfile.TarInfo, bytes]) -> None:
    with pytest.raises(OriginUnavailable, match=r"demo-1\.0\.tar\.gz"):
        unpacked(tmp_path, tar([GOOD, bad]))
    assert not (tmp_path / "evil").exists()
    assert on_disk(tmp_path) in (["a.py"], [])


def test_links_are_reported_and_nothing_is_written_through_them(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    members = [
        GOOD,
        member("demo-1.0/link", kind=tarfile.SYMTYPE, link=str(outside)),
        member("demo-1.0/hard", kind=tarfile.LNKTYPE, link="demo-1.0/a.py"),
        member("demo-1.0/link/evil", b"x"),
    ]
    result = unpacked(tmp_path, tar(members))
    assert result.left == {"link": "symbolic link", "hard": "hard link"}
    assert list(outside.iterdir()) == []
    assert not any(path.is_symlink() for path in (tmp_path / "tree").rglob("*"))


def test_links_in_a_zip_are_reported(tmp_path: Path) -> None:
    result = unpacked(tmp_path, zipped({"a.py": b"a\n"}, links=["link"]), "demo-1.0.zip")
    assert result.left == {"link": "symbolic link"}
    assert on_disk(tmp_path) == ["a.py"]


@pytest.mark.parametrize(
    ("content", "name"),
    [(bomb(4 << 20), "demo-1.0.tar.gz"), (zipped({"zeros": bytes(4 << 20)}), "demo-1.0.zip")],
    ids=["tar", "zip"],
)
def test_a_bomb_is_stopped_at_the_limit(tmp_path: Path, content: bytes, name: str) -> None:
    assert len(content) < 20_000
    with pytest.raises(OriginUnavailable, match="more than 1000000 bytes"):
        unpacked(tmp_path, content, name, max_bytes=1_000_000)
    assert sum(file.stat().st_size for file in (tmp_path / "tree").rglob("*") if file.is_file()) <= 1_000_000


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OriginUnavailable, match="more than 10 files"):
        unpacked(tmp_path, sdist({f"{number}.py": b"" for number in range(11)}), max_files=10)


@pytest.mark.parametrize(
    "content",
    [b"", b"not an archive", sdist({"a.py": b"a" * 5000})[:-20], sdist({})],
    ids=["nothing", "other", "cut short", "empty"],
)
def test_a_damaged_or_empty_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    for name in ("demo-1.0.tar.gz", "demo-1.0.zip"):
        with pytest.raises(OriginUnavailable, match="archive"):
            unpacked(tmp_path, content, name)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=30), top=st.sampled_from(["demo-1.0/", "", "../", "/"]))
def test_no_name_leads_out_of_the_tree(tmp_path_factory: pytest.TempPathFactory, name: str, top: str) -> None:
    tmp_path = tmp_path_factory.mktemp("any")
    try:
        content = tar([member(top + name, b"x")])
    except (UnicodeError, ValueError):
        return
    with contextlib.suppress(OriginUnavailable):
        unpacked(tmp_path, content)
    assert {path.name for path in tmp_path.iterdir()} <= {"archive", "tree"}


def test_blob_ids_are_those_of_the_git_book() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"what is up, doc?") == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"
