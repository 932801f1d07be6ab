"""Measures ``toolgauge run`` as whole processes against a stub server, beside a bare loop.

The server answers rightly after a fixed wait, on this machine; the bare loop
(``floor.py``) sends the same requests in the same round and does nothing else. So the
ratios tell what evaluating adds, whatever the machine::

    python benchmarks/run.py
    python benchmarks/run.py --quick --only wall
    python benchmarks/run.py --gateway litellm --few 200 --many 2000

Figures are medians of the rounds, each process counted whole: start, imports, loading
the suite, printing. CPU is user and system time, memory the peak resident set.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from spent import Spent, machine, spend, typical, verdict
from stub_server import serving
from stub_suite import write_bodies, write_suite

MOST_WALL_RATIO = 1.3
MOST_CPU_MS_PER_TRIAL = 1.0
MOST_MB_APART = 20.0
FEWEST_TRIALS_PER_S = 600.0


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked in one process: trials (cases times repeats), wait of the server, width."""

    cases: int
    wait_ms: int
    concurrency: int
    repeats: int = 1

    @property
    def trials(self) -> int:
        return self.cases * self.repeats

    def __str__(self) -> str:
        times = f" x {self.repeats}" if self.repeats > 1 else ""
        return f"{self.cases:,}{times} at {self.wait_ms} ms, c={self.concurrency}"


@dataclass(frozen=True, slots=True)
class Bench:
    """Where and how it is measured."""

    folder: Path
    server: str
    gateway: str
    rounds: int
    is_quick: bool
    environment: dict[str, str]

    def suite(self, cases: int) -> Path:
        file = self.folder / f"suite-{cases}.json"
        return file if file.exists() else write_suite(file, cases)

    def toolgauge(self, load: Load) -> list[str]:
        """Return the command that asks ``load``; a wrong answer would make it fail."""
        base = f"{self.server}/{load.wait_ms}"
        project = self.folder / "project.yml"
        targets = {"stub": {"model": "openai/stub", "gateway": self.gateway}}
        project.write_text(json.dumps({"targets": targets}))
        options = ["-m", "stub", "--api-base", base, "--config", str(project)]
        options += ["--concurrency", str(load.concurrency), "--repeats", str(load.repeats)]
        suite = str(self.suite(load.cases))
        return [sys.executable, "-m", "toolgauge", "run", suite, *options, "--min-score", "1"]

    def floor(self, load: Load) -> list[str]:
        bodies = self.folder / "bodies"
        if not bodies.exists():
            write_bodies(bodies, 1000)
        url = f"{self.server}/{load.wait_ms}/chat/completions"
        script = Path(__file__).with_name("floor.py")
        given = [url, str(load.trials), str(load.concurrency), str(bodies)]
        return [sys.executable, str(script), *given]

    def validate(self, cases: int) -> list[str]:
        return [sys.executable, "-m", "toolgauge", "validate", str(self.suite(cases))]

    def measure(self, *commands: list[str]) -> list[Spent]:
        """Return the typical cost of each command; a round runs them one after another."""
        rounds = [
            [spend(command, self.environment) for command in commands] for _ in range(self.rounds)
        ]
        return [typical(found) for found in zip(*rounds, strict=True)]


def wall(bench: Bench, few: int, many: int) -> None:
    """Print how much longer a run takes than the bare loop."""
    print("| trials | bare loop, s | run, s | ratio | bare loop, CPU s | run, CPU s |")
    print("|---|---|---|---|---|---|")
    waits, widths = ((200,), (100,)) if bench.is_quick else ((0, 50, 200), (10, 50, 100))
    ratios = {}
    for load in [*(Load(few, wait, c) for wait in waits for c in widths), Load(many, 50, 100)]:
        floor, run = bench.measure(bench.floor(load), bench.toolgauge(load))
        ratios[load] = run.wall_s / floor.wall_s
        print(
            f"| {load} | {floor.wall_s:.2f} | {run.wall_s:.2f} | {ratios[load]:.2f} "
            f"| {floor.cpu_s:.2f} | {run.cpu_s:.2f} |",
            flush=True,
        )
    judged = Load(few, 200, 100)
    holds = verdict(ratios[judged] <= MOST_WALL_RATIO)
    print(
        f"\n{judged}: {ratios[judged]:.2f} times the bare loop, at most {MOST_WALL_RATIO}: {holds}"
    )


