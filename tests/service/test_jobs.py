"""Runs as jobs of several processes: cancelled, killed, and with the database gone for a while."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest
from job_runs import (
    CASES,
    CONCURRENCY,
    Counting,
    Quiet,
    Stored,
    provider,
    store_run,
    submitted,
    worker,
)

from toolgauge.jobs.progress import watch
from toolgauge.model.job import Job
from toolgauge.model.target import Target
from toolgauge.service.job_worker import MOST_ATTEMPTS, Worker
from toolgauge.service.jobs import cancel_run, open_jobs, submit_run
from toolgauge.settings import Settings
from toolgauge.store import jobs, runs, trials
from toolgauge.store.database import Database

LEXICAL = Target("builtin/lexical", "builtin/lexical")


def test_a_job_whose_process_is_killed_is_finished_by_another_and_nothing_is_asked_again(
    settled_url: str,
) -> None:
    counting, stored = Counting(0.5), Stored(settled_url)
    with provider(counting) as target:
        job_id = stored.ask(lambda opened: submitted(opened, target))
        with worker(settled_url) as first:
            counting.await_calls(1)
            with worker(settled_url):
                first.send_signal(signal.SIGKILL)
                first.wait()
                killed_at = time.monotonic()
                before, kept = Counter(counting.asked), stored.prompts(job_id)
                counting.delay_s = 0
                stored.await_job(job_id, lambda job: job.attempts == 2, within_s=30)
                assert time.monotonic() - killed_at < 10
                job = stored.await_job(job_id, lambda job: job.is_over, within_s=60)
    again = {prompt for prompt in before if counting.asked[prompt] > before[prompt]}
    assert (job.state, job.attempts, stored.status(job_id)) == ("completed", 2, "completed")
    assert again & kept == set()
    assert len(again) <= CONCURRENCY
    assert before.total() < len(stored.prompts(job_id)) == CASES


def test_a_job_of_another_process_is_cancelled_within_two_seconds_and_keeps_what_is_done(
    url: str,
) -> None:
    counting, stored = Counting(0.2), Stored(url)
    with provider(counting) as target:
        job_id = stored.ask(lambda opened: submitted(opened, target))
        with worker(url):
            counting.await_calls(CASES // 6)
            began = time.monotonic()
            stored.ask(lambda opened: cancel_run(opened, Quiet(), job_id))
            job = stored.await_job(job_id, lambda job: job.is_over, within_s=10)
            assert time.monotonic() - began < 2
            after = counting.asked.total()
            ended = (job.state, job.executor, stored.status(job_id))
            assert ended == ("cancelled", None, "cancelled")
            assert CASES // 6 <= len(stored.prompts(job_id)) < CASES
            counting.delay_s = 0
            stored.ask(lambda opened: submit_run(opened, Quiet(), job_id))
            stored.await_job(job_id, lambda job: job.state == "completed", within_s=60)
    assert counting.asked.total() <= CASES + CONCURRENCY
    assert after < CASES


def test_a_restart_of_postgresql_in_the_middle_loses_nothing_and_asks_nothing_twice(
    postgres: Any,
) -> None:
    url = postgres.new_database()
    counting, stored = Counting(0.2), Stored(url)
    with provider(counting) as target:
        job_id = stored.ask(lambda opened: submitted(opened, target))
        with worker(url), worker(url):
            counting.await_calls(CASES // 4)
            owner = stored.job(job_id).executor
            postgres.stop()
            threading.Event().wait(1)  # long enough for every process to notice
            postgres.start()
            counting.await_calls(CASES // 2)
            assert stored.job(job_id).executor == owner
            job = stored.await_job(job_id, lambda job: job.is_over, within_s=60)
            next_id = stored.ask(lambda opened: submitted(opened, LEXICAL, cases=1))
            stored.await_job(next_id, lambda job: job.state == "completed", within_s=60)
    assert (job.state, job.attempts) == ("completed", 1)
    assert set(counting.asked.values()) == {1}
    assert len(stored.prompts(job_id)) == CASES


def test_a_worker_that_is_told_to_stop_puts_its_job_back(sqlite_url: str) -> None:
    counting, stored = Counting(0.2), Stored(sqlite_url)
    with provider(counting) as target:
        job_id = stored.ask(lambda opened: submitted(opened, target))
        with worker(sqlite_url) as first:
            counting.await_calls(CASES // 6)
            first.send_signal(signal.SIGTERM)
            out, err = first.communicate(timeout=30)
        assert (first.returncode, out, err) == (0, "", "")
        job = stored.job(job_id)
        assert (job.state, job.executor, stored.status(job_id)) == ("queued", None, "running")
        kept = stored.prompts(job_id)
        before = Counter(counting.asked)
        counting.delay_s = 0
        with worker(sqlite_url):
            stored.await_job(job_id, lambda job: job.state == "completed", within_s=60)
    assert {prompt for prompt in kept if counting.asked[prompt] > before[prompt]} == set()


async def over(opened: Database, job_id: str) -> Job:
    with anyio.fail_after(30):
        return [job async for job in watch(opened, job_id, every_s=0.05)][-1]


def now() -> datetime:
    return datetime.now(UTC)


async def nobody(_event: Any) -> None:
    """Hear nothing."""


def a_worker(opened: Database, name: str = "me") -> Worker:
    return Worker(opened, Settings({}), name, emit=nobody)


@pytest.mark.anyio
async def test_a_submitted_run_is_completed_with_its_states_stamped(
    database: Database, url: str
) -> None:
    run_id = await store_run(database, LEXICAL, cases=3)
    async with open_jobs(database, Settings({}), url=url) as executor:
        queued = await submit_run(database, executor, run_id, priority=3)
        assert await submit_run(database, executor, run_id) in (
            queued,
            await jobs.get(database, run_id),
        )
        job = await over(database, run_id)
    assert (queued.state, queued.total, queued.owner, queued.priority) == ("queued", 3, "ann", 3)
    assert (job.state, job.attempts, job.result_ref, job.error) == ("completed", 1, run_id, None)
    assert (job.done, job.failed) == (3, 0)
    assert job.started_at is not None
    assert job.finished_at is not None
    assert len(await trials.finished_keys(database, run_id)) == 3


@pytest.mark.anyio
async def test_a_run_that_cannot_be_asked_fails_and_says_why(database: Database) -> None:
    nowhere = Target("openai/stub", "openai/stub", api_base="http://127.0.0.1:9/v1", concurrency=1)
    run_id = await store_run(database, replace(nowhere, api_key_env="NO_SUCH_KEY"), cases=1)
    await submit_run(database, Quiet(), run_id)
    await a_worker(database).run_job(run_id)
    job = await jobs.get(database, run_id)
    assert job.state == "failed"
    assert "NO_SUCH_KEY" in str(job.error)


@pytest.mark.anyio
async def test_a_waiting_job_that_is_cancelled_is_over_at_once_with_its_run(
    database: Database,
) -> None:
    run_id = await submitted(database, LEXICAL, cases=1)
    first = await cancel_run(database, Quiet(), run_id)
    assert await cancel_run(database, Quiet(), run_id) == first
    assert first.state == "cancelled"
    assert (await runs.get(database, run_id)).run.status == "cancelled"
    await a_worker(database).run_job(run_id)
    assert await trials.finished_keys(database, run_id) == frozenset()


@pytest.mark.anyio
async def test_a_completed_job_stays_completed_when_submitted_again(database: Database) -> None:
    run_id = await submitted(database, LEXICAL, cases=1)
    await a_worker(database).run_job(run_id)
    completed = await jobs.get(database, run_id)
    assert await submit_run(database, Quiet(), run_id) == completed
    assert completed.state == "completed"


@pytest.mark.anyio
async def test_a_process_that_is_deposed_stops_asking(database: Database) -> None:
    counting = Counting(0.1)
    with provider(counting) as target:
        run_id = await submitted(database, target, cases=400)
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(a_worker(database, "deposed").run_job, run_id)
                await anyio.to_thread.run_sync(counting.await_calls, CONCURRENCY)
                await jobs.move(database, run_id, "queued", now=now())
                await jobs.move(database, run_id, "running", now=now(), executor="other")
    job = await jobs.get(database, run_id)
    assert (job.state, job.executor) == ("running", "other")
    assert counting.asked.total() < 100


@pytest.mark.anyio
async def test_a_job_that_keeps_killing_its_process_fails_in_the_end(database: Database) -> None:
    run_id = await submitted(database, LEXICAL, cases=1)
    for _ in range(MOST_ATTEMPTS - 1):
        await jobs.move(database, run_id, "running", now=now(), executor="dead")
        await jobs.move(database, run_id, "queued", now=now())
    await jobs.move(database, run_id, "running", now=now(), executor="dead")
    await a_worker(database).run_job(run_id)
    job = await jobs.get(database, run_id)
    assert (job.state, job.error) == ("failed", "its process died 10 times; resume it to try again")
    await submit_run(database, Quiet(), run_id)
    await a_worker(database).run_job(run_id)
    assert (await jobs.get(database, run_id)).state == "completed"


@pytest.mark.anyio
async def test_a_job_cancelled_while_its_process_was_dying_is_not_asked_further(
    database: Database,
) -> None:
    run_id = await submitted(database, LEXICAL, cases=1)
    await jobs.move(database, run_id, "running", now=now(), executor="dead")
    await cancel_run(database, Quiet(), run_id)
    await a_worker(database).run_job(run_id)
    assert (await jobs.get(database, run_id)).state == "cancelled"
    assert (await runs.get(database, run_id)).run.status == "cancelled"
    assert await trials.finished_keys(database, run_id) == frozenset()
