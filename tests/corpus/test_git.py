from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.command import read_git
from gitcontext_pipeline.corpus.git import GitCheckout, fetch_git, fetched_from, open_git, resolve_revision
from gitcontext_pipeline.corpus.transport import Limits
from gitcontext_pipeline.errors import GitContextError, OriginUnavailable, UsageError
from tests.corpus.servers import files_over_http, git_over_http, stalled
from tests.repositories import Repository

NOBODY = "1" * 40


def paths(checkout: GitCheckout) -> list[str]:
    return [file.path for file in checkout.files()]


def contents(checkout: GitCheckout) -> dict[str, bytes]:
    return {file.path: checkout.read(file) for file in checkout.files()}


def count(checkout: GitCheckout) -> int:
    assert checkout.repository
    return int(read_git("rev-list", "--count", checkout.revision, repository=checkout.repository))


def test_the_tree_is_that_of_the_pinned_commit_and_not_of_head(origin: Repository, tmp_path: Path) -> None:
    pinned = origin.git("rev-parse", "HEAD~1")
    with fetch_git(str(origin.path), pinned, "all", tmp_path / "corpus") as checkout:
        assert checkout.revision == pinned
        assert contents(checkout) == {"README.md": b"# Demo\n", "src/demo.py": b"def demo():\n    return 1\n"}
        assert [file.size for file in checkout.files()] == [7, 25]
        assert [file.blob for file in checkout.files()] == [
            origin.git("rev-parse", f"{pinned}:{path}") for path in ("README.md", "src/demo.py")
        ]


@pytest.mark.parametrize(("history", "commits"), [("all", 3), (2, 2), ("none", 1), (50, 3)])
def test_only_the_history_that_was_asked_for_is_fetched(
    origin: Repository, tmp_path: Path, history: int | str, commits: int
) -> None:
    with fetch_git(str(origin.path), origin.head, history, tmp_path / "corpus") as checkout:  # type: ignore[arg-type]
        assert count(checkout) == commits


def test_more_history_can_be_fetched_later(origin: Repository, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    fetch_git(str(origin.path), origin.head, "none", directory).close()
    assert fetched_from(directory, origin.head, "none") == str(origin.path)
    assert fetched_from(directory, origin.head, 2) is None
    with fetch_git(str(origin.path), origin.head, 2, directory) as checkout:
        assert count(checkout) == 2
    with fetch_git(str(origin.path), origin.head, "all", directory) as checkout:
        assert count(checkout) == 3
    assert fetched_from(directory, origin.head, 2) == str(origin.path)
    assert fetched_from(directory, origin.head, "all") == str(origin.path)


def test_a_short_history_of_a_new_pin_does_not_cut_the_complete_one_of_an_old_pin(
    origin: Repository, tmp_path: Path
) -> None:
    directory = tmp_path / "corpus"
    old = origin.head
    fetch_git(str(origin.path), old, "all", directory).close()
    new = origin.commit("Fourth", {"new.txt": "new\n"})
    fetch_git(str(origin.path), new, 1, directory).close()
    with open_git(directory, old) as checkout:
        assert count(checkout) == 3


def test_the_address_can_be_of_any_kind(origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Repository(tmp_path / "served" / "bare.git", bare=True)
    origin.git("push", "--quiet", str(bare.path), "main")
    origin.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "a worktree"))
    monkeypatch.chdir(tmp_path)
    with git_over_http(tmp_path / "served") as server:
        addresses = [
            str(origin.path),
            "origin",
            "./origin/.git",
            "a worktree",
            str(bare.path),
            bare.path.as_uri(),
            f"{server}/bare.git",
        ]
        for number, address in enumerate(addresses):
            with fetch_git(address, origin.head, "all", tmp_path / f"corpus{number}") as checkout:
                assert paths(checkout) == ["README.md", "src/demo.py"], address
                assert count(checkout) == 3, address


def test_a_shallow_origin_gives_what_it_has(origin: Repository, tmp_path: Path) -> None:
    shallow = Repository(tmp_path / "shallow")
    shallow.git("fetch", "--quiet", "--depth=2", origin.path.as_uri(), "main")
    shallow.git("reset", "--quiet", "--hard", "FETCH_HEAD")
    with fetch_git(str(shallow.path), origin.head, "all", tmp_path / "corpus") as checkout:
        assert count(checkout) == 2
    assert fetched_from(tmp_path / "corpus", origin.head, "all")


