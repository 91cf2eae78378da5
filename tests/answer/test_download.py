from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.answer import model_files
from gitcontext_pipeline.answer.download import ATTEMPTS, ENDPOINT, ENDPOINT_VARIABLE, address, fetch
from gitcontext_pipeline.answer.model_files import HubFile
from gitcontext_pipeline.errors import GitContextError
from tests.answer.hub import CONTENT, Hub, hub_file


def fetched(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch, file: HubFile | None = None) -> Path:
    with hub.running() as endpoint:
        monkeypatch.setenv(ENDPOINT_VARIABLE, endpoint)
        return fetch(file or hub_file(), folder, pause=0)


def installed(folder: Path) -> list[str]:
    return sorted(path.name for path in model_files.folder(folder).glob("*.gguf"))


def part(folder: Path) -> Path:
    file = hub_file()
    path = model_files.folder(folder) / f"{file.filename}.{file.sha256[:12]}.part"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_the_file_is_fetched_from_the_pinned_commit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub()
    path = fetched(hub, folder, monkeypatch)
    assert path.read_bytes() == CONTENT
    assert hub.asked == [(f"/ada/toy-GGUF/resolve/{'c' * 40}/toy-Q8_0.gguf", None)]
    assert list(path.parent.glob("*.part")) == []


def test_without_a_mirror_the_hub_itself_is_asked() -> None:
    assert address(hub_file()).startswith(f"{ENDPOINT}/ada/toy-GGUF/resolve/")


def test_progress_ends_at_the_whole_size(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    with Hub().running() as endpoint:
        monkeypatch.setenv(ENDPOINT_VARIABLE, endpoint)
        fetch(hub_file(), folder, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_what_is_there_is_not_fetched_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched(Hub(), folder, monkeypatch)
    again = Hub()
    fetched(again, folder, monkeypatch)
    assert again.asked == []


def test_a_file_that_was_damaged_on_disk_is_fetched_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fetched(Hub(), folder, monkeypatch)
    path.write_bytes(b"?" + CONTENT[1:])
    assert fetched(Hub(), folder, monkeypatch).read_bytes() == CONTENT


def test_a_broken_transfer_goes_on_where_it_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(cuts=[100_000, 50_000])
    assert fetched(hub, folder, monkeypatch).read_bytes() == CONTENT
    starts = [int(asked.removeprefix("bytes=").rstrip("-")) for _, asked in hub.asked if asked]
    assert starts == [100_000, 150_000]


def test_a_second_run_goes_on_where_the_first_one_gave_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitContextError, match="broke off") as gave_up:
        fetched(Hub(cuts=[1000] * ATTEMPTS), folder, monkeypatch)
    assert "goes on" in str(gave_up.value.fix)
    assert installed(folder) == []
    hub = Hub()
    assert fetched(hub, folder, monkeypatch).read_bytes() == CONTENT
    assert hub.asked[0][1] == f"bytes={1000 * ATTEMPTS}-"


def test_a_server_without_ranges_sends_it_all_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(ranges=False, cuts=[100_000])
    assert fetched(hub, folder, monkeypatch).read_bytes() == CONTENT


def test_redirects_are_followed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(redirect=True)
    assert fetched(hub, folder, monkeypatch).read_bytes() == CONTENT
    assert [path.split("?")[0] for path, _ in hub.asked][-1] == "/storage/blob"


@pytest.mark.parametrize("announce", [True, False])
def test_another_file_of_the_same_size_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, announce: bool
) -> None:
    hub = Hub(content=CONTENT[::-1], announce=announce)
    with pytest.raises(GitContextError, match=r"not the published file.*SHA-256"):
        fetched(hub, folder, monkeypatch)
    assert installed(folder) == []
    assert not part(folder).exists()


def test_a_longer_file_is_refused_before_it_fills_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(content=CONTENT * 3, announce=False)
    with pytest.raises(GitContextError, match="longer than"):
        fetched(hub, folder, monkeypatch)
    assert installed(folder) == []
    assert not part(folder).exists()


def test_a_server_that_announces_another_size_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitContextError, match="the server offers 5 bytes"):
        fetched(Hub(content=b"other"), folder, monkeypatch)
    assert installed(folder) == []


def test_damage_in_what_was_there_before_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(folder).write_bytes(b"?" * 1000)
    with pytest.raises(GitContextError, match="not the published file"):
        fetched(Hub(), folder, monkeypatch)
    assert fetched(Hub(), folder, monkeypatch).read_bytes() == CONTENT


def test_what_is_longer_than_the_file_is_thrown_away(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(folder).write_bytes(CONTENT + b"more")
    assert fetched(Hub(), folder, monkeypatch).read_bytes() == CONTENT


def test_a_passing_failure_of_the_server_is_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fetched(Hub(statuses=[503, 429]), folder, monkeypatch).read_bytes() == CONTENT


def test_a_missing_file_is_said_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(statuses=[404] * 9)
    with pytest.raises(GitContextError, match="answered 404") as missing:
        fetched(hub, folder, monkeypatch)
    assert len(hub.asked) == 1
    assert ENDPOINT_VARIABLE in str(missing.value.fix)


def test_offline_is_said_with_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT_VARIABLE, "http://user:secret@127.0.0.1:9")
    with pytest.raises(GitContextError, match="no connection") as offline:
        fetch(hub_file(), folder, pause=0)
    assert "the path of a file" in str(offline.value.fix)
    assert "secret" not in str(offline.value)
    assert installed(folder) == []


def test_a_disk_without_room_is_said_before_anything_is_fetched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub()
    with hub.running() as endpoint:
        monkeypatch.setenv(ENDPOINT_VARIABLE, endpoint)
        with pytest.raises(GitContextError, match="are free"):
            fetch(hub_file(), folder, free=lambda path: 1000)
    assert hub.asked == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_up_leaves_nothing_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(folder).symlink_to("/dev/full")
    with pytest.raises(GitContextError, match="the disk is full") as full:
        fetched(Hub(), folder, monkeypatch)
    assert "make room" in str(full.value.fix)
    assert installed(folder) == []
