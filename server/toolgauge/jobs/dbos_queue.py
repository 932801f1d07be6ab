"""The queue of DBOS, as plain calls that block: to be made in threads, without a loop.

One per process. A job is a workflow without steps, and its outcome says nothing.
"""

from __future__ import annotations

import asyncio
import fcntl
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, EnqueueOptions, WorkflowStatus

from toolgauge.errors import CannotStore

_QUEUE = "toolgauge_jobs"
_WORKFLOW = "toolgauge_job"
_SCHEMA = "toolgauge_engine"
# Pinned: by default it is a hash of our code, and an upgrade would strand what is unfinished.
_APPLICATION_VERSION = "1"
_FIRST_PRIORITY = 1  # DBOS knows none below
_NTH = "#"
_LIVE = ["ENQUEUED", "PENDING"]
_OVER = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_KEEP_OVER = timedelta(minutes=5)
_CONNECTIONS = 5
_POLL_S = 0.5
_LOOK_S = 0.05
# A limit on everything, never reached: with it PostgreSQL's claims are serializable, and two
# processes cannot both take a user's last free place.
_JOBS_AT_ONCE = 100_000


def launch(
    store: sa.URL,
    executor_id: str,
    start: Callable[[str], Future[None]],
    *,
    jobs_per_user: int,
    jobs_here: int,
    patience_s: float = 30.0,
) -> None:
    """Begin to take jobs: ``start`` is called with the id of each, in a thread of DBOS.

    In ``destroy`` the futures are cancelled. No outcome is recorded then, so that the jobs
    stay claimed by ``executor_id`` and others can go on with them.

    Raises:
        CannotStore: another process has kept the engine's SQLite file for ``patience_s``.
    """

    @DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=None)
    async def run(job_id: str) -> None:
        await asyncio.wrap_future(start(job_id))

    with _alone(store, patience_s):
        DBOS(config=_config(store, executor_id))
        DBOS.launch()
    DBOS.register_queue(
        _QUEUE,
        partition_concurrency=jobs_per_user,
        global_concurrency=_JOBS_AT_ONCE,
        worker_concurrency=jobs_here,
        polling_interval_sec=_POLL_S,
        on_conflict="always_update",
    )


def destroy() -> None:
    """Take no more jobs, and cancel those that run here."""
    DBOS.destroy()


def claimed(executor_id: str | None = None) -> list[WorkflowStatus]:
    """Return what is claimed, by one executor or by any."""
    return _workflows(status="PENDING", executor_id=executor_id)


def known_jobs() -> set[str]:
    """Return the ids of the jobs that wait or run."""
    return {job_of(one) for one in _workflows(status=_LIVE)}


def give_back(workflow: WorkflowStatus) -> None:
    """Put what a dead executor claimed back into the queue."""
    DBOS.resume_workflow(workflow.workflow_id, queue_name=_QUEUE)


def enqueue(job_id: str, user: str, priority: int) -> None:
    """Put a job into its user's queue, unless it waits or runs already."""
    past = _workflows_of(job_id)
    if any(one.status in _LIVE for one in past):
        return
    # numbered, because an id that is over is taken for work that is done; of several processes
    # that submit the same job at once all find the same number, and DBOS takes it once
    nth = 1 + max(map(_nth, past), default=0)
    options: EnqueueOptions = {
        "workflow_id": f"{job_id}{_NTH}{nth}",
        "workflow_name": _WORKFLOW,
        "queue_name": _QUEUE,
        "queue_partition_key": user,
        "priority": max(_FIRST_PRIORITY, priority + _FIRST_PRIORITY),
        "app_version": _APPLICATION_VERSION,
    }
    DBOS.enqueue_workflow_with_options(options, job_id)


def dequeue(job_id: str) -> None:
    """Take a job out of the queue, if it waits there."""
    for one in _workflows_of(job_id):
        if one.status == "ENQUEUED":
            DBOS.cancel_workflow(one.workflow_id)


