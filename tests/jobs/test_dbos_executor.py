"""Jobs among several processes: real ones, on both databases, killed and stopped."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path

import anyio
import psycopg
import pytest
from workers import Workers, eventually, most_at_once, working

from toolgauge.errors import CannotStore
from toolgauge.jobs.dbos_executor import DbosExecutor
from toolgauge.jobs.executor import UnfinishedJob

USERS = ("ann", "bob", "eve")


def test_no_user_has_more_jobs_running_than_the_limit_in_two_processes(
    url: str, tmp_path: Path
) -> None:
    jobs = [f"{user}-{number}" for number in range(4) for user in USERS]
    with working(url, tmp_path, job_s=0.5) as workers:
        # six may run, and a process runs four at most: both are needed
        workers.start("one", "two")
        for job_id in jobs:
            worker = "one" if job_id.endswith(("0", "2", "4")) else "two"
            workers.tell(worker, f"submit {job_id} {job_id.split('-')[0]}")
        ended = workers.await_notes("end", len(jobs))
        begun = workers.notes("begin")
    assert Counter(note.job_id for note in begun) == Counter(jobs)
    assert {note.by for note in begun} == {"one", "two"}
    for user in USERS:
        of_user = [[n for n in notes if n.job_id.startswith(user)] for notes in (begun, ended)]
        assert most_at_once(*of_user) == 2


def begun_by_one_of_two(workers: Workers, job_id: str) -> tuple[str, str]:
    """Return who runs a job, and who does not."""
    workers.start("one", "two")
    workers.tell("one", f"submit {job_id} ann")
    first = workers.await_note("begin", job_id).by
    return first, {"one": "two", "two": "one"}[first]


def test_a_killed_process_is_replaced_within_ten_seconds(settled_url: str, tmp_path: Path) -> None:
    with working(settled_url, tmp_path, job_s=2) as workers:
        first, other = begun_by_one_of_two(workers, "long")
        workers.send(first, signal.SIGKILL)
        killed_at = time.monotonic()
        taken = workers.await_note("begin", "long", by=other)
        assert taken.at - killed_at < 10
        assert workers.await_note("end", "long").by == other


def test_a_stopped_process_is_not_robbed(settled_url: str, tmp_path: Path) -> None:
    with working(settled_url, tmp_path, job_s=1) as workers:
        first, other = begun_by_one_of_two(workers, "long")
        workers.stop(first)
        # another user's jobs, one after another, show that the second process is at work
        for number in range(4):
            workers.tell(other, f"submit quick-{number}@0.3 bob")
            workers.await_note("end", f"quick-{number}@0.3")
        workers.send(first, signal.SIGCONT)
        assert workers.await_note("end", "long").by == first
        assert [note.by for note in workers.notes("begin") if note.job_id == "long"] == [first]


def test_a_process_that_leaves_hands_its_job_to_another_at_once(
    settled_url: str, tmp_path: Path
) -> None:
    with working(settled_url, tmp_path, job_s=2) as workers:
        first, other = begun_by_one_of_two(workers, "long")
        left_at = time.monotonic()
        assert workers.leave(first) == ""
        assert workers.await_note("begin", "long", by=other).at - left_at < 10


def test_the_next_process_that_starts_finishes_what_nobody_did(
    settled_url: str, tmp_path: Path
) -> None:
    with working(settled_url, tmp_path, job_s=1) as workers:
        workers.start("one")
        workers.tell("one", "submit running ann", "submit waiting-1 ann", "submit waiting-2 ann")
        workers.await_notes("begin", 2)
        workers.send("one", signal.SIGKILL)
        workers.start("two")
        ended = workers.await_notes("end", 3)
    assert {note.by for note in ended} == {"two"}


def test_a_waiting_job_that_is_cancelled_never_begins(sqlite_url: str, tmp_path: Path) -> None:
    with working(sqlite_url, tmp_path, job_s=1) as workers:
        workers.start("one", "two")
        workers.tell("one", *(f"submit job-{number} ann" for number in range(4)))
        workers.await_notes("begin", 2)
        waiting = {f"job-{number}" for number in range(4)}
        waiting -= {note.job_id for note in workers.notes("begin")}
        gone, kept = sorted(waiting)
        workers.tell("two", f"cancel {gone}")
        workers.await_note("end", kept)
    assert gone not in {note.job_id for note in workers.notes("begin")}


def test_submitting_a_job_twice_runs_it_once_and_after_its_end_again(
    sqlite_url: str, tmp_path: Path
) -> None:
    with working(sqlite_url, tmp_path, job_s=0.5) as workers:
        workers.start("one")
        workers.tell("one", "submit job ann", "submit job ann")
        workers.await_note("end", "job")

        def began_again() -> bool:
            workers.tell("one", "submit job ann")
            return len(workers.notes("begin")) == 2

        assert len(workers.notes("begin")) == 1
        # at once it may still count as running, and then nothing is submitted
        eventually(began_again, within_s=30)
        workers.await_notes("end", 2)


@pytest.mark.anyio
async def test_a_job_that_the_queue_does_not_know_or_that_was_left_is_run_again(url: str) -> None:
    calls: list[str] = []
    done = anyio.Event()

    async def run_job(job_id: str) -> None:
        calls.append(job_id)
        if len(calls) == 1:
            raise CannotStore("unreachable", "away for a moment")
        done.set()

    async def unfinished() -> list[UnfinishedJob]:
        """Say what the store would: it waits at first, and then we have it and do not run it."""
        return (
            [] if done.is_set() else [UnfinishedJob("job", "ann", executor="me" if calls else None)]
        )

    executor = DbosExecutor(url, run_job, executor_id="me", unfinished=unfinished)
    with anyio.fail_after(20):
        async with executor.serve():
            await done.wait()
    assert calls == ["job", "job"]


@pytest.mark.anyio
async def test_two_processes_of_one_name_are_refused(url: str) -> None:
    async def run_job(_job_id: str) -> None:
        """Do nothing."""

    async with DbosExecutor(url, run_job, executor_id="me").serve():
        with pytest.raises((ValueError, psycopg.Error)):
            await DbosExecutor(url, run_job, executor_id="me").serve().__aenter__()


def test_what_the_executor_keeps_stands_beside_the_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'mine.db'}"
    with working(url, tmp_path) as workers:
        workers.start("one")
        assert (tmp_path / "mine.engine.db").exists()
        assert (tmp_path / "mine.executors").exists()
