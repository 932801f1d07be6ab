"""Saved suites: every version is kept, the latest is what a name means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlmodel import col, delete, func, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from toolgauge.errors import CannotDelete, NotStored
from toolgauge.model.suite import SuiteDocument
from toolgauge.store import contents
from toolgauge.store.contents import Content, content_of
from toolgauge.store.database import Database
from toolgauge.store.pages import Order, Page, read_page
from toolgauge.store.tables import RunRow, SuiteRow

_NEWEST = Order(SuiteRow, ("saved_at", "id"), newest_first=True)
_LATEST_VERSION = Order(SuiteRow, ("version",), newest_first=True)
_NAMES_IN_ERRORS = 10
_RUNS_IN_ERRORS = 3
Selected = TypeVar("Selected")


@dataclass(frozen=True, slots=True)
class SavedSuite:
    """One saved version, without its document; versions count from 1."""

    name: str
    version: int
    owner: str
    content_hash: str
    n_cases: int
    saved_at: datetime


def suite_json(document: SuiteDocument) -> dict[str, Any]:
    """Return a suite as it was written, as JSON; reading it back gives an equal one."""
    return _written(document)


def suite_content(document: SuiteDocument) -> Content:
    """Return a suite as what is stored of it; the order of its cases counts, that of keys not."""
    return content_of(
        (_written(case) for case in document.test_cases),
        head=_written(document, without={"test_cases"}),
        key="test_cases",
    )


async def save(
    database: Database, document: SuiteDocument, *, now: datetime, owner: str = "local"
) -> SavedSuite:
    """Return the saved version; saving what the latest version holds already adds none."""
    content = suite_content(document)
    async with database.writing() as session:
        latest = await _row(session, owner, document.name, None)
        if latest is not None and latest.content_hash == content.hash:
            return _saved(latest)
        await contents.keep(database, session, [content])
        if latest is not None:
            latest.is_latest = False
        row = SuiteRow(
            owner=owner,
            name=document.name,
            version=latest.version + 1 if latest else 1,
            is_latest=True,
            n_cases=len(document.test_cases),
            content_hash=content.hash,
            saved_at=now,
        )
        session.add(row)
        await session.flush()
        return _saved(row)


async def get(
    database: Database, name: str, *, version: int | None = None, owner: str = "local"
) -> tuple[SavedSuite, SuiteDocument]:
    """Return a version of a suite with its document; the latest where none is named.

    Raises:
        NotStored: there is no such suite or version.
    """
    async with database.reading() as session:
        row = await _row(session, owner, name, version)
        if row is None:
            wanted = name if version is None else f"{name} version {version}"
            raise NotStored("suite", wanted, await _names(session, owner))
        bodies = await contents.read(session, [row.content_hash])
    return _saved(row), SuiteDocument.model_validate(bodies[row.content_hash])


async def page(
    database: Database, *, owner: str | None = None, cursor: str | None = None, limit: int = 20
) -> Page[SavedSuite]:
    """Return the latest version of each suite, the last saved first; of all owners for None."""
    query = _latest_of(owner, select(SuiteRow))
    async with database.reading() as session:
        rows, after = await read_page(session, query, _NEWEST, cursor=cursor, limit=limit)
    return Page(tuple(_saved(row) for row in rows), after)


async def count(database: Database, *, owner: str | None = None) -> int:
    """Return how many suites all pages of ``page`` have together."""
    async with database.reading() as session:
        counted = _latest_of(owner, select(func.count()).select_from(SuiteRow))
        return (await session.exec(counted)).one()


async def history(
    database: Database,
    name: str,
    *,
    owner: str = "local",
    cursor: str | None = None,
    limit: int = 20,
) -> Page[SavedSuite]:
    """Return the versions of one suite, the latest first.

    Raises:
        NotStored: there is no such suite.
    """
    async with database.reading() as session:
        rows, after = await read_page(
            session, _versions(owner, name), _LATEST_VERSION, cursor=cursor, limit=limit
        )
        if not rows and cursor is None:
            raise NotStored("suite", name, await _names(session, owner))
    return Page(tuple(_saved(row) for row in rows), after)


async def remove(
    database: Database, name: str, *, owner: str = "local", force: bool = False
) -> None:
    """Delete every version of a suite. Runs stay, with the suite as they asked it.

    Raises:
        NotStored: there is no such suite.
        CannotDelete: runs were made with it, and ``force`` is not given.
    """
    async with database.writing() as session:
        hashes = {row.content_hash for row in await session.exec(_versions(owner, name))}
        if not hashes:
            raise NotStored("suite", name, await _names(session, owner))
        if not force:
            await _refuse_with_runs(session, name, hashes)
        await session.exec(
            delete(SuiteRow).where(col(SuiteRow.owner) == owner, col(SuiteRow.name) == name)
        )
        await contents.forget_unused(session, hashes)


def _written(part: BaseModel, without: set[str] | None = None) -> dict[str, Any]:
    return part.model_dump(mode="json", exclude_unset=True, by_alias=True, exclude=without)


async def _refuse_with_runs(session: AsyncSession, name: str, hashes: set[str]) -> None:
    made_with = select(RunRow.id).where(col(RunRow.suite_hash).in_(hashes))
    runs = list(await session.exec(made_with.limit(_RUNS_IN_ERRORS + 1)))
    if runs:
        shown = tuple(f"run {run}" for run in runs[:_RUNS_IN_ERRORS])
        more = ("others",) if len(runs) > _RUNS_IN_ERRORS else ()
        raise CannotDelete(
            f"suite {name!r}", shown + more, "Delete it with force to keep the runs without it."
        )


def _latest_of(owner: str | None, query: SelectOfScalar[Selected]) -> SelectOfScalar[Selected]:
    query = query.where(col(SuiteRow.is_latest))
    return query if owner is None else query.where(col(SuiteRow.owner) == owner)


def _versions(owner: str, name: str) -> SelectOfScalar[SuiteRow]:
    return select(SuiteRow).where(col(SuiteRow.owner) == owner, col(SuiteRow.name) == name)


async def _row(
    session: AsyncSession, owner: str, name: str, version: int | None
) -> SuiteRow | None:
    wanted = col(SuiteRow.is_latest) if version is None else col(SuiteRow.version) == version
    return (await session.exec(_versions(owner, name).where(wanted))).one_or_none()


async def _names(session: AsyncSession, owner: str) -> tuple[str, ...]:
    latest = select(SuiteRow.name).where(col(SuiteRow.is_latest), col(SuiteRow.owner) == owner)
    return tuple(await session.exec(latest.order_by(*_NEWEST.clauses).limit(_NAMES_IN_ERRORS)))


def _saved(row: SuiteRow) -> SavedSuite:
    return SavedSuite(
        name=row.name,
        version=row.version,
        owner=row.owner,
        content_hash=row.content_hash,
        n_cases=row.n_cases,
        saved_at=row.saved_at,
    )