def slope(bench: Bench, few: int, many: int) -> None:
    """Print the CPU of one more trial, and of starting."""
    small, large = Load(few, 50, 100), Load(many, 50, 100)
    repeated = Load(few, 50, 100, repeats=many // few)
    commands = [bench.floor(small), bench.floor(large)]
    commands += [bench.toolgauge(load) for load in (small, large, repeated)]
    floor_few, floor_many, run_few, run_large, run_repeated = bench.measure(*commands)
    floor_ms = _ms_each(floor_few, floor_many, large.trials - few)
    print(f"From {small}; the bare loop takes {floor_ms:.3f} ms of CPU per request.\n")
    print("| to | run, CPU ms per trial | less the bare loop's | at most | starting, CPU s |")
    print("|---|---|---|---|---|")
    for load, found in ((large, run_large), (repeated, run_repeated)):
        each_ms = _ms_each(run_few, found, load.trials - few)
        added_ms = each_ms - floor_ms
        holds = verdict(added_ms <= MOST_CPU_MS_PER_TRIAL)
        start_s = run_few.cpu_s - each_ms * few / 1000
        print(
            f"| {load} | {each_ms:.3f} | {added_ms:.3f} "
            f"| {MOST_CPU_MS_PER_TRIAL:g}: {holds} | {start_s:.2f} |"
        )


def _ms_each(few: Spent, many: Spent, trials: int) -> float:
    return (many.cpu_s - few.cpu_s) * 1000 / trials


def memory(bench: Bench, few: int, many: int) -> None:
    """Print whether memory grows with trials, and with cases beyond those of the suite."""
    loads = [Load(1, 0, 50), Load(few, 0, 50), Load(few, 0, 50, many // few), Load(many, 0, 50)]
    commands = {f"run {load}": bench.toolgauge(load) for load in loads}
    commands |= {f"validate {cases:,} cases": bench.validate(cases) for cases in (1, many)}
    peaks_mb = [spent.peak_mb for spent in bench.measure(*commands.values())]
    print("| process | peak, MB |")
    print("|---|---|")
    for name, peak_mb in zip(commands, peaks_mb, strict=True):
        print(f"| {name} | {peak_mb:.1f} |")
    run_one, run_once, run_repeated, run_large, load_one, load_large = peaks_mb
    print()
    _say_apart(f"{loads[2]} against {loads[1]}", run_repeated - run_once)
    imported = run_one - load_one
    _say_apart(f"run against validate, {many:,} cases", run_large - load_large)
    print(f"run against validate, 1 case: {imported:.1f} MB apart (what a run imports)")
    _say_apart("what the cases add to that", run_large - load_large - imported)


def _say_apart(what: str, apart_mb: float) -> None:
    holds = verdict(apart_mb <= MOST_MB_APART)
    print(f"{what}: {apart_mb:.1f} MB apart, at most {MOST_MB_APART:g}: {holds}")


def core(bench: Bench, few: int, many: int) -> None:
    """Print how many trials one core does when the server does not make it wait."""
    load = Load(few, 0, 50, repeats=many // few)
    on_one_core = ["taskset", "--cpu-list", str(max(os.sched_getaffinity(0)))]
    floor, run = bench.measure(
        [*on_one_core, *bench.floor(load)], [*on_one_core, *bench.toolgauge(load)]
    )
    print("| process on one core | trials/s | trials per CPU second |")
    print("|---|---|---|")
    for name, found in (("bare loop", floor), ("run", run)):
        print(f"| {name} | {load.trials / found.wall_s:.0f} | {load.trials / found.cpu_s:.0f} |")
    rate = load.trials / run.wall_s
    holds = verdict(rate >= FEWEST_TRIALS_PER_S)
    print(f"\n{rate:.0f} trials/s, at least {FEWEST_TRIALS_PER_S:g}: {holds}")


PARTS: dict[str, Callable[[Bench, int, int], None]] = {
    "wall": wall,
    "slope": slope,
    "memory": memory,
    "core": core,
}


@contextmanager
def opened(gateway: str, rounds: int, *, is_quick: bool = False) -> Iterator[Bench]:
    """Give a bench with its own folder and servers; both are gone afterwards."""
    with TemporaryDirectory() as name, serving() as server:
        folder = Path(name)
        environment = dict(os.environ) | {
            "NO_PROXY": "127.0.0.1",
            "TOOLGAUGE_DATABASE_URL": f"sqlite:///{folder / 'toolgauge.db'}",
        }
        # an installed program has its bytecode
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        bench = Bench(folder, server, gateway, rounds, is_quick, environment)
        # unmeasured: writes bytecode and the database, and finds out whether answers are right
        spend(bench.toolgauge(Load(20, 0, 10)), environment)
        yield bench


def main() -> None:
    parser = argparse.ArgumentParser(description="What evaluating costs beside asking.")
    parser.add_argument("--only", choices=PARTS, help="one part; all of them without")
    parser.add_argument("--quick", action="store_true", help="200 and 2,000 trials, one round")
    parser.add_argument("--few", type=int, help="cases of the small suite (1000)")
    parser.add_argument("--many", type=int, help="cases of the large suite (20000)")
    parser.add_argument("--rounds", type=int, help="the median of so many counts (3)")
    parser.add_argument("--gateway", choices=("direct", "litellm"), default="direct")
    asked = parser.parse_args()
    few, many, rounds = (200, 2000, 1) if asked.quick else (1000, 20_000, 3)
    print(machine())
    with opened(asked.gateway, asked.rounds or rounds, is_quick=asked.quick) as bench:
        for name in [asked.only] if asked.only else PARTS:
            print(f"\n## {name}\n")
            PARTS[name](bench, asked.few or few, asked.many or many)
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
