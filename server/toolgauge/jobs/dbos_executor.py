"""The executor on DBOS: one workflow per job, in SQLite beside the store or in PostgreSQL.

DBOS lives in threads and on a loop of its own, where it cannot take over this loop's default
executor; jobs run on the loop that serves. It is one per process, and so is this executor.
Its workflows hold nothing worth keeping: what a job came to is in the store.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import anyio
import psycopg
from anyio.from_thread import BlockingPortal
from dbos import error as dbos_error
from sqlalchemy.exc import SQLAlchemyError

from toolgauge.errors import CannotStore
from toolgauge.jobs import dbos_queue
from toolgauge.jobs.executor import RunJob, UnfinishedJob
from toolgauge.jobs.liveness import liveness_at
from toolgauge.store.location import engine_url

_RENEW_S = 1.0
_REAP_S = 1.0
_TIDY_EVERY = 2
# how long somebody who submits or cancels waits for the queue
_PATIENCE_S = 5.0
_THREADS = 8
_log = logging.getLogger(__name__)
# the database is away, or somebody else was quicker
_PASSES = (CannotStore, SQLAlchemyError, psycopg.Error, OSError, dbos_error.DBOSException)
Answer = TypeVar("Answer")


async def _nothing() -> tuple[UnfinishedJob, ...]:
    return ()


class DbosExecutor:
    """Runs jobs from a queue that all processes on one database share."""

    def __init__(
        self,
        database_url: str,
        run_job: RunJob,
        *,
        executor_id: str,
        jobs_per_user: int = 2,
        jobs_here: int = 8,
        unfinished: Callable[[], Awaitable[Iterable[UnfinishedJob]]] = _nothing,
    ) -> None:
        """Serve the store at ``database_url``.

        ``executor_id`` must be new: under that of a living process its jobs would be run
        twice. ``jobs_per_user`` counts in all processes together, ``jobs_here`` in each one for
        all users; the process that starts last sets both for all. ``unfinished`` names the
        jobs that ought to wait or run; those that the queue does not know (their process died
        before it could tell) are submitted again.
        """
        self._url = engine_url(database_url)
        self._run_job = run_job
        self._id = executor_id
        self._jobs_per_user = jobs_per_user
        self._jobs_here = jobs_here
        self._unfinished = unfinished
        self._liveness = liveness_at(self._url, executor_id)
        self._running: dict[str, anyio.Event] = {}
        # of our own: threads that wait for a database that is away are not for others to miss
        self._threads = anyio.CapacityLimiter(_THREADS)

    async def submit(self, job_id: str, *, user: str, priority: int = 0) -> None:
        """Put a job into its user's queue; one that waits or runs already stays as it is.

        Where the queue does not answer within seconds, the job is put there once it does.
        """
        await self._soon(job_id, dbos_queue.enqueue, job_id, user, priority)

    async def cancel(self, job_id: str) -> None:
        """Take a waiting job out of the queue; one that runs has to stop by itself.

        Where the queue does not answer within seconds, the job is taken out once it does.
        """
        await self._soon(job_id, dbos_queue.dequeue, job_id)

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        """Run jobs for as long as the block lasts, and those of processes that died.

        When it ends, what still runs is cancelled and left to whoever lives.
        """
        async with self._liveness.held(), BlockingPortal() as portal:
            try:
                await anyio.to_thread.run_sync(self._launch, portal)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._stay_alive)
                    tasks.start_soon(self._look_after_others)
                    yield
                    tasks.cancel_scope.cancel()
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(dbos_queue.destroy)

    def _launch(self, portal: BlockingPortal) -> None:
        dbos_queue.launch(
            self._url,
            self._id,
            partial(portal.start_task_soon, self._run),
            jobs_per_user=self._jobs_per_user,
            jobs_here=self._jobs_here,
        )

    async def _run(self, job_id: str) -> None:
        if job_id in self._running:
            # handed over by mistake, and back to us: it is the same job, in the same hands
            await self._running[job_id].wait()
            return
        ended = self._running[job_id] = anyio.Event()
        try:
            await self._run_job(job_id)
        except CannotStore as error:
            _log.warning("job %s will be run again: %s", job_id, error)
        except Exception:  # noqa: BLE001 - the job border: nothing may pass it
            _log.exception("job %s ended in an unforeseen way", job_id)
        finally:
            del self._running[job_id]
            ended.set()

    async def _stay_alive(self) -> None:
        while True:
            await anyio.sleep(_RENEW_S)
            await self._liveness.renew()

    async def _look_after_others(self) -> None:
        rounds = 0
        while True:
            try:
                await self._take_over()
                if rounds % _TIDY_EVERY == 0:
                    await self._submit_lost()
                    await self._in_thread(dbos_queue.forget, datetime.now(UTC))
            except _PASSES as error:
                _log.warning("the queue cannot be looked after now: %s", error)
            rounds += 1
            await anyio.sleep(_REAP_S)

    async def _take_over(self) -> None:
        """Put the jobs of dead executors back into the queue."""
        claimed = await self._in_thread(dbos_queue.claimed)
        for other in {str(one.executor_id) for one in claimed} - {self._id}:
            async with self._liveness.buried(other) as is_dead:
                if is_dead:
                    await self._in_thread(_give_back_all, other)

    async def _submit_lost(self) -> None:
        """Submit jobs that ought to be in the queue and are not."""
        jobs = await self._unfinished()
        # asked second: what ends in between is submitted for nothing, which does no harm
        known = await self._in_thread(dbos_queue.known_jobs)
        for job in jobs:
            if job.job_id not in known and not await self._is_run_by_somebody(job):
                await self.submit(job.job_id, user=job.user, priority=job.priority)

    async def _is_run_by_somebody(self, job: UnfinishedJob) -> bool:
        if job.executor is None:
            return False
        if job.executor == self._id:
            return job.job_id in self._running
        async with self._liveness.buried(job.executor) as is_dead:
            return not is_dead

    async def _soon(self, job_id: str, function: Callable[..., None], *arguments: Any) -> None:
        with anyio.move_on_after(_PATIENCE_S) as waiting:
            await self._in_thread(function, *arguments)
        if waiting.cancelled_caught:
            _log.warning("the queue does not answer; job %s has to wait for it", job_id)

    async def _in_thread(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        # abandoned when cancelled, because DBOS waits for a database that is away without an end
        return await anyio.to_thread.run_sync(
            function, *arguments, abandon_on_cancel=True, limiter=self._threads
        )


def _give_back_all(executor_id: str) -> None:
    # asked again, because somebody may have been here before us
    for one in dbos_queue.claimed(executor_id):
        _log.info("job %s is taken over from %s", dbos_queue.job_of(one), executor_id)
        dbos_queue.give_back(one)
