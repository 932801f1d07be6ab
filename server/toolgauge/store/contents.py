"""Values that many rows share (suites, cases), stored once under their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

from sqlmodel import col, delete, exists, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.model.fingerprint import canonical_json
from toolgauge.store.database import Database
from toolgauge.store.tables import ContentRow, JsonText, RunRow, SuiteRow, json_text


@dataclass(frozen=True, slots=True)
class Content:
    """A value as its text, and a SHA-256 that does not depend on the order of its keys."""

    hash: str
    text: JsonText


def content_of(
    items: Iterable[Any], *, head: Mapping[str, Any] | None = None, key: str = ""
) -> Content:
    """Return a list as content, or an object with the list as its last ``key``.

    One item is in memory at a time: a text is a fifth of the objects that it stands for.
    """
    hashed = hashlib.sha256(_canonical_line(head))
    text = StringIO()
    if head is not None:
        text.write(json_text({**head, key: []}).removesuffix("[]}"))
    text.write("[")
    for number, item in enumerate(items):
        hashed.update(_canonical_line(item))
        text.write("," if number else "")
        text.write(json_text(item))
    text.write("]" if head is None else "]}")
    return Content(hashed.hexdigest(), JsonText(text.getvalue()))


async def keep(database: Database, session: AsyncSession, contents: Iterable[Content]) -> None:
    """Store contents that are not there yet."""
    # in one order everywhere, so that two writers never wait for each other
    ordered = sorted(contents, key=lambda content: content.hash)
    await session.exec(
        database.insert(ContentRow).on_conflict_do_nothing(),
        params=[{"hash": content.hash, "body": content.text} for content in ordered],
    )


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


def _canonical_line(value: Any) -> bytes:
    return f"{canonical_json(value)}\n".encode("utf-8", "surrogatepass")