def forget(now: datetime) -> None:
    """Delete what has been over for five minutes: nobody asks for it."""
    before = (now - _KEEP_OVER).isoformat()
    for one in _workflows(status=_OVER, completed_before=before):
        DBOS.delete_workflow(one.workflow_id)


def job_of(workflow: WorkflowStatus) -> str:
    """Return the id of the job that a workflow is of."""
    return workflow.workflow_id.rpartition(_NTH)[0]


def _workflows(**conditions: Any) -> list[WorkflowStatus]:
    return DBOS.list_workflows(name=_WORKFLOW, load_input=False, load_output=False, **conditions)


def _workflows_of(job_id: str) -> list[WorkflowStatus]:
    # the prefix is a pattern, in which _ stands for any character
    like = _workflows(workflow_id_prefix=f"{job_id}{_NTH}")
    return [one for one in like if job_of(one) == job_id]


def _nth(workflow: WorkflowStatus) -> int:
    return int(workflow.workflow_id.rpartition(_NTH)[2])


@contextmanager
def _alone(store: sa.URL, patience_s: float) -> Iterator[None]:
    """Let one process at a time make or open the engine's SQLite file.

    Changing a fresh file's journal mode fails at once, whatever the timeout, while another
    process has it open.
    """
    if not store.drivername.startswith("sqlite"):
        yield
        return
    with _beside(store, "lock").open("w") as file:
        _await_lock(file.fileno(), store, patience_s)
        _await_turn(store, patience_s)
        yield


def _await_lock(file: int, store: sa.URL, patience_s: float) -> None:
    end = time.monotonic() + patience_s
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > end:
                raise _busy(store) from error
            time.sleep(_LOOK_S)


def _await_turn(store: sa.URL, patience_s: float) -> None:
    """Wait until the file can be written; DBOS would wait for that without an end."""
    engine = sqlite3.connect(_beside(store, "db"), isolation_level=None, timeout=patience_s)
    with closing(engine):
        try:
            engine.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise _busy(store) from error


def _busy(store: sa.URL) -> CannotStore:
    return CannotStore(
        "busy",
        f"{_beside(store, 'db')}: another process has the job queue and does not go on. If one "
        "was stopped (Ctrl+Z, a debugger), let it continue or end it, then try again",
    )


def _beside(store: sa.URL, suffix: str) -> Path:
    return Path(str(store.database)).absolute().with_suffix(f".engine.{suffix}")


def _config(store: sa.URL, executor_id: str) -> DBOSConfig:
    config: DBOSConfig = {
        "name": "toolgauge",
        "executor_id": executor_id,
        "application_version": _APPLICATION_VERSION,
        "dbos_system_schema": _SCHEMA,
        "log_level": "ERROR",
        "sys_db_pool_size": _CONNECTIONS,
        # how long destroying it takes
        "notification_listener_polling_interval_sec": 0.05,
    }
    if not store.drivername.startswith("sqlite"):
        config["system_database_url"] = store.render_as_string(hide_password=False)
        return config
    url = store.set(drivername="sqlite", database=str(_beside(store, "db")))
    address = url.render_as_string()
    # with an engine of its own, which begins its transactions itself
    DBOS.migrate(address)
    config["system_database_url"] = address
    config["system_database_engine"] = _sqlite_engine(url)
    config["run_migrations"] = False
    return config


def _sqlite_engine(url: sa.URL) -> sa.Engine:
    """Return an engine whose transactions hold the write lock from their beginning.

    DBOS counts what runs before it claims; without the lock two processes count the same.
    """
    engine = sa.create_engine(url, connect_args={"timeout": 30, "isolation_level": None})

    def set_pragmas(connection: Any, _record: Any) -> None:
        for pragma in ("journal_mode=wal", "synchronous=normal", "foreign_keys=on"):
            connection.execute(f"PRAGMA {pragma}")

    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    sa.event.listen(engine, "connect", set_pragmas)
    sa.event.listen(engine, "begin", begin)
    return engine
