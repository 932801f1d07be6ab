"""How long lists take in one SQLite file, and how that grows from 10,000 to 1,000,000 trials.

    python benchmarks/store.py [TRIALS ...]

Half of the trials are in one run, the others in runs of 100. Each call is timed in the
store's own function, many times; the median counts, and the slowest is shown beside it.
Exit code 1 where a call on the last size takes 100 ms or longer.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import anyio

from toolgauge.model.fingerprint import Fingerprint
from toolgauge.model.run import CaseInfo, Mean, Run, RunOptions, Summary
from toolgauge.model.target import Target
from toolgauge.model.trial import FailureKind, Score, Scored, Trial, TrialError, TrialKey, Usage
from toolgauge.store import runs, trials
from toolgauge.store.database import Database, open_database
from toolgauge.store.pages import Page
from toolgauge.store.runs import RunFilter, StoredRun
from toolgauge.store.tables import TrialRow
from toolgauge.store.trials import StoredTrial, TrialFilter

LIMIT_MS = 100.0
N_CASES = 500
TARGETS = ("openai/gpt-x", "mistral/large")
BIG, SMALL_SIZE = "run-big", 100
START = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = 30

Call = Callable[[], Awaitable[Any]]


def main(sizes: list[int]) -> int:
    measured = [anyio.run(measure, size) for size in sizes]
    first, last = measured[0], measured[-1]
    header = "".join(f"{f'{size:,} trials':>24}" for size in sizes)
    print(f"{f'median (slowest) of {ROUNDS}, ms':<30}{header}{'growth':>10}")
    for name, times in last.items():
        shown = "".join(f"{median(one[name]):>13.1f} ({max(one[name]):>8.1f})" for one in measured)
        print(f"{name:<30}{shown}{median(times) / median(first[name]):>9.1f}x")
    return int(max(median(times) for times in last.values()) >= LIMIT_MS)


async def measure(size: int) -> dict[str, list[float]]:
    """Return the times of each call, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "toolgauge.db"
        async with open_database(f"sqlite:///{file}") as database:
            started = time.perf_counter()
            await fill(database, size)
            taken_s = time.perf_counter() - started
            print(f"{size:,} trials written in {taken_s:.0f} s, {file.stat().st_size / 1e6:.0f} MB")
            return {name: await times_ms(call) for name, call in calls(database, size).items()}


async def times_ms(call: Call) -> list[float]:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        await call()
        times.append(1_000 * (time.perf_counter() - started))
    return times


def calls(database: Database, size: int) -> dict[str, Call]:
    """Return what a person does with a store, by name; places are drawn anew each time."""
    rng = random.Random(7)

    def case() -> str:
        return f"case-{rng.randrange(N_CASES):03}"

    async def run_page(wanted: RunFilter) -> None:
        first = await runs.page(database, wanted)
        await runs.page(database, wanted, cursor=first.next_cursor)

    async def deep_page(wanted: TrialFilter) -> Page[StoredTrial]:
        # a place deep in the list, without walking there
        row = trials._row(BIG, trial(rng.randrange(size // 2)), "first")  # noqa: SLF001
        deep = trials._order(wanted).cursor(TrialRow(**row))  # noqa: SLF001
        return await trials.page(database, BIG, wanted, cursor=deep)

    def page(**wanted: Any) -> Call:
        return lambda: deep_page(TrialFilter(**wanted))

    return {
        "runs list": lambda: run_page(RunFilter()),
        "runs list, of one suite": lambda: run_page(RunFilter(suite_name="weather")),
        "runs list, of one status": lambda: run_page(RunFilter(status="failed")),
        "runs show, the big run": lambda: runs.get(database, BIG),
        "runs show, a small run": lambda: runs.get(database, "run-0"),
        "page, anywhere": page(),
        "page, of a target": page(target=TARGETS[1]),
        "page, of a case": lambda: deep_page(TrialFilter(case_id=case())),
        "page, of a repeat": page(repeat=1),
        "page, failed": page(outcome="failed"),
        "page, errored": page(outcome="errored"),
        "page, of a failure kind": page(failure_kind="wrong_params"),
        "page, failed of a target": page(outcome="failed", target=TARGETS[0]),
        "page, errored of a case": lambda: deep_page(
            TrialFilter(outcome="errored", case_id=case())
        ),
        "page, errored of a repeat": page(outcome="errored", repeat=1),
        "one trial": lambda: trials.page(database, "run-0", limit=1),
        "count, failed": lambda: trials.count(database, BIG, TrialFilter(outcome="failed")),
    }


async def fill(database: Database, size: int) -> None:
    await fill_run(database, BIG, size // 2, minutes=0)
    for number in range(size // 2 // SMALL_SIZE):
        await fill_run(database, f"run-{number}", SMALL_SIZE, minutes=number + 1)


async def fill_run(database: Database, name: str, size: int, *, minutes: int) -> None:
    await runs.create(database, StoredRun(a_run(name, size, minutes)))
    for numbers in in_batches(size):
        made = [trial(number) for number in numbers]
        async with database.writing() as session:
            await trials.insert(database, session, name, made, batch="first")


def in_batches(size: int, most: int = 2_000) -> Iterator[range]:
    for start in range(0, size, most):
        yield range(start, min(start + most, size))


def a_run(name: str, size: int, minutes: int) -> Run:
    cases = tuple(
        CaseInfo(f"case-{n:03}", Fingerprint("0" * 64, "1" * 64), "What is the weather?" * 3)
        for n in range(min(size, N_CASES))
    )
    return Run(
        id=name,
        suite_name="weather" if minutes % 2 else "flights",
        status="completed" if minutes % 10 else "failed",
        targets=tuple(Target(target, target) for target in TARGETS),
        options=RunOptions(),
        cases=cases,
        started_at=START + timedelta(minutes=minutes),
        summaries=tuple(summary(target) for target in TARGETS),
    )


def summary(target: str) -> Summary:
    names = ("tool", "params", "overall", "exact_match", "tsa", "ahr", "tp")
    scores = {name: Mean(0.5, 90, 0, 10, 0.5, 45, 90) for name in names}
    kinds = {"wrong_tool": 20, "wrong_params": 20}
    return Summary(
        target, 100, 10, 50, 0.55, scores, kinds, {}, 1000, 1000, 0.1, 0, 0, 800.0, 900.0, 90
    )


def trial(number: int) -> Trial:
    """Return a trial with a transcript of usual size; one in 3 failed, one in 50 errored."""
    target = TARGETS[number % 2]
    key = TrialKey(f"case-{number // 2 % N_CASES:03}", target, number // 2 // N_CASES)
    said = f"The forecast for place {number}: " + "sunny, 21 degrees, light wind. " * 12
    messages = ({"role": "assistant", "content": said},)
    if number % 50 == 0:
        error = TrialError("provider", "internal server error", "server", 500)
        return Trial(key, None, error=error, messages=messages)
    passed = number % 3 > 0
    names = ("tool", "params", "overall", "exact_match", "tsa", "ahr", "tp")
    scores = {name: Score(1.0 if passed else 0.5) for name in names}
    kind: FailureKind | None = None
    if not passed:
        kind = "wrong_params" if number % 2 else "wrong_tool"
    return Trial(
        key,
        Scored(scores, passed, kind, True, 0),
        latency_ms=800.0,
        usage=Usage(100, 50, 0.0001),
        messages=messages,
    )


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or [10_000, 100_000, 1_000_000]))
