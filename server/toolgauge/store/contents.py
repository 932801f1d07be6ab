"""Values that many rows share (suites, cases), stored once under their SHA-256."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlmodel import col, delete, exists, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.model.fingerprint import digest
from toolgauge.store.database import Database
from toolgauge.store.tables import ContentRow, RunRow, SuiteRow


async def keep(database: Database, session: AsyncSession, values: Iterable[Any]) -> list[str]:
    """Store values that are not there yet, and return their hashes in order."""
    hashes = [(digest(value), value) for value in values]
    # in one order everywhere, so that two writers never wait for each other
    rows = [{"hash": key, "body": body} for key, body in sorted(hashes, key=lambda pair: pair[0])]
    await session.exec(
        database.insert(ContentRow).on_conflict_do_nothing(),
        params=rows,
    )
    return [key for key, _ in hashes]


async def read(session: AsyncSession, hashes: Iterable[str]) -> Mapping[str, Any]:
    """Return the values of these hashes."""
    wanted = select(ContentRow).where(col(ContentRow.hash).in_(set(hashes)))
    return {row.hash: row.body for row in (await session.exec(wanted)).all()}


async def forget_unused(session: AsyncSession, hashes: Iterable[str | None]) -> None:
    """Delete those of these contents that no row refers to any more."""
    key = col(ContentRow.hash)
    in_run = exists().where(or_(col(RunRow.suite_hash) == key, col(RunRow.cases_hash) == key))
    in_suite = exists().where(col(SuiteRow.content_hash) == key)
    await session.exec(
        delete(ContentRow)
        .where(key.in_({one for one in hashes if one is not None}))
        .where(~in_run, ~in_suite)
    )
