"""A process that writes trials of a run and prints each key once it is kept.

Arguments: URL, run, how many trials, how many workers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import anyio
from store_builders import a_trial, store_run

from toolgauge.store.database import open_database
from toolgauge.store.trial_writer import TrialWriter


async def main(url: str, run_id: str, n_trials: int, n_workers: int) -> None:
    async with open_database(url) as database:
        await store_run(database, run_id)
        repeats = iter(range(n_trials))
        async with TrialWriter(database, run_id) as writer, anyio.create_task_group() as workers:
            for _ in range(n_workers):
                workers.start_soon(write, writer, repeats)


async def write(writer: TrialWriter, repeats: Iterator[int]) -> None:
    for repeat in repeats:
        await writer.keep(a_trial(repeat=repeat))
        sys.stdout.write(f"{repeat}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    url, run_id, n_trials, n_workers = sys.argv[1:]
    anyio.run(main, url, run_id, int(n_trials), int(n_workers))
