"""How many threads make a generation fastest: one for each physical core that nothing else is using.

llama.cpp's threads wait for each other by spinning. On a core that is busy with something else, a thread keeps all the
others spinning: with two busy cores, two threads took four times the processor time of one, and longer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")
STATISTICS = Path("/proc/stat")
LOOK_SECONDS = 0.1


def threads_to_use() -> int:
    """Physical cores less those that others keep busy just now, at least one; takes a tenth of a second."""
    return max(1, physical_cores() - round(busy_cores()))


def physical_cores(topology: Path = TOPOLOGY) -> int:
    """Two hardware threads of one core share its arithmetic units, so the second one only gets in the way."""
    if sys.platform == "darwin":
        return _counted_by_sysctl()
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = set()
    for cpu in sorted(allowed):
        siblings = topology / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        try:
            cores.add(siblings.read_text(encoding="ascii").strip())
        except OSError:  # no such file system: count what there is
            cores.add(str(cpu))
    return max(1, len(cores))


def busy_cores(statistics: Path = STATISTICS, seconds: float = LOOK_SECONDS) -> float:
    """How many cores were at work during the next `seconds`, in which this process sleeps; 0 where it is unknown."""
    before = _jiffies(statistics)
    time.sleep(seconds)
    after = _jiffies(statistics)
    if before is None or after is None:
        return 0.0
    total = after[1] - before[1]
    return (after[0] - before[0]) / total * (os.cpu_count() or 1) if total > 0 else 0.0


def _jiffies(statistics: Path) -> tuple[int, int] | None:
    """Time at work and time in all since the machine started, over all processors.

    https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat
    """
    try:
        name, *fields = statistics.read_text(encoding="ascii").split("\n", 1)[0].split()
        values = [int(field) for field in fields[:8]]
    except (OSError, ValueError):
        return None
    if name != "cpu" or len(values) < 8:
        return None
    idle = values[3] + values[4]
    return sum(values) - idle, sum(values)


def _counted_by_sysctl() -> int:
    try:
        # The fast cores only, where there are two kinds: all wait for the slowest.
        told = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "hw.perflevel0.physicalcpu"], capture_output=True, text=True, check=True
        )
        return max(1, int(told.stdout))
    except (OSError, subprocess.CalledProcessError, ValueError):
        return max(1, (os.cpu_count() or 2) // 2)
