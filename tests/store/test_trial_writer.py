from __future__ import annotations

import logging
import sqlite3

import anyio
import pytest
from processes import start_writer
from store_builders import NOON, a_trial, store_run

from postgres import Postgres
from toolgauge.errors import CannotStore, Superseded
from toolgauge.model.job import Job
from toolgauge.model.trial import Trial
from toolgauge.store import jobs, runs, trials
from toolgauge.store.database import Database, open_database
from toolgauge.store.runs import Counts
from toolgauge.store.trial_writer import TrialWriter

pytestmark = pytest.mark.anyio


async def test_a_trial_is_stored_when_keep_returns(url: str) -> None:
    async with open_database(url) as database, open_database(url) as other:
        await store_run(database)
        async with TrialWriter(database, "run-1") as writer:
            await writer.keep(a_trial())
            assert (await trials.get(other, "run-1", a_trial().key)).trial == a_trial()


async def test_trials_that_finish_together_are_all_kept_and_counted(database: Database) -> None:
    await store_run(database)
    made = [
        *(a_trial(repeat=n) for n in range(300)),
        *(a_trial("rome", n, passed=False) for n in range(20)),
        *(a_trial("oslo", n, error="boom") for n in range(5)),
    ]
    async with TrialWriter(database, "run-1") as writer, anyio.create_task_group() as workers:
        for trial in made:
            workers.start_soon(writer.keep, trial)
    assert (await runs.get(database, "run-1")).counts == Counts(300, 20, 5)
    assert await trials.finished_keys(database, "run-1") == {trial.key for trial in made}


async def test_a_jobs_progress_grows_with_what_is_stored(database: Database) -> None:
    await store_run(database)
    await jobs.create(database, Job("job-1", "run", {}, NOON, total=3))
    async with TrialWriter(database, "run-1", job_id="job-1") as writer:
        await writer.keep(a_trial())
        await writer.keep(a_trial(repeat=1, error="boom"))
        job = await jobs.get(database, "job-1")
    assert (job.done, job.failed, job.total) == (2, 1, 3)


async def test_confirmations_are_stored_but_not_counted(database: Database) -> None:
    await store_run(database)
    async with TrialWriter(database, "run-1", batch="confirm") as writer:
        await writer.keep(a_trial(repeat=7))
    assert (await runs.get(database, "run-1")).counts == Counts(0, 0, 0)
    assert (await trials.get(database, "run-1", a_trial(repeat=7).key)).batch == "confirm"


async def test_a_trial_that_another_process_wrote_stops_this_one(database: Database) -> None:
    await store_run(database)
    async with TrialWriter(database, "run-1") as winner:
        await winner.keep(a_trial(said="mine"))
    with pytest.raises(Superseded, match="run 'run-1' is owned by another process"):
        async with TrialWriter(database, "run-1") as loser:
            await loser.keep(a_trial(said="yours"))
    stored = await trials.get(database, "run-1", a_trial().key)
    assert stored.trial == a_trial(said="mine")
    assert (await runs.get(database, "run-1")).counts == Counts(1, 0, 0)


async def test_once_stopped_a_writer_keeps_nothing_more(database: Database) -> None:
    await store_run(database)
    async with TrialWriter(database, "run-1") as winner:
        await winner.keep(a_trial(said="mine"))
    loser = TrialWriter(database, "run-1")
    with pytest.raises(Superseded):
        await loser.keep(a_trial(said="yours"))
    with pytest.raises(Superseded):
        await loser.keep(a_trial("rome"))
    assert await trials.count(database, "run-1") == 1


async def test_a_commit_whose_answer_was_lost_is_no_rival(database: Database) -> None:
    await store_run(database)
    for _ in range(2):
        async with TrialWriter(database, "run-1") as writer:
            await writer.keep(a_trial())
    assert (await runs.get(database, "run-1")).counts == Counts(1, 0, 0)


async def test_a_run_that_is_not_stored_takes_no_trials(database: Database) -> None:
    writer = TrialWriter(database, "zz")
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        await writer.keep(a_trial())


async def test_a_locked_file_is_waited_for(sqlite_url: str) -> None:
    async with open_database(sqlite_url, busy_timeout_s=0.01) as database:
        await store_run(database)
        other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        waited: list[float] = []

        async def release(seconds: float) -> None:
            waited.append(seconds)
            if len(waited) == 3:
                other.execute("ROLLBACK")

        async with TrialWriter(database, "run-1", sleep=release) as writer:
            await writer.keep(a_trial())
        other.close()
        assert waited == [0.1, 0.2, 0.4]
        assert await trials.count(database, "run-1") == 1


async def test_a_server_that_restarts_loses_no_finished_trial(postgres: Postgres) -> None:
    async with open_database(postgres.new_database()) as database:
        await store_run(database)

        async def come_back(_: float) -> None:
            postgres.start()

        async with TrialWriter(database, "run-1", sleep=come_back) as writer:
            await writer.keep(a_trial())
            postgres.stop()
            async with anyio.create_task_group() as workers:
                for repeat in range(1, 9):
                    workers.start_soon(writer.keep, a_trial(repeat=repeat))
        assert (await runs.get(database, "run-1")).counts == Counts(9, 0, 0)


async def test_patience_ends_with_the_databases_own_error(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_database(sqlite_url, busy_timeout_s=0.01) as database:
        await store_run(database)
        other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        writer = TrialWriter(database, "run-1", patience_s=60, sleep=_at_once)
        with caplog.at_level(logging.WARNING), pytest.raises(CannotStore, match="is locked"):
            await writer.keep(a_trial())
        other.close()
    assert "1 trials wait in memory" in caplog.text


async def _at_once(_: float) -> None:
    await anyio.lowlevel.checkpoint()


async def test_what_was_finished_when_a_run_is_cancelled_is_kept(database: Database) -> None:
    await store_run(database)
    with anyio.CancelScope() as scope:
        async with TrialWriter(database, "run-1") as writer, anyio.create_task_group() as workers:
            for repeat in range(20):
                workers.start_soon(writer.keep, a_trial(repeat=repeat))
            await anyio.lowlevel.checkpoint()
            scope.cancel()
    assert await trials.count(database, "run-1") == 20


async def test_a_killed_process_has_stored_every_trial_that_it_told_of(url: str) -> None:
    process = start_writer(url, "run-1", trials=100_000, workers=8)
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(50)]
    process.kill()
    told += process.stdout.readlines()
    process.communicate()
    told_repeats = {int(line) for line in told if line.endswith("\n")}
    async with open_database(url) as database:
        stored = {key.repeat for key in await trials.finished_keys(database, "run-1")}
        assert len(told_repeats) >= 50
        assert told_repeats <= stored
        assert (await runs.get(database, "run-1")).counts.passed == len(stored)
        async with TrialWriter(database, "run-1") as resumed:
            await resumed.keep(_next(stored))
        assert await trials.count(database, "run-1") == len(stored) + 1


def _next(stored: set[int]) -> Trial:
    return a_trial(repeat=max(stored) + 1)
