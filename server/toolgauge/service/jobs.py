"""Runs as jobs: submitted, cancelled and resumed here, asked by whichever process has room.

The job of a run has the run's id. Its row is the truth: the executor only says who may try.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

import anyio

from toolgauge.engine.plan import Emit, Plan
from toolgauge.errors import CannotMove, CannotStore, Superseded, ToolgaugeError
from toolgauge.gateway.caching import CacheMode
from toolgauge.jobs.dbos_executor import DbosExecutor
from toolgauge.jobs.executor import JobExecutor, UnfinishedJob
from toolgauge.jobs.progress import watch
from toolgauge.jobs.provider_limits import LimitedGateway
from toolgauge.model.events import Event
from toolgauge.model.job import Job, JobState
from toolgauge.model.run import Run, RunStatus
from toolgauge.service import evaluations, wiring
from toolgauge.service.runs import budget_of
from toolgauge.settings import Settings
from toolgauge.store import jobs, runs, trials
from toolgauge.store.database import Database
from toolgauge.store.jobs import JobFilter
from toolgauge.store.location import default_url

# A job that takes its process down with it must not do so for ever.
MOST_ATTEMPTS = 10
_KIND = "run"
_PARTING_S = 1.5
_PAGE = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskingSpec:
    """How the run of a job is asked; what ``service.runs.Asking`` can say across processes."""

    max_cost_usd: float | None = None
    cache: CacheMode = "off"
    api_base: str | None = None


async def submit_run(
    database: Database,
    executor: JobExecutor,
    run_id: str,
    *,
    asking: AskingSpec = AskingSpec(),
    priority: int = 0,
) -> Job:
    """Return the job of a stored run, waiting in its owner's queue.

    A job that waits, runs or is completed stays as it is; one that failed, was cancelled or
    truncated goes on, asked as it was the first time. Lower ``priority`` goes first.

    Raises:
        NotStored: there is no such run.
    """
    job = await jobs.create(database, await _new_job(database, run_id, asking, priority))
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
        await _mark(database, job_id, "cancelled")
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


@dataclass(frozen=True, slots=True)
class _End:
    state: JobState
    error: str | None = None


class Worker:
    """Runs the jobs of one process."""

    def __init__(
        self, database: Database, settings: Settings, executor_id: str, *, emit: Emit
    ) -> None:
        """Run jobs under the name ``executor_id``, which no other process has."""
        self.executor_id = executor_id
        self._database = database
        self._settings = settings
        self._emit = emit

    async def unfinished(self) -> list[UnfinishedJob]:
        """Return the submitted jobs that ought to wait or run."""
        found = []
        states: tuple[JobState, ...] = ("queued", "running")
        for state in states:
            cursor = None
            while True:
                page = await jobs.page(
                    self._database, JobFilter(state=state), cursor=cursor, limit=_PAGE
                )
                found += [
                    UnfinishedJob(job.id, job.owner, job.priority, job.executor)
                    for job in page.items
                    if job.is_submitted
                ]
                cursor = page.next_cursor
                if cursor is None:
                    break
        return found

    async def run_job(self, job_id: str) -> None:
        """Ask what the job's run still lacks, and store what became of the job.

        To be called where nobody runs the job, or who ran it is dead. When this is cancelled
        the job goes back to the queue.

        Raises:
            CannotStore: the database is away; to be called again when it is back.
        """
        job = await self._take(job_id)
        if job is None:
            return
        try:
            end = await self._until_stopped(job)
        except anyio.get_cancelled_exc_class():
            with anyio.move_on_after(_PARTING_S, shield=True):
                await self._hand_back(job_id)
            raise
        if end is not None:
            await self._end(job_id, end)

    async def _take(self, job_id: str) -> Job | None:
        """Return the job as ours; None where there is nothing to do."""
        job = await jobs.get(self._database, job_id)
        if job.state == "running":
            end = _end_of_the_orphan(job)
            if end is not None:
                await self._end(job_id, end)
                await _mark(
                    self._database, job_id, "cancelled" if job.cancel_requested else "failed"
                )
                return None
        try:
            if job.state == "running":
                await jobs.move(self._database, job_id, "queued", now=_now())
            return await jobs.move(
                self._database, job_id, "running", now=_now(), executor=self.executor_id
            )
        except CannotMove:
            return None  # it is over, or somebody was quicker

    async def _until_stopped(self, job: Job) -> _End | None:
        """Return how the job ended; None where it is another process's now."""
        end: _End | None = None

        async with anyio.create_task_group() as tasks:

            async def stop_when_told() -> None:
                nonlocal end
                end = await self._told_to_stop(job.id)
                tasks.cancel_scope.cancel()

            tasks.start_soon(stop_when_told)
            end = await self._ask(job)
            tasks.cancel_scope.cancel()
        return end

    async def _told_to_stop(self, job_id: str) -> _End | None:
        """Return when the job is to stop here: cancelled, or (None) no longer ours."""
        async for job in watch(self._database, job_id):
            if job.executor != self.executor_id:
                return None
            if job.cancel_requested:
                return _End("cancelled")
        return None

    async def _ask(self, job: Job) -> _End | None:
        try:
            return await self._evaluated(job)
        except Superseded as error:
            _log.info("%s", error)
            return None
        except ToolgaugeError as error:
            if isinstance(error, CannotStore) and error.may_pass:
                raise
            return _End("failed", str(error))
        except Exception as error:  # noqa: BLE001 - the job border: it costs this job alone
            _log.exception("job %s failed in an unforeseen way", job.id)
            return _End("failed", f"unforeseen: {type(error).__name__}")

    async def _evaluated(self, job: Job) -> _End:
        asking = AskingSpec(**job.spec)
        stored = await runs.get(self._database, job.id)
        async with wiring.open_gateways(
            self._settings, stored.run.targets, api_base=asking.api_base
        ) as inner:
            limited = LimitedGateway(inner, self._database)
            done = await evaluations.run_job(
                job.id,
                database=self._database,
                gateway=wiring.cached(limited, self._database, asking.cache),
                emit=self._emit,
                budget=await budget_of(self._database, [job.id], asking.max_cost_usd),
            )
        why = "; ".join(f"{name}: {error.message}" for name, error in done.given_up.items())
        return _End(_state_after(done.run.status), why or None)

    async def _end(self, job_id: str, end: _End) -> None:
        try:
            await jobs.move(
                self._database,
                job_id,
                end.state,
                now=_now(),
                executor=self.executor_id,
                error=end.error,
            )
        except (CannotMove, Superseded) as error:
            _log.info("%s", error)

    async def _hand_back(self, job_id: str) -> None:
        job = await jobs.get(self._database, job_id)
        if job.executor != self.executor_id:
            return
        if job.cancel_requested:
            await self._end(job_id, _End("cancelled"))
            return
        # the run first: once the job waits, somebody else may be writing it
        await _mark(self._database, job_id, "running")
        await jobs.move(self._database, job_id, "queued", now=_now())


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


def _end_of_the_orphan(job: Job) -> _End | None:
    """Return how a job ends whose process died; None where it is to go on."""
    if job.cancel_requested:
        return _End("cancelled")
    if job.attempts >= MOST_ATTEMPTS:
        return _End("failed", f"its process died {job.attempts} times; resume it to try again")
    return None


def _state_after(status: RunStatus) -> JobState:
    # a run that ended by itself is completed, failed or truncated, and so is its job
    return "failed" if status == "running" else status


async def _mark(database: Database, run_id: str, status: RunStatus) -> None:
    run: Run = (await runs.get(database, run_id)).run
    finished_at = None if status == "running" else _now()
    await runs.finish(database, replace(run, status=status, finished_at=finished_at))


async def _nobody(_event: Event) -> None:
    """Hear nothing."""


def _now() -> datetime:
    return datetime.now(UTC)
