"""Runs as jobs that survive their process, as servers submit and cancel them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from toolgauge.engine.plan import Emit
from toolgauge.errors import NotStored
from toolgauge.jobs.executor import JobExecutor
from toolgauge.service.executors import RunExecutor
from toolgauge.service.job_worker import AskingSpec
from toolgauge.service.jobs import cancel_run, open_jobs, submit_run
from toolgauge.service.runs import Asking
from toolgauge.settings import Settings
from toolgauge.store import jobs
from toolgauge.store.database import Database

_MOST_WAITED_S = 5.0
_POLL_S = 0.1


@asynccontextmanager
async def durable(
    database: Database, settings: Settings, emit: Emit, *, url: str | None = None
) -> AsyncIterator[RunExecutor]:
    """Give an executor whose runs go on in another process, or the next, when this one ends.

    ``url`` is the one that ``database`` was opened with, as ``wiring.open_store`` takes it.
    """
    async with open_jobs(database, settings, url=url, emit=emit) as executor:
        yield DurableRuns(database, executor)


class DurableRuns:
    """Runs as jobs of the queue that all processes on one database share."""

    def __init__(self, database: Database, executor: JobExecutor) -> None:
        """Use the queue behind ``executor``."""
        self._database = database
        self._executor = executor

    async def submit(self, run_id: str, *, owner: str, asking: Asking) -> str:  # noqa: ARG002 - the run knows its owner
        """Return the id of the job; a job that is there already stays as it is."""
        roots = tuple(map(str, asking.import_roots))
        spec = AskingSpec(asking.max_cost_usd, asking.cache, asking.api_base, roots)
        job = await submit_run(self._database, self._executor, run_id, asking=spec)
        return job.id

    async def cancel(self, run_id: str) -> bool:
        """Have a run stopped wherever it goes on, and wait some seconds for it."""
        try:
            job = await cancel_run(self._database, self._executor, run_id)
        except NotStored:
            return False
        with anyio.move_on_after(_MOST_WAITED_S):
            while not job.is_over:
                await anyio.sleep(_POLL_S)
                job = await jobs.get(self._database, run_id)
        return True
