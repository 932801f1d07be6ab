from __future__ import annotations

from dataclasses import replace

import anyio
import pytest
from store_builders import NOON, at

from toolgauge.errors import CannotMove, NotStored, Superseded
from toolgauge.model.job import Job
from toolgauge.store import jobs
from toolgauge.store.database import Database, open_database
from toolgauge.store.jobs import JobFilter

pytestmark = pytest.mark.anyio
JOB = Job(
    "job-1",
    "run",
    {"targets": ["a/b"], "nested": {"é": None}},
    NOON,
    owner="ann",
    is_submitted=True,
    priority=5,
    total=10,
    result_ref="run-1",
)


async def test_a_job_comes_back_equal(database: Database) -> None:
    assert await jobs.create(database, JOB) == JOB
    assert await jobs.get(database, "job-1") == JOB


async def test_submitting_the_same_job_twice_makes_one(database: Database) -> None:
    await jobs.create(database, JOB)
    running = await jobs.move(database, "job-1", "running", now=at(1), executor="p1")
    assert await jobs.create(database, replace(JOB, total=99)) == running
    assert len((await jobs.page(database)).items) == 1


async def test_moves_are_stored_and_stamped(database: Database) -> None:
    await jobs.create(database, JOB)
    running = await jobs.move(database, "job-1", "running", now=at(1), executor="p1")
    assert (running.attempts, running.started_at, running.executor) == (1, at(1), "p1")
    failed = await jobs.move(database, "job-1", "failed", now=at(2), executor="p1", error="no")
    assert failed == await jobs.get(database, "job-1")
    assert (failed.error, failed.finished_at, failed.executor) == ("no", at(2), None)


async def test_a_forbidden_move_changes_nothing(database: Database) -> None:
    await jobs.create(database, JOB)
    with pytest.raises(CannotMove, match="is queued, so it cannot become completed"):
        await jobs.move(database, "job-1", "completed", now=at(1))
    assert await jobs.get(database, "job-1") == JOB


async def test_a_deposed_process_cannot_end_the_job(database: Database) -> None:
    await jobs.create(database, JOB)
    await jobs.move(database, "job-1", "running", now=at(1), executor="dead")
    await jobs.move(database, "job-1", "queued", now=at(2))
    await jobs.move(database, "job-1", "running", now=at(3), executor="alive")
    with pytest.raises(Superseded, match="job 'job-1'"):
        await jobs.move(database, "job-1", "completed", now=at(4), executor="dead")
    assert (await jobs.get(database, "job-1")).attempts == 2


async def test_of_many_who_take_a_job_at_once_one_gets_it(url: str) -> None:
    async with open_database(url) as one, open_database(url) as other:
        await jobs.create(one, JOB)
        taken: list[str] = []

        async def take(database: Database, executor: str) -> None:
            try:
                await jobs.move(database, "job-1", "running", now=at(1), executor=executor)
            except CannotMove:
                return
            taken.append(executor)

        async with anyio.create_task_group() as rivals:
            for number in range(4):
                rivals.start_soon(take, one, f"one-{number}")
                rivals.start_soon(take, other, f"other-{number}")
        job = await jobs.get(one, "job-1")
        assert taken == [job.executor]
        assert job.attempts == 1


async def test_cancelling_a_queued_job_ends_it_and_asking_again_changes_nothing(
    database: Database,
) -> None:
    await jobs.create(database, JOB)
    cancelled = await jobs.request_cancel(database, "job-1", now=at(1))
    assert (cancelled.state, cancelled.finished_at) == ("cancelled", at(1))
    assert await jobs.request_cancel(database, "job-1", now=at(2)) == cancelled


async def test_cancelling_a_running_job_asks_it_to_stop(database: Database) -> None:
    await jobs.create(database, JOB)
    await jobs.move(database, "job-1", "running", now=at(1), executor="p1")
    for minutes in (2, 3):
        asked = await jobs.request_cancel(database, "job-1", now=at(minutes))
        assert (asked.state, asked.cancel_requested) == ("running", True)
    assert await jobs.get(database, "job-1") == asked


async def test_jobs_are_listed_newest_first_and_filtered(database: Database) -> None:
    for minutes, (owner, kind) in enumerate([("ann", "run"), ("bob", "run"), ("ann", "import")]):
        job = replace(JOB, id=f"job-{minutes}", created_at=at(minutes), owner=owner, kind=kind)
        await jobs.create(database, job)
    await jobs.move(database, "job-0", "running", now=at(9), executor="p1")

    async def ids(wanted: JobFilter) -> list[str]:
        return [job.id for job in (await jobs.page(database, wanted)).items]

    assert await ids(JobFilter()) == ["job-2", "job-1", "job-0"]
    assert await ids(JobFilter(owner="ann")) == ["job-2", "job-0"]
    assert await ids(JobFilter(kind="run")) == ["job-1", "job-0"]
    assert await ids(JobFilter(state="running")) == ["job-0"]
    first = await jobs.page(database, limit=1)
    assert [job.id for job in (await jobs.page(database, cursor=first.next_cursor)).items] == [
        "job-1",
        "job-0",
    ]


async def test_an_unknown_job_is_refused_with_those_that_exist(database: Database) -> None:
    await jobs.create(database, JOB)
    with pytest.raises(NotStored, match=r"No job 'zz'\. Known: job-1\."):
        await jobs.get(database, "zz")
    with pytest.raises(NotStored):
        await jobs.move(database, "zz", "running", now=at(1))
    with pytest.raises(NotStored):
        await jobs.request_cancel(database, "zz", now=at(1))
