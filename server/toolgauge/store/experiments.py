"""Experiments: groups of runs; what they amount to is computed in ``model.experiment``."""

from __future__ import annotations

from sqlalchemy import ColumnElement
from sqlmodel import col, delete, func, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.errors import NotStored, UsageError
from toolgauge.model import run_json
from toolgauge.model.experiment import Experiment, LinkedRun
from toolgauge.store import contents
from toolgauge.store.database import Database
from toolgauge.store.pages import Order, Page, read_page
from toolgauge.store.runs import stored_run
from toolgauge.store.tables import ExperimentRow, RunRow

_NEWEST = Order(ExperimentRow, ("created_at", "id"), newest_first=True)
_IDS_IN_ERRORS = 5


async def create(database: Database, experiment: Experiment) -> None:
    """Store a new experiment, with or without a pinned baseline.

    Raises:
        NotStored: the run that it pins is not there.
        UsageError: that run is of another suite.
    """
    async with database.writing() as session:
        row = ExperimentRow(
            id=experiment.id,
            owner=experiment.owner,
            name=experiment.name,
            suite_name=experiment.suite_name,
            description=experiment.description,
            baseline_run_id=experiment.baseline_run_id,
            created_at=experiment.created_at,
        )
        await _check_baseline(session, row)
        session.add(row)


async def get(database: Database, experiment_id: str) -> Experiment:
    """Return one experiment.

    Raises:
        NotStored: there is no such experiment.
    """
    async with database.reading() as session:
        return _experiment(await _existing(session, experiment_id))


async def page(
    database: Database, *, owner: str | None = None, cursor: str | None = None, limit: int = 20
) -> Page[Experiment]:
    """Return experiments, newest first; of all owners for None."""
    query = select(ExperimentRow).where(*_of(owner))
    async with database.reading() as session:
        rows, after = await read_page(session, query, _NEWEST, cursor=cursor, limit=limit)
    return Page(tuple(_experiment(row) for row in rows), after)


async def count(database: Database, *, owner: str | None = None) -> int:
    """Return how many experiments all pages of ``page`` have together."""
    async with database.reading() as session:
        counted = select(func.count()).select_from(ExperimentRow).where(*_of(owner))
        return (await session.exec(counted)).one()


async def named(database: Database, name: str, *, owner: str) -> Experiment | None:
    """Return the owner's newest experiment of this name; None where there is none."""
    query = select(ExperimentRow).where(col(ExperimentRow.name) == name, *_of(owner))
    async with database.reading() as session:
        row = (await session.exec(query.order_by(*_NEWEST.clauses).limit(1))).one_or_none()
    return None if row is None else _experiment(row)


async def edit(
    database: Database,
    experiment_id: str,
    *,
    name: str | None = None,
    description: str | None = None,
) -> Experiment:
    """Return the experiment with another name or description; None leaves one as it is.

    Raises:
        NotStored: there is no such experiment.
    """
    async with database.writing() as session:
        row = await _existing(session, experiment_id)
        row.name = row.name if name is None else name
        row.description = row.description if description is None else description
        return _experiment(row)


async def pin(database: Database, experiment_id: str, run_id: str | None) -> Experiment:
    """Return the experiment with this run as its baseline; None for the first run again.

    Any run of the same suite will do, one of another experiment too.

    Raises:
        NotStored: there is no such experiment or run.
        UsageError: the run is of another suite.
    """
    async with database.writing() as session:
        row = await _existing(session, experiment_id)
        row.baseline_run_id = run_id
        await _check_baseline(session, row)
        return _experiment(row)


async def remove(database: Database, experiment_id: str) -> None:
    """Delete an experiment; its runs stay, linked to none.

    Raises:
        NotStored: there is no such experiment.
    """
    async with database.writing() as session:
        await _existing(session, experiment_id)
        await session.exec(delete(ExperimentRow).where(col(ExperimentRow.id) == experiment_id))


async def linked_runs(database: Database, experiment_id: str) -> tuple[LinkedRun, ...]:
    """Return the runs of an experiment, its pinned baseline among them, the oldest first.

    Raises:
        NotStored: there is no such experiment.
    """
    async with database.reading() as session:
        experiment = await _existing(session, experiment_id)
        linked = col(RunRow.experiment_id) == experiment_id
        pinned = col(RunRow.id) == experiment.baseline_run_id
        query = select(RunRow).where(or_(linked, pinned))
        rows = (await session.exec(query.order_by(col(RunRow.started_at), col(RunRow.id)))).all()
        bodies = await contents.read(session, {row.cases_hash for row in rows})
    # most runs have the same cases; they are read and held once
    cases = {key: run_json.cases_from_json(body) for key, body in bodies.items()}
    stored = (stored_run(row, cases[row.cases_hash]) for row in rows)
    return tuple(LinkedRun(one.run, one.kind) for one in stored)


def _of(owner: str | None) -> list[ColumnElement[bool]]:
    return [] if owner is None else [col(ExperimentRow.owner) == owner]


async def _existing(session: AsyncSession, experiment_id: str) -> ExperimentRow:
    row = await session.get(ExperimentRow, experiment_id)
    if row is None:
        newest = select(ExperimentRow.id).order_by(*_NEWEST.clauses).limit(_IDS_IN_ERRORS)
        raise NotStored("experiment", experiment_id, tuple(await session.exec(newest)))
    return row


async def _check_baseline(session: AsyncSession, experiment: ExperimentRow) -> None:
    if experiment.baseline_run_id is None:
        return
    run = await session.get(RunRow, experiment.baseline_run_id)
    if run is None:
        raise NotStored("run", experiment.baseline_run_id)
    if run.suite_name != experiment.suite_name:
        raise UsageError(
            f"run {run.id!r} is of suite {run.suite_name!r}, the experiment of "
            f"{experiment.suite_name!r}. Pin a run of the same suite."
        )


def _experiment(row: ExperimentRow) -> Experiment:
    return Experiment(
        id=row.id,
        name=row.name,
        suite_name=row.suite_name,
        created_at=row.created_at,
        description=row.description,
        baseline_run_id=row.baseline_run_id,
        owner=row.owner,
    )
