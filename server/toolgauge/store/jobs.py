"""Jobs: the durable facts of background work. Which moves exist is ``model.job``'s to say."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.errors import NotStored
from toolgauge.model.job import Job, JobState, moved
from toolgauge.store.database import Database
from toolgauge.store.pages import Order, Page, read_page
from toolgauge.store.tables import JobRow

_NEWEST = Order(JobRow, ("created_at", "id"), newest_first=True)
_IDS_IN_ERRORS = 5


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs a page is of; None means any."""

    owner: str | None = None
    state: JobState | None = None
    kind: str | None = None


async def create(database: Database, job: Job) -> Job:
    """Return the stored job; one of this id that is there already stays as it is."""
    async with database.writing() as session:
        statement = database.insert(JobRow).on_conflict_do_nothing()
        await session.exec(statement, params=[asdict(job)])
        return _job(await _existing(session, job.id))


async def get(database: Database, job_id: str) -> Job:
    """Return one job.

    Raises:
        NotStored: there is no such job.
    """
    async with database.reading() as session:
        return _job(await _existing(session, job_id))


async def page(
    database: Database,
    wanted: JobFilter = JobFilter(),
    *,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[Job]:
    """Return jobs, newest first."""
    query = select(JobRow)
    if wanted.owner is not None:
        query = query.where(col(JobRow.owner) == wanted.owner)
    if wanted.state is not None:
        query = query.where(col(JobRow.state) == wanted.state)
    if wanted.kind is not None:
        query = query.where(col(JobRow.kind) == wanted.kind)
    async with database.reading() as session:
        rows, after = await read_page(session, query, _NEWEST, cursor=cursor, limit=limit)
    return Page(tuple(_job(row) for row in rows), after)


async def move(
    database: Database,
    job_id: str,
    to: JobState,
    *,
    now: datetime,
    executor: str | None = None,
    error: str | None = None,
) -> Job:
    """Return the job in its next state, as ``model.job.moved`` makes it; of rivals one wins.

    Raises:
        NotStored: there is no such job.
        CannotMove: there is no way from its state to the wanted one.
        Superseded: it is run by another process.
    """
    async with database.writing() as session:
        row = await _existing(session, job_id, lock=True)
        return _updated(row, moved(_job(row), to, now=now, executor=executor, error=error))


async def request_cancel(database: Database, job_id: str, *, now: datetime) -> Job:
    """Return the job, cancelled where it waited; one that runs is asked to stop.

    Asking again, or asking a job that is over, changes nothing.

    Raises:
        NotStored: there is no such job.
    """
    async with database.writing() as session:
        row = await _existing(session, job_id, lock=True)
        job = _job(row)
        if job.state == "queued":
            return _updated(row, moved(job, "cancelled", now=now))
        if job.state == "running":
            row.cancel_requested = True
        return _job(row)


async def _existing(session: AsyncSession, job_id: str, *, lock: bool = False) -> JobRow:
    # on SQLite the writer's transaction is the lock, and this asks for none
    row = await session.get(JobRow, job_id, with_for_update=True if lock else None)
    if row is None:
        newest = select(JobRow.id).order_by(*_NEWEST.clauses).limit(_IDS_IN_ERRORS)
        raise NotStored("job", job_id, tuple(await session.exec(newest)))
    return row


def _updated(row: JobRow, job: Job) -> Job:
    for name, value in asdict(job).items():
        setattr(row, name, value)
    return job


def _job(row: JobRow) -> Job:
    return Job(**row.model_dump())
