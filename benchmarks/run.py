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

TOOLS = ("get_weather", "get_forecast", "find_hotel", "find_flight", "get_time", "set_alarm")
MOST_WALL_RATIO = 1.3
MOST_CPU_MS_PER_TRIAL = 1.0
MOST_MB_APART = 20.0
FEWEST_TRIALS_PER_S = 600.0


def tool(name: str) -> dict[str, object]:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city, as people write it."},
            "units": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
        },
        "required": ["city"],
    }
    described = f"What {name.replace('_', ' ')} says about one city, for the coming days."
    function = {"name": name, "description": described, "parameters": schema}
    return {"type": "function", "function": function}


def prompt(number: int) -> str:
    return f"What is the weather in City {number}, in celsius?"


def write_suite(file: Path, cases: int) -> Path:
    """Write a suite case by case, so that this process stays small."""
    with file.open("w") as out:
        out.write(f'{{"name": "stub", "tools": {json.dumps([tool(name) for name in TOOLS])},\n')
        out.write('"test_cases": [')
        for number in range(cases):
            case = {
                "id": f"city-{number}",
                "prompt": prompt(number),
                "expected_tool": "get_weather",
                "expected_params": {"city": f"City {number}", "units": "celsius"},
            }
            out.write(",\n" * bool(number) + json.dumps(case))
        out.write("]}\n")
    return file


def write_bodies(file: Path, bodies: int) -> Path:
    """Write the requests of the bare loop, one per line, as large as those of a run."""
    tools = [tool(name) for name in TOOLS]
    with file.open("w") as out:
        for number in range(bodies):
            request = {
                "model": "stub",
                "temperature": 0.0,
                "max_tokens": 1024,
                "messages": [{"role": "user", "content": prompt(number)}],
                "tool_choice": "required",
                "tools": tools,
            }
            out.write(json.dumps(request, separators=(",", ":")) + "\n")
    return file


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
    loads = [Load(few, wait, width) for wait in (0, 50, 200) for width in (10, 50, 100)]
    for load in [*loads, Load(many, 50, 100)]:
        floor, run = bench.measure(bench.floor(load), bench.toolgauge(load))
        print(
            f"| {load} | {floor.wall_s:.2f} | {run.wall_s:.2f} | {run.wall_s / floor.wall_s:.2f} "
            f"| {floor.cpu_s:.2f} | {run.cpu_s:.2f} |",
            flush=True,
        )
        if load == loads[-1]:
            judged = run.wall_s / floor.wall_s
    print(
        f"\nRatio at {loads[-1]}: {judged:.2f}, "
        f"at most {MOST_WALL_RATIO}: {verdict(judged <= MOST_WALL_RATIO)}"
    )


def slope(bench: Bench, few: int, many: int) -> None:
    """Print the CPU of one more trial, and of starting."""
    small, large = Load(few, 50, 100), Load(many, 50, 100)
    repeated = Load(few, 50, 100, repeats=many // few)
    commands = [bench.floor(small), bench.floor(large)]
    commands += [bench.toolgauge(load) for load in (small, large, repeated)]
    floor_few, floor_many, run_few, run_many, run_repeated = bench.measure(*commands)
    floor_ms = _ms_each(floor_few, floor_many, large.trials - few)
    print("| from | to | ms of CPU per trial | less the bare loop's | start, CPU s |")
    print("|---|---|---|---|---|")
    for load, found in ((large, run_many), (repeated, run_repeated)):
        each_ms = _ms_each(run_few, found, load.trials - few)
        start_s = run_few.cpu_s - each_ms * few / 1000
        added = each_ms - floor_ms
        print(f"| {small} | {load} | {each_ms:.3f} | {added:.3f} | {start_s:.2f} |")
        holds = verdict(added <= MOST_CPU_MS_PER_TRIAL)
        print(f"\nAdded per trial: {added:.3f} ms, at most {MOST_CPU_MS_PER_TRIAL:g}: {holds}\n")


def _ms_each(few: Spent, many: Spent, trials: int) -> float:
    return (many.cpu_s - few.cpu_s) * 1000 / trials


def memory(bench: Bench, few: int, many: int) -> None:
    """Print whether memory grows with trials, and with cases beyond those of the suite."""
    once = Load(few, 0, 50)
    repeated = Load(few, 0, 50, repeats=many // few)
    large = Load(many, 0, 50)
    one = Load(1, 0, 50)
    commands = [bench.toolgauge(load) for load in (one, once, repeated, large)]
    commands += [bench.validate(1), bench.validate(many)]
    spent = bench.measure(*commands)
    names = [f"run {load}" for load in (one, once, repeated, large)]
    names += ["validate 1 case", f"validate {many:,} cases"]
    print("| process | peak, MB |")
    print("|---|---|")
    for name, found in zip(names, spent, strict=True):
        print(f"| {name} | {found.peak_mb:.1f} |")
    run_one, run_once, run_repeated, run_large, load_one, load_large = (
        found.peak_mb for found in spent
    )
    print()
    _say_apart(f"{repeated} against {once}", run_repeated - run_once)
    _say_apart(f"run against validate, {many:,} cases", run_large - load_large)
    print(f"Run against validate, 1 case: {run_one - load_one:.1f} MB (what a run imports)")


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
def opened(gateway: str, rounds: int) -> Iterator[Bench]:
    """Give a bench with its own folder and servers; both are gone afterwards."""
    with TemporaryDirectory() as name, serving() as server:
        folder = Path(name)
        own = {
            "NO_PROXY": "127.0.0.1",
            "TOOLGAUGE_DATABASE_URL": f"sqlite:///{folder / 'toolgauge.db'}",
        }
        bench = Bench(folder, server, gateway, rounds, dict(os.environ) | own)
        # unmeasured: bytecode is written, and every answer has to be right
        spend(bench.toolgauge(Load(20, 0, 10)), bench.environment)
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
    with opened(asked.gateway, asked.rounds or rounds) as bench:
        for name in [asked.only] if asked.only else PARTS:
            print(f"\n## {name}\n")
            PARTS[name](bench, asked.few or few, asked.many or many)
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
