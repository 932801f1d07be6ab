"""Runs as jobs: submitted, cancelled and resumed here, asked by whichever process has room.

The job of a run has the run's id. Its row is the truth: the executor only says who may try.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime

from toolgauge.engine.plan import Emit, Plan
from toolgauge.errors import CannotMove
from toolgauge.jobs.dbos_executor import DbosExecutor
from toolgauge.jobs.executor import JobExecutor
from toolgauge.model.events import Event
from toolgauge.model.job import Job
from toolgauge.service import evaluations
from toolgauge.service.job_worker import AskingSpec, Worker, mark_run
from toolgauge.settings import Settings
from toolgauge.store import jobs, runs, trials
from toolgauge.store.database import Database
from toolgauge.store.location import default_url

_KIND = "run"


async def submit_run(
    database: Database,
    executor: JobExecutor,
    run_id: str,
    *,
    asking: AskingSpec | None = None,
    priority: int = 0,
) -> Job:
    """Return the job of a stored run, waiting in its owner's queue.

    A job that waits, runs or is completed stays as it is; one that failed, was cancelled or
    truncated goes on, asked as it was the first time. Lower ``priority`` goes first.

    Raises:
        NotStored: there is no such run.
    """
    new = await _new_job(database, run_id, asking or AskingSpec(), priority)
    job = await jobs.create(database, new)
    if job.is_over and job.state != "completed":
        job = await _resumed(database, job)
    if not job.is_over:
        await executor.submit(job.id, user=job.owner, priority=job.priority)
    return job


async def cancel_run(database: Database, executor: JobExecutor, job_id: str) -> Job:
    """Return the job, cancelled where it waited; one that runs stops within two seconds.

    What is finished is kept. Asking again, or for a job that is over, changes nothing.

    Raises:
        NotStored: there is no such job.
    """
    before = await jobs.get(database, job_id)
    job = await jobs.request_cancel(database, job_id, now=_now())
    if before.state == "queued" and job.state == "cancelled":
        await executor.cancel(job_id)
        await mark_run(database, job_id, "cancelled")
    return job


@asynccontextmanager
async def open_jobs(
    database: Database,
    settings: Settings,
    *,
    url: str | None = None,
    jobs_per_user: int = 2,
    emit: Emit | None = None,
) -> AsyncIterator[JobExecutor]:
    """Give the executor of this process, which runs jobs for as long as the block lasts.

    ``url`` is the one that ``database`` was opened with, as ``wiring.open_store`` takes it.
    ``jobs_per_user`` run at once for each owner, in all processes together. ``emit`` hears
    what happens to the runs of this process.
    """
    worker = Worker(database, settings, uuid.uuid4().hex, emit=emit or _nobody)
    executor = DbosExecutor(
        url or settings.database_url or default_url(),
        worker.run_job,
        executor_id=worker.executor_id,
        jobs_per_user=jobs_per_user,
        unfinished=worker.unfinished,
    )
    async with executor.serve():
        yield executor


async def _new_job(database: Database, run_id: str, asking: AskingSpec, priority: int) -> Job:
    stored = await runs.get(database, run_id)
    run = stored.run
    plan = Plan(await evaluations.suite_of(database, run), run.targets, run.options)
    return Job(
        id=run_id,
        kind=_KIND,
        spec=asdict(asking),
        created_at=_now(),
        owner=stored.owner,
        is_submitted=True,
        priority=priority,
        total=sum(plan.count_of(target) for target in run.targets),
        done=len(await trials.finished_keys(database, run_id)),
        failed=stored.counts.errored,
        result_ref=run_id,
    )


async def _resumed(database: Database, job: Job) -> Job:
    with suppress(CannotMove):  # somebody else resumes it, too
        return await jobs.move(database, job.id, "queued", now=_now())
    return await jobs.get(database, job.id)


async def _nobody(_event: Event) -> None:
    """Hear nothing."""


def _now() -> datetime:
    return datetime.now(UTC)
