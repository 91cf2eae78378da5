from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gitcontext_pipeline.answer.cores import busy_cores, physical_cores, threads_to_use


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs Linux")
def test_two_hardware_threads_of_one_core_count_once(tmp_path: Path) -> None:
    for cpu in os.sched_getaffinity(0):
        place = tmp_path / f"cpu{cpu}" / "topology"
        place.mkdir(parents=True)
        (place / "thread_siblings_list").write_text("0-63\n")
    assert physical_cores(tmp_path) == 1


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs Linux")
def test_without_a_topology_every_processor_counts(tmp_path: Path) -> None:
    assert physical_cores(tmp_path) == len(os.sched_getaffinity(0))


def test_there_is_always_a_thread() -> None:
    assert 1 <= threads_to_use() <= (os.cpu_count() or 1)


def test_unknown_load_counts_as_none(tmp_path: Path) -> None:
    assert busy_cores(tmp_path / "none", seconds=0) == 0.0
    (tmp_path / "stat").write_text("cpu nonsense\n")
    assert busy_cores(tmp_path / "stat", seconds=0) == 0.0


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_load_is_at_most_all_cores() -> None:
    assert 0.0 <= busy_cores(seconds=0.05) <= (os.cpu_count() or 1) + 0.01
