"""Trials: written once, read in pages or as a stream, ordered by target, case and repeat."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from sqlalchemy import ColumnElement, bindparam, inspect
from sqlmodel import col, exists, func, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import Select

from toolgauge.errors import NotStored, Superseded
from toolgauge.model import trial_json
from toolgauge.model.trial import FailureKind, Trial, TrialKey
from toolgauge.store.database import Database
from toolgauge.store.pages import Order, Page, read_page
from toolgauge.store.tables import RunRow, TrialRow

Batch = Literal["first", "second", "confirm"]
Outcome = Literal["passed", "failed", "errored"]
_ORDER = ("target", "case_id", "repeat")
_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class TrialFilter:
    """Which trials of a run are meant; None means any. Every field has its index."""

    target: str | None = None
    case_id: str | None = None
    repeat: int | None = None
    outcome: Outcome | None = None
    failure_kind: FailureKind | None = None


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """A trial and the batch it was bought in (``gate.md``)."""

    trial: Trial
    batch: Batch


def outcome(trial: Trial) -> Outcome:
    """Return how a trial ended, as the store files it."""
    if trial.passed is None:
        return "errored"
    return "passed" if trial.passed else "failed"


async def get(database: Database, run_id: str, key: TrialKey) -> StoredTrial:
    """Return one trial.

    Raises:
        NotStored: it is not there.
    """
    async with database.reading() as session:
        row = await session.get(TrialRow, (run_id, key.target, key.case_id, key.repeat))
    if row is None:
        wanted = f"{key.case_id}, repeat {key.repeat} of {key.target}, in run {run_id}"
        raise NotStored("trial", wanted)
    return _stored(row)


async def page(
    database: Database,
    run_id: str,
    wanted: TrialFilter = TrialFilter(),
    *,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[StoredTrial]:
    """Return some trials of a run, in order; a run that is not there has none."""
    async with database.reading() as session:
        return await _page(session, run_id, wanted, cursor=cursor, limit=limit)


async def count(
    database: Database,
    run_id: str,
    wanted: TrialFilter = TrialFilter(),
) -> int:
    """Return how many trials of a run are meant, by counting index entries."""
    async with database.reading() as session:
        return await _count(session, run_id, wanted)


async def counted_page(
    database: Database,
    run_id: str,
    wanted: TrialFilter,
    *,
    owner: str,
    cursor: str | None = None,
    limit: int = 20,
) -> tuple[Page[StoredTrial], int]:
    """Return a page of the trials of an owner's run, and how many are meant in all.

    Both are of one state of the database. A run of somebody else has none.
    """
    stated, order = _stated(wanted), _order(wanted)
    query = _counted(tuple(stated), order)
    if cursor is not None:
        query = query.where(order.after(cursor))
    async with database.reading() as session:
        values = {"run_id": run_id, "owner": owner, "most": limit + 1, **stated}
        rows: Sequence[Any] = (await session.exec(query, params=values)).all()
    after = order.cursor(rows[limit - 1]) if len(rows) > limit else None
    total: int = rows[0].total if rows else 0
    return Page(tuple(_stored(row) for row in rows[:limit]), after), total


async def stream(
    database: Database, run_id: str, *, batches: Collection[Batch] = ("first", "second", "confirm")
) -> AsyncIterator[StoredTrial]:
    """Yield every trial of a run, in order, some hundred in memory at a time.

    Confirmations never enter a mean: leave them out of ``batches`` to rebuild a summary.
    """
    cursor = None
    while True:
        some = await page(database, run_id, cursor=cursor, limit=_AT_A_TIME)
        for stored in some.items:
            if stored.batch in batches:
                yield stored
        cursor = some.next_cursor
        if cursor is None:
            return


async def finished_keys(database: Database, run_id: str) -> frozenset[TrialKey]:
    """Return the keys of all trials of a run; errored ones are finished too."""
    columns = select(TrialRow.case_id, TrialRow.target, TrialRow.repeat)
    async with database.reading() as session:
        rows = await session.exec(columns.where(col(TrialRow.run_id) == run_id))
        return frozenset(TrialKey(*row) for row in rows)


async def insert(
    database: Database,
    session: AsyncSession,
    run_id: str,
    trials: Sequence[Trial],
    *,
    batch: Batch,
) -> list[Trial]:
    """Store trials that are not there yet, and return those that were new.

    Raises:
        Superseded: a trial is there already, and it is not this one.
    """
    rows = {trial.key: _row(run_id, trial, batch) for trial in trials}
    statement = (
        database.insert(TrialRow)
        .on_conflict_do_nothing()
        # counted rather than rowcount, which is no number of rows on every driver
        .returning(col(TrialRow.case_id), col(TrialRow.target), col(TrialRow.repeat))
        # else rows with a null are sent apart from the others, in statements of their own
        .execution_options(render_nulls=True)
    )
    inserted = await session.exec(statement, params=list(rows.values()))
    new = {TrialKey(*key) for key in inserted}
    taken = [row for key, row in rows.items() if key not in new]
    if taken and not await _are_stored(session, run_id, taken):
        raise Superseded(f"run {run_id!r}")
    return [trial for trial in trials if trial.key in new]


async def _are_stored(session: AsyncSession, run_id: str, rows: list[dict[str, Any]]) -> bool:
    """Return whether just these trials are stored: a commit whose answer was lost, say."""
    for row in rows:
        key = (run_id, row["target"], row["case_id"], row["repeat"])
        stored = await session.get(TrialRow, key)
        # as text, because NaN does not equal itself
        if stored is None or json.dumps(stored.document) != json.dumps(row["document"]):
            return False
    return True


async def _page(
    session: AsyncSession, run_id: str, wanted: TrialFilter, *, cursor: str | None, limit: int
) -> Page[StoredTrial]:
    query = select(TrialRow).where(*_conditions(run_id, wanted))
    rows, after = await read_page(session, query, _order(wanted), cursor=cursor, limit=limit)
    return Page(tuple(_stored(row) for row in rows), after)


async def _count(session: AsyncSession, run_id: str, wanted: TrialFilter) -> int:
    query = select(func.count()).select_from(TrialRow).where(*_conditions(run_id, wanted))
    return (await session.exec(query)).one()


# made once for each set of names: putting it together takes longer than carrying it out
@cache
def _counted(names: tuple[str, ...], order: Order) -> Select[*tuple[Any, ...]]:
    """Return the query for trials with their number, filtered by the columns of these names.

    It asks for columns, because rows that become objects take longer.
    """
    trial, run = inspect(TrialRow).columns, inspect(RunRow).columns
    meant = [trial[name] == bindparam(name) for name in ("run_id", *names)]
    total = select(func.count()).where(*meant).correlate(None)
    of_owner = [run["id"] == bindparam("run_id"), run["owner"] == bindparam("owner")]
    is_owned = exists().where(*of_owner)
    columns = [trial[name] for name in (*_ORDER, "batch", "document")]
    counted: Select[*tuple[Any, ...]] = Select(*columns, total.scalar_subquery().label("total"))
    return counted.where(*meant, is_owned).order_by(*order.clauses).limit(bindparam("most"))


def _conditions(run_id: str, wanted: TrialFilter) -> list[ColumnElement[bool]]:
    stated = _stated(wanted).items()
    conditions = [col(TrialRow.run_id) == run_id]
    return conditions + [col(getattr(TrialRow, name)) == value for name, value in stated]


def _stated(wanted: TrialFilter) -> dict[str, Any]:
    values = {name: getattr(wanted, name) for name in TrialFilter.__dataclass_fields__}
    return {name: value for name, value in values.items() if value is not None}


def _order(wanted: TrialFilter) -> Order:
    # a column that the filter fixes orders nothing, and SQLite would sort because of it
    open_columns = tuple(name for name in _ORDER if getattr(wanted, name) is None)
    return Order(TrialRow, open_columns or _ORDER[-1:])


def _row(run_id: str, trial: Trial, batch: Batch) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "target": trial.key.target,
        "case_id": trial.key.case_id,
        "repeat": trial.key.repeat,
        "batch": batch,
        "outcome": outcome(trial),
        "failure_kind": trial.scored.failure_kind if trial.scored else None,
        "document": trial_json.to_json(trial, with_messages=True),
    }


def _stored(row: Any) -> StoredTrial:
    return StoredTrial(trial_json.from_json(row.document), cast("Batch", row.batch))