def test_a_server_that_only_serves_files_is_good_enough(origin: Repository, tmp_path: Path) -> None:
    bare = Repository(tmp_path / "served" / "bare.git", bare=True)
    origin.git("push", "--quiet", str(bare.path), "main")
    bare.git("update-server-info")
    pinned = origin.git("rev-parse", "HEAD~1")
    with (
        files_over_http(tmp_path / "served") as server,
        fetch_git(f"{server}/bare.git", pinned, "all", tmp_path / "corpus") as checkout,
    ):
        assert count(checkout) == 2


def test_an_old_protocol_that_only_gives_out_named_commits_is_good_enough(
    origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[protocol]\n\tversion = 0\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    pinned = origin.git("rev-parse", "HEAD~1")
    with fetch_git(str(origin.path), pinned, 1, tmp_path / "corpus") as checkout:
        assert contents(checkout)["src/demo.py"].endswith(b"return 1\n")


def test_links_submodules_and_odd_names_are_reported_not_followed(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.write("docs/größe 大.md", "text\n")
    origin.write('quo"te\nnewline.txt', "text\n")
    (origin.path / "passwd").symlink_to("/etc/passwd")
    (origin.path / "docs/dir").symlink_to("..")
    (origin.path / os.fsdecode(b"caf\xe9.txt")).write_text("latin\n")
    origin.git("add", "--all")
    origin.git("update-index", "--add", "--cacheinfo", f"160000,{NOBODY},vendor/lib")
    origin.commit_staged("Odd")
    with fetch_git(str(origin.path), origin.head, "none", tmp_path / "corpus") as checkout:
        assert paths(checkout) == ["docs/größe 大.md", 'quo"te\nnewline.txt']
        assert checkout.not_regular() == {
            "passwd": "symbolic link",
            "docs/dir": "symbolic link",
            "vendor/lib": "submodule",
            "caf\\xe9.txt": "file name is not UTF-8",
        }


def test_nothing_in_the_repository_or_the_template_is_run(
    origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("reference-transaction", "post-checkout", "post-merge", "pre-auto-gc", "fsmonitor"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[init]\n\ttemplateDir = {tmp_path / 'template'}\n"
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {hooks}/fsmonitor\n"
        f'[filter "bad"]\n\tsmudge = touch {ran}\n\tprocess = touch {ran}\n\trequired = true\n'
        f'[diff "bad"]\n\ttextconv = touch {ran}\n\tcommand = touch {ran}\n[core]\n\taskPass = touch {ran}\n'
    )
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 9\n" % (b"0" * 64)
    origin.commit("Attributes", {".gitattributes": "*.bin filter=bad diff=bad\n*.txt eol=crlf\n", "big.bin": "x\n"})
    origin.commit("More", {"big.bin": pointer, "a.txt": "a\nb\n"})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with fetch_git(str(origin.path), origin.head, "all", tmp_path / "corpus") as checkout:
        assert contents(checkout)["big.bin"] == pointer
        assert contents(checkout)["a.txt"] == b"a\nb\n"
    assert not ran.exists()
    assert not list((tmp_path / "corpus/repo.git/hooks").glob("*"))


def test_the_environment_of_a_hook_does_not_point_us_at_another_repository(
    origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.commit("Other", {"other.txt": "other\n"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git/index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git/objects"))
    with fetch_git(str(origin.path), origin.head, "all", tmp_path / "corpus") as checkout:
        assert contents(checkout)["README.md"] == b"# Demo\n"
    assert resolve_revision(str(origin.path), "HEAD") == origin.head


def test_what_was_fetched_is_opened_without_the_origin(origin: Repository, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    fetch_git(str(origin.path), origin.head, "all", directory).close()
    head = origin.head
    origin.path.rename(tmp_path / "gone")
    assert fetched_from(directory, head, "all") == str(origin.path)
    with open_git(directory, head) as checkout:
        assert contents(checkout)["README.md"] == b"# Demo\n"


@pytest.mark.parametrize("address", ["{origin}", "{served}/bare.git"])
def test_a_commit_that_is_not_there_is_said_so(origin: Repository, tmp_path: Path, address: str) -> None:
    bare = Repository(tmp_path / "served" / "bare.git", bare=True)
    origin.git("push", "--quiet", str(bare.path), "main")
    with git_over_http(tmp_path / "served") as server, pytest.raises(OriginUnavailable, match=NOBODY) as caught:
        fetch_git(address.format(origin=origin.path, served=server), NOBODY, "all", tmp_path / "corpus")
    assert caught.value.fix
    assert not (tmp_path / "corpus" / "repo.git").exists()
    assert list((tmp_path / "corpus").iterdir()) == []


def test_a_tag_object_or_a_tree_is_not_a_commit(origin: Repository, tmp_path: Path) -> None:
    for number, revision in enumerate([origin.tag("v1", annotated=True), origin.git("rev-parse", "HEAD^{tree}")]):
        with pytest.raises(OriginUnavailable, match="does not have the commit"):
            fetch_git(str(origin.path), revision, "all", tmp_path / f"corpus{number}")


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("{tmp}/nothing", "no such path"),
        ("{tmp}", "no git repository"),
        ("http://127.0.0.1:9/x.git", "no connection"),
        ("https://host.invalid/x.git", "unknown from here"),
    ],
)
def test_an_origin_that_does_not_answer_is_unavailable_within_seconds(
    tmp_path: Path, address: str, reason: str
) -> None:
    start = time.monotonic()
    with pytest.raises(OriginUnavailable, match=reason) as caught:
        fetch_git(address.format(tmp=tmp_path), NOBODY, "all", tmp_path / "corpus")
    assert caught.value.fix
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("limits", [Limits(stall=1, total=60), Limits(stall=60, total=2)])
def test_a_server_that_stalls_does_not_hold_us_up(tmp_path: Path, limits: Limits) -> None:
    start = time.monotonic()
    with stalled() as server, pytest.raises(OriginUnavailable, match=r"no complete answer|stopped sending"):
        fetch_git(f"{server}/x.git", NOBODY, "all", tmp_path / "corpus", limits=limits)
    assert time.monotonic() - start < 8


@pytest.mark.parametrize(
    "address",
    ["ext::sh -c 'touch {ran}'", "--upload-pack=touch {ran}", "ssh://-oProxyCommand=touch${{IFS}}{ran}/x", "-x"],
)
def test_an_address_is_never_a_command_or_an_option(tmp_path: Path, address: str) -> None:
    ran = tmp_path / "ran"
    with pytest.raises(GitContextError):
        fetch_git(address.format(ran=ran), NOBODY, "all", tmp_path / "corpus")
    with pytest.raises(GitContextError):
        resolve_revision(address.format(ran=ran), "main")
    assert not ran.exists()


def test_a_password_in_the_address_is_used_and_never_shown(origin: Repository, tmp_path: Path) -> None:
    bare = Repository(tmp_path / "served" / "bare.git", bare=True)
    origin.git("push", "--quiet", str(bare.path), "main")
    said: list[str] = []
    with git_over_http(tmp_path / "served", password="s3cret") as server:
        address = server.replace("://", "://ada:s3cret@") + "/bare.git"
        fetch_git(address, origin.head, "all", tmp_path / "corpus", progress=said.append).close()
        wrong = server.replace("://", "://ada:wr0ng@") + "/bare.git"
        for refused in (wrong, f"{server}/bare.git"):
            with pytest.raises(OriginUnavailable, match="access was denied") as caught:
                fetch_git(refused, origin.head, "all", tmp_path / "refused", progress=said.append)
            said.append(str(caught.value))
        said.append(str(fetched_from(tmp_path / "corpus", origin.head, "all")))
    kept = [file.read_bytes() for file in (tmp_path / "corpus").rglob("*") if file.is_file()]
    assert not any(b"s3cret" in content for content in kept)
    assert not any("s3cret" in line or "wr0ng" in line for line in said)
    assert any("***@127.0.0.1" in line for line in said)


def test_a_failed_fetch_leaves_what_was_there(origin: Repository, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    head = origin.head
    fetch_git(str(origin.path), head, "all", directory).close()
    with pytest.raises(OriginUnavailable):
        fetch_git(str(origin.path), NOBODY, "all", directory)
    with open_git(directory, head) as checkout:
        assert paths(checkout) == ["README.md", "src/demo.py"]


def test_the_leftovers_of_a_killed_fetch_are_no_obstacle(origin: Repository, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    fetch_git(str(origin.path), origin.head, 1, directory).close()
    (directory / "repo.git/shallow.lock").write_text("")
    (directory / "repo.git/objects/pack/tmp_pack_x").write_bytes(b"PACK")
    (directory / ".writing-repo.git-x").mkdir()
    head = origin.commit("Fourth", {"new.txt": "new\n"})
    with fetch_git(str(origin.path), head, 1, directory) as checkout:
        assert "new.txt" in paths(checkout)
    assert not (directory / "repo.git/objects/pack/tmp_pack_x").exists()


def test_a_kill_while_fetching_leaves_what_was_there(origin: Repository, tmp_path: Path) -> None:
    for directory, before in ((tmp_path / "new", None), (tmp_path / "old", origin.head)):
        if before:
            fetch_git(str(origin.path), before, "all", directory).close()
        script = (
            "import sys, pathlib, gitcontext_pipeline.corpus.git as git\n"
            "git.fetch_git(sys.argv[1], sys.argv[2], 'all', pathlib.Path(sys.argv[3]))\n"
        )
        with stalled() as server:
            process = subprocess.Popen([sys.executable, "-c", script, f"{server}/x.git", NOBODY, str(directory)])
            time.sleep(1.5)
            assert process.poll() is None
            process.kill()
            process.wait()
        assert (directory / "repo.git").exists() == bool(before)
        with fetch_git(str(origin.path), origin.head, "all", directory) as checkout:
            assert count(checkout) == 3
        assert [path.name for path in directory.iterdir()] == ["repo.git"]


def test_a_missing_object_is_named(origin: Repository, tmp_path: Path) -> None:
    with fetch_git(str(origin.path), origin.head, "none", tmp_path / "corpus") as checkout:
        file = next(checkout.files())
        with pytest.raises(GitContextError, match="missing"):
            checkout.read(replace(file, blob=NOBODY))


def test_revisions_are_resolved_locally_and_remotely(origin: Repository, tmp_path: Path) -> None:
    origin.tag("v1", annotated=True)
    tagged = origin.head
    head = origin.commit("Later")
    origin.branch("feature/main")
    origin.commit("On a branch")
    bare = Repository(tmp_path / "served" / "bare.git", bare=True)
    origin.git("push", "--quiet", str(bare.path), "--all")
    origin.git("push", "--quiet", str(bare.path), "--tags")
    with git_over_http(tmp_path / "served") as server:
        for address in (str(bare.path), bare.path.as_uri(), f"{server}/bare.git"):
            assert resolve_revision(address, "main") == head
            assert resolve_revision(address, "HEAD") == head
            assert resolve_revision(address, "v1") == tagged
            assert resolve_revision(address, "refs/tags/v1") == tagged
            assert resolve_revision(address, tagged) == tagged
            with pytest.raises(UsageError, match="nothing-such"):
                resolve_revision(address, "nothing-such")
        with pytest.raises(UsageError):
            resolve_revision(f"{server}/bare.git", head[:8])
    assert resolve_revision(str(bare.path), head[:8]) == head
    with pytest.raises(UsageError):
        resolve_revision(str(bare.path), "--help")


def test_a_directory_inside_a_repository_is_not_that_repository(origin: Repository) -> None:
    with pytest.raises(OriginUnavailable, match="no git repository"):
        resolve_revision(str(origin.path / "src"), "HEAD")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
def test_a_repository_of_another_user_is_refused_with_the_remedy(origin: Repository) -> None:
    for path in (origin.path, *origin.path.rglob("*")):
        os.chown(path, 12345, 12345)
    with pytest.raises(OriginUnavailable, match="belongs to another user") as caught:
        resolve_revision(str(origin.path), "HEAD")
    assert f"safe.directory '{origin.path}'" in str(caught.value)
