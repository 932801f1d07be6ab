"""Shows where the CPU time of ``toolgauge run`` goes, by package and by function.

    python benchmarks/profile_run.py            # 1,000 cases, 5 repeats, 50 ms, 100 at once

The profiler makes small functions look dearer than they are, so the shares are a map and no
measurement; ``run.py`` measures. ``profile.txt`` is what this printed last.
"""

from __future__ import annotations

import pstats
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path

from run import Load, opened
from spent import machine

_MOST_FUNCTIONS = 25
_HOMES = [Path(place) for place in (sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"))]
_SOURCE = Path(__file__).parents[1] / "server"
# what of the program itself is told apart
_LAYER_PARTS = 2


def home_of(file: str) -> str:
    """Return the package that a profiled function is of; ours by layer, C code by itself."""
    path = Path(file)
    if path.is_relative_to(_SOURCE):
        return ".".join(path.relative_to(_SOURCE).with_suffix("").parts[:_LAYER_PARTS])
    for home in _HOMES:
        if path.is_relative_to(home):
            return path.relative_to(home).parts[0].removesuffix(".py")
    return "built in, and importing" if file.startswith(("~", "<")) else "elsewhere"


def main() -> None:
    load = Load(1000, 50, 100, repeats=5)
    print(machine())
    with opened("direct", 1) as bench:
        dump = bench.folder / "profile"
        _, _, _, *arguments = bench.toolgauge(load)
        command = [sys.executable, "-m", "cProfile", "-o", str(dump), "-m", "toolgauge", *arguments]
        subprocess.run(command, env=bench.environment, check=True, capture_output=True)
        stats = pstats.Stats(str(dump))
    found: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = stats.stats  # type: ignore[attr-defined]
    total_s = sum(times[2] for name, times in found.items() if "poll" not in name[2])
    by_home: Counter[str] = Counter()
    for (file, _, name), times in found.items():
        if "poll" not in name:
            by_home[home_of(file)] += times[2]  # type: ignore[assignment]
    print(f"\n{load}: {total_s:.1f} s under the profiler, waiting left out\n")
    for home, spent_s in by_home.most_common(30):
        print(f"{100 * spent_s / total_s:5.1f} %  {home}")
    print("\nFunctions, with their own time only:\n")
    dearest = sorted(found.items(), key=lambda item: -item[1][2])
    for (file, _, name), times in dearest[:_MOST_FUNCTIONS]:
        print(f"{1000 * times[2]:7.0f} ms in {times[1]:>6} calls  {home_of(file)}: {name}")


if __name__ == "__main__":
    main()
