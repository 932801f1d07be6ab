"""Kills workers at random moments while another lives, and counts what was asked again.

Every round submits a run to two workers, kills the one that has it, and waits for the other to
take it over and, once it is half done, to stop it when it is cancelled; then the run is resumed
to its end. Each round is done on SQLite and on PostgreSQL::

    python tests/soak/jobs.py 20
    python tests/soak/jobs.py 5 --seed 7

A takeover may last 10 s from the kill, a cancellation 2 s.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "jobs"), str(TESTS.parent / "server")]

from job_runs import (  # noqa: E402
    CASES,
    CONCURRENCY,
    Counting,
    Quiet,
    Stored,
    provider,
    submitted,
    worker,
)

from postgres import running_postgres  # noqa: E402 - the path comes first
from toolgauge.service.jobs import cancel_run, submit_run  # noqa: E402

MOST_TAKEOVER_S, MOST_CANCEL_S = 10.0, 2.0
WRONG = (
    "finished calls asked again",
    "trials missing",
    "takeovers too slow",
    "cancellations too slow",
)


def main(arguments: list[str]) -> int:
    """Run, print the counts, and return 1 where anything was asked again, lost or too slow."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("rounds", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter(dict.fromkeys(WRONG, 0))
    times: dict[str, list[float]] = {}
    with running_postgres() as server, tempfile.TemporaryDirectory() as folder:
        # before, it counts nobody as dead, because a restart drops the locks of the living
        server.await_age(10.5)
        for number in range(options.rounds):
            for kind, url in (
                ("SQLite", f"sqlite:///{folder}/{number}.db"),
                ("PostgreSQL", server.new_database()),
            ):
                takeover_s, cancel_s = one_round(url, Random(options.seed + number), counts)
                times.setdefault(f"to take over on {kind}", []).append(takeover_s)
                times.setdefault(f"to cancel on {kind}", []).append(cancel_s)
                counts["takeovers too slow"] += takeover_s > MOST_TAKEOVER_S
                counts["cancellations too slow"] += cancel_s > MOST_CANCEL_S
    for name, count in sorted(counts.items()):
        sys.stdout.write(f"{count:>7,}  {name}\n")
    for name, seconds in times.items():
        middle = sorted(seconds)[len(seconds) // 2]
        sys.stdout.write(f"{middle:>7.2f}  s {name}, median; {max(seconds):.2f} at most\n")
    return 1 if any(counts[name] for name in WRONG) else 0


def one_round(url: str, rng: Random, counts: Counter[str]) -> tuple[float, float]:
    """Return how long a job was nobody's after a kill, and how long it ran after its end."""
    counting, stored = Counting(0.2), Stored(url)
    with provider(counting) as target:
        job_id = stored.ask(lambda opened: submitted(opened, target))
        with worker(url) as first:
            counting.await_calls(1)
            with worker(url):
                threading.Event().wait(rng.uniform(0, 0.4))
                first.kill()
                first.wait()
                killed_at = time.monotonic()
                before, kept = Counter(counting.asked), stored.prompts(job_id)
                stored.await_job(job_id, lambda job: job.attempts == 2, within_s=60)
                takeover_s = time.monotonic() - killed_at
                counting.await_calls(CASES // 2)
                cancelled_at = time.monotonic()
                stored.ask(lambda opened: cancel_run(opened, Quiet(), job_id))
                ended = stored.await_job(job_id, lambda job: job.is_over, within_s=60)
                cancel_s = time.monotonic() - cancelled_at
                counts[f"jobs that were {ended.state}"] += 1
                stored.ask(lambda opened: submit_run(opened, Quiet(), job_id))
                job = stored.await_job(job_id, lambda job: job.state == "completed", within_s=120)
    again = {prompt for prompt in before if counting.asked[prompt] > before[prompt]}
    counts["jobs"] += 1
    counts["jobs killed in the middle"] += before.total() < CASES
    counts[f"jobs that ended {job.state}"] += 1
    counts["calls"] += counting.asked.total()
    counts["calls in flight asked again"] += len(again - kept)
    counts["finished calls asked again"] += len(again & kept)
    counts["jobs with more asked again than were in flight"] += len(again) > CONCURRENCY
    counts["trials missing"] += CASES - len(stored.prompts(job_id))
    return takeover_s, cancel_s


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
