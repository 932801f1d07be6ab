"""Kills workers at random moments while another lives, and counts what was asked again.

Every round submits a run to two workers, kills the one that has it, and waits for the other to
finish it, on SQLite and on PostgreSQL in turn::

    python tests/soak/jobs.py 20
    python tests/soak/jobs.py 5 --seed 7
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

from job_runs import CASES, CONCURRENCY, Counting, Stored, provider, submitted, worker  # noqa: E402

from postgres import running_postgres  # noqa: E402 - the path comes first


def main(arguments: list[str]) -> int:
    """Run, print the counts, and return 1 where a finished call was asked again."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("rounds", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    takeovers: list[float] = []
    with running_postgres() as server, tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            rng = Random(options.seed + number)
            sqlite = f"sqlite:///{folder}/{number}.db"
            url = sqlite if number % 2 == 0 else server.new_database()
            takeovers.append(kill_one(url, rng, counts))
    for name, count in sorted(counts.items()):
        sys.stdout.write(f"{count:>7,}  {name}\n")
    takeovers.sort()
    middle = takeovers[len(takeovers) // 2]
    sys.stdout.write(f"{middle:>7.2f}  s to take over, median; {takeovers[-1]:.2f} at most\n")
    is_broken = counts["finished calls asked again"] or counts["trials missing"]
    return 1 if is_broken else 0


def kill_one(url: str, rng: Random, counts: Counter[str]) -> float:
    """Kill the process that runs a job, and return how long it was nobody's."""
    counting, stored = Counting(0.2), Stored(url)
    with provider(counting) as target, worker(url) as first:
        job_id = stored.ask(lambda opened: submitted(opened, target))
        counting.await_calls(1)
        with worker(url):
            threading.Event().wait(rng.uniform(0, 0.4))
            first.kill()
            first.wait()
            killed_at = time.monotonic()
            before, kept = Counter(counting.asked), stored.prompts(job_id)
            stored.await_job(job_id, lambda job: job.attempts == 2 or job.is_over, within_s=60)
            takeover_s = time.monotonic() - killed_at
            job = stored.await_job(job_id, lambda job: job.is_over, within_s=120)
    again = {prompt for prompt in before if counting.asked[prompt] > before[prompt]}
    counts["jobs"] += 1
    counts["jobs killed in the middle"] += before.total() < CASES
    counts[f"jobs that ended {job.state}"] += 1
    counts["calls"] += counting.asked.total()
    counts["calls in flight asked again"] += len(again - kept)
    counts["finished calls asked again"] += len(again & kept)
    counts["jobs with more asked again than were in flight"] += len(again) > CONCURRENCY
    counts["trials missing"] += CASES - len(stored.prompts(job_id))
    return takeover_s


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
