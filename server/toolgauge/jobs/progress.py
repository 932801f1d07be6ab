"""News of a job, read from its row: the same for jobs of this process and of any other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import anyio

from toolgauge.errors import CannotStore
from toolgauge.model.job import Job
from toolgauge.store import jobs
from toolgauge.store.database import Database


async def watch(
    database: Database,
    job_id: str,
    *,
    every_s: float = 0.5,
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> AsyncIterator[Job]:
    """Yield a job as it is, then each time it has changed, until it is over.

    A database that is away for a while delays the news.

    Raises:
        NotStored: there is no such job.
        CannotStore: the database cannot be read, and waiting would not help.
    """
    seen: Job | None = None
    while seen is None or not seen.is_over:
        job = await _read(database, job_id)
        if job is not None and job != seen:
            seen = job
            yield job
        else:
            await sleep(every_s)


async def _read(database: Database, job_id: str) -> Job | None:
    try:
        return await jobs.get(database, job_id)
    except CannotStore as error:
        if error.may_pass:
            return None
        raise
