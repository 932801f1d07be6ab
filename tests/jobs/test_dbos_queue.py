from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from anyio.to_thread import run_sync

from toolgauge.errors import CannotStore
from toolgauge.jobs import dbos_queue
from toolgauge.jobs.dbos_executor import DbosExecutor
from toolgauge.store.location import engine_url

pytestmark = pytest.mark.anyio


class Jobs:
    """Jobs that say when they begin, and end when they may."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = anyio.Event()
        self.news = anyio.Event()

    async def run(self, job_id: str) -> None:
        self.begun.append(job_id)
        self.news.set()
        await self.may_end.wait()

    async def await_begun(self, count: int) -> None:
        while len(self.begun) < count:
            self.news = anyio.Event()
            await self.news.wait()


@asynccontextmanager
async def executing(url: str, jobs: Jobs) -> AsyncIterator[DbosExecutor]:
    executor = DbosExecutor(url, jobs.run, executor_id="me", jobs_per_user=1)
    with anyio.fail_after(30):
        async with executor.serve():
            yield executor


async def test_a_users_waiting_jobs_go_by_priority_the_lowest_first(url: str) -> None:
    jobs = Jobs()
    async with executing(url, jobs) as executor:
        await executor.submit("first", user="ann")
        await jobs.await_begun(1)
        for priority in (5, 0, 3):
            await executor.submit(f"of-{priority}", user="ann", priority=priority)
        jobs.may_end.set()
        await jobs.await_begun(4)
    assert jobs.begun == ["first", "of-0", "of-3", "of-5"]


async def test_a_job_that_waits_or_runs_is_known_once(url: str) -> None:
    jobs = Jobs()
    async with executing(url, jobs) as executor:
        await executor.submit("running", user="ann")
        await jobs.await_begun(1)
        for _ in range(2):
            await executor.submit("running", user="ann")
            await executor.submit("waiting", user="ann")
        assert await run_sync(dbos_queue.known_jobs) == {"running", "waiting"}
        assert [dbos_queue.job_of(one) for one in await run_sync(dbos_queue.claimed)] == ["running"]
        assert await run_sync(dbos_queue.claimed, "somebody else") == []
        await executor.cancel("running")
        await executor.cancel("waiting")
        assert await run_sync(dbos_queue.known_jobs) == {"running"}


async def test_a_job_whose_name_looks_like_anothers_pattern_is_its_own(url: str) -> None:
    jobs = Jobs()
    async with executing(url, jobs) as executor:
        await executor.submit("a-b", user="ann")
        await executor.submit("a_b", user="bob")
        assert await run_sync(dbos_queue.known_jobs) == {"a-b", "a_b"}


async def test_what_is_over_is_forgotten_after_a_while_and_what_runs_never(url: str) -> None:
    jobs = Jobs()
    async with executing(url, jobs) as executor:
        await executor.submit("running", user="ann")
        await jobs.await_begun(1)
        await executor.submit("cancelled", user="ann")
        await executor.cancel("cancelled")
        for minutes, kept in ((4, ["cancelled", "running"]), (6, ["running"])):
            now = datetime.now(UTC) + timedelta(minutes=minutes)
            await run_sync(dbos_queue.forget, now)
            found = await run_sync(dbos_queue._workflows)
            assert sorted(map(dbos_queue.job_of, found)) == kept


@contextmanager
def held_for_writing(store: str) -> Iterator[None]:
    """Hold the lock of the engine's file, as a process does that is stopped in a transaction."""
    file = Path(store.removeprefix("sqlite:///")).with_suffix(".engine.db")
    with closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as engine:
        engine.execute("BEGIN IMMEDIATE")
        yield


async def test_a_process_that_stands_still_with_the_lock_delays_what_is_submitted(
    sqlite_url: str,
) -> None:
    jobs = Jobs()
    async with executing(sqlite_url, jobs) as executor:
        await executor.submit("running", user="ann")
        await jobs.await_begun(1)
        with held_for_writing(sqlite_url), anyio.fail_after(10):
            await executor.submit("late", user="bob")
            assert jobs.begun == ["running"]
        await jobs.await_begun(2)
    assert jobs.begun == ["running", "late"]


async def test_a_process_that_cannot_get_the_lock_does_not_start_and_says_why(
    sqlite_url: str,
) -> None:
    def begin() -> None:
        url = engine_url(sqlite_url)
        dbos_queue.launch(url, "me", lambda _: None, jobs_per_user=1, jobs_here=1, patience_s=0.1)

    refused = pytest.raises(
        CannotStore, match=r"another process has the job queue.*let it continue"
    )
    with held_for_writing(sqlite_url), refused:
        await run_sync(begin)
    lock = Path(sqlite_url.removeprefix("sqlite:///")).with_suffix(".engine.lock")
    with lock.open("w") as file, refused:
        fcntl.flock(file, fcntl.LOCK_EX)
        await run_sync(begin)
