from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from store_builders import NOON, at

from toolgauge.errors import CannotStore, NotStored, StoreFault
from toolgauge.jobs.progress import watch
from toolgauge.model.job import Job, JobState
from toolgauge.store import jobs
from toolgauge.store.database import Database

pytestmark = pytest.mark.anyio


async def moved(database: Database, to: JobState) -> None:
    await jobs.move(database, "job", to, now=at(1))


def while_waiting(*steps: Callable[[], Awaitable[Any]]) -> Callable[[float], Awaitable[None]]:
    """Return a sleep that takes no time; in each one the next step happens."""
    left = iter(steps)

    async def sleep(_seconds: float) -> None:
        await next(left)()

    return sleep


async def test_a_job_is_told_when_it_changes_until_it_is_over(database: Database) -> None:
    await jobs.create(database, Job("job", "run", {}, NOON))
    sleep = while_waiting(
        anyio.lowlevel.checkpoint,
        lambda: moved(database, "running"),
        lambda: jobs.request_cancel(database, "job", now=at(2)),
        anyio.lowlevel.checkpoint,
        lambda: moved(database, "cancelled"),
    )
    told = [(job.state, job.cancel_requested) async for job in watch(database, "job", sleep=sleep)]
    assert told == [
        ("queued", False),
        ("running", False),
        ("running", True),
        ("cancelled", True),
    ]


async def test_a_job_that_is_not_there_is_refused(database: Database) -> None:
    with pytest.raises(NotStored):
        await anext(watch(database, "job"))


class Away:
    """A database that fails when it is read for the first time."""

    def __init__(self, database: Database, fault: StoreFault) -> None:
        self._database = database
        self._faults = [fault]

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Any]:
        if self._faults:
            raise CannotStore(self._faults.pop(), "away")
        async with self._database.reading() as session:
            yield session


async def test_a_database_that_is_away_delays_the_news(database: Database) -> None:
    job = await jobs.create(database, Job("job", "run", {}, NOON))
    away: Any = Away(database, "unreachable")
    sleep = while_waiting(anyio.lowlevel.checkpoint)
    assert await anext(watch(away, "job", sleep=sleep)) == job


async def test_a_database_that_is_damaged_is_told(database: Database) -> None:
    away: Any = Away(database, "damaged")
    with pytest.raises(CannotStore):
        await anext(watch(away, "job"))
