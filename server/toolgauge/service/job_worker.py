"""The worker of one process: takes the job of a run, asks what the run lacks, stores its end.

Which process tries a job is the executor's to say; whose the job is stands in its row.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import anyio

from toolgauge.engine.plan import Emit
from toolgauge.errors import CannotMove, CannotStore, Superseded, ToolgaugeError
from toolgauge.gateway.caching import CacheMode
from toolgauge.jobs.executor import UnfinishedJob
from toolgauge.jobs.progress import watch
from toolgauge.model.job import Job, JobState
from toolgauge.model.run import RunStatus
from toolgauge.service import evaluations, wiring
from toolgauge.service.runs import budget_of
from toolgauge.settings import Settings
from toolgauge.store import jobs, runs
from toolgauge.store.database import Database
from toolgauge.store.jobs import JobFilter

# A job that takes its process down with it must not do so for ever.
MOST_ATTEMPTS = 10
_PARTING_S = 1.5
_PAGE = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskingSpec:
    """How the run of a job is asked; what ``service.runs.Asking`` can say across processes."""

    max_cost_usd: float | None = None
    cache: CacheMode = "off"
    api_base: str | None = None
    import_roots: tuple[str, ...] = ()


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
        the job goes back to the queue; when the database goes away it stays as it is.

        Raises:
            CannotStore: the database is away; to be called again when it is back.
        """
        job = await self._take(job_id)
        if job is None:
            return
        try:
            end = await self._until_stopped(job)
        except anyio.get_cancelled_exc_class():
            with anyio.move_on_after(_PARTING_S, shield=True), suppress(CannotStore):
                await self._hand_back(job_id)
            raise
        if end is not None:
            await self._end(job_id, end)

    async def _take(self, job_id: str) -> Job | None:
        """Return the job as ours; None where there is nothing to do."""
        job = await jobs.get(self._database, job_id)
        try:
            if job.state == "running":
                end = _end_of_the_orphan(job)
                if end is not None:
                    await self._bury(job, end)
                    return None
                await jobs.move(self._database, job_id, "queued", now=_now())
            return await jobs.move(
                self._database, job_id, "running", now=_now(), executor=self.executor_id
            )
        except CannotMove:
            return None  # it is over, or somebody was quicker

    async def _bury(self, job: Job, end: _End) -> None:
        await mark_run(self._database, job.id, "cancelled" if job.cancel_requested else "failed")
        await jobs.move(self._database, job.id, end.state, now=_now(), error=end.error)

    async def _until_stopped(self, job: Job) -> _End | None:
        """Return how the job ended; None where it has not, here."""
        told: list[_End | None] = []
        async with anyio.create_task_group() as tasks:

            async def stop_when_told() -> None:
                told.append(await self._told_to_stop(job.id))
                tasks.cancel_scope.cancel()

            tasks.start_soon(stop_when_told)
            end = await self._ask(job)
            tasks.cancel_scope.cancel()
            return end
        return told[0]

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
                _log.warning("job %s is left as it is, to be run again: %s", job.id, error)
                return None
            return _End("failed", str(error))
        except Exception as error:  # noqa: BLE001 - the job border: it costs this job alone
            _log.exception("job %s failed in an unforeseen way", job.id)
            return _End("failed", f"unforeseen: {type(error).__name__}")

    async def _evaluated(self, job: Job) -> _End:
        asking = AskingSpec(**job.spec)
        run = await evaluations.run_to_ask(self._database, job.id)
        async with wiring.open_gateways(
            self._settings,
            run.stored.run.targets,
            api_base=asking.api_base,
            import_roots=[Path(root) for root in asking.import_roots],
        ) as inner:
            done = await evaluations.run_job(
                run,
                database=self._database,
                gateway=wiring.behind_store(inner, self._database, asking.cache),
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
        await mark_run(self._database, job_id, "running")
        await jobs.move(self._database, job_id, "queued", now=_now())


async def mark_run(database: Database, run_id: str, status: RunStatus) -> None:
    """Store a run's status, as it is told from outside of the run."""
    run = (await runs.get(database, run_id)).run
    finished_at = None if status == "running" else _now()
    await runs.finish(database, replace(run, status=status, finished_at=finished_at))


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


def _now() -> datetime:
    return datetime.now(UTC)
