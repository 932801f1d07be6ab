"""What a command costs as a whole process: its time, its CPU, its memory.

Knows nothing of what the command does. Keep the process that calls ``spend`` small: the
peak memory of a child begins at that of its parent.
"""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryFile


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds from start to exit, seconds of CPU (user and system), peak resident memory."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def spend(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Spent:
    """Return what one run of a command cost, everything that it does included.

    Raises:
        SystemExit: the command failed; with what it wrote to stderr.
    """
    with TemporaryFile("w+") as complaints:
        started_s = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=complaints
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started_s
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            raise SystemExit(
                f"{' '.join(command)} exited with {process.returncode}:\n"
                f"{complaints.read()[-2000:]}"
            )
    return Spent(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def typical(rounds: Sequence[Spent]) -> Spent:
    """Return the median of each figure."""
    return Spent(
        median(spent.wall_s for spent in rounds),
        median(spent.cpu_s for spent in rounds),
        median(spent.peak_mb for spent in rounds),
    )


def machine() -> str:
    """Return the machine in one line, with the load it bears already."""
    load = ", ".join(f"{minutes:.1f}" for minutes in os.getloadavg())
    return (
        f"{os.cpu_count()} CPUs ({platform.machine()}), {platform.system()}, "
        f"Python {platform.python_version()}, load {load}"
    )


def verdict(holds: bool) -> str:  # noqa: FBT001 - a word for a truth
    """Return the word that is printed beside a target."""
    return "met" if holds else "MISSED"
