"""Replies that were paid for once, and why a request does not find one of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from typing import Any

from sqlmodel import col, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.gateway.caching import Question
from toolgauge.model.fingerprint import digest
from toolgauge.store.database import Database
from toolgauge.store.tables import CachePartRow, CacheRow

_CANDIDATES = 100


class StoredReplies:
    """The ``ReplyStore`` of the caching gateway, in the database."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        """Stamp what is kept with ``now()``."""
        self._database = database
        self._now = now

    async def find(self, question: Question) -> Any:
        """Return the answer to just this question; None where there is none."""
        async with self._database.reading() as session:
            row = await session.get(CacheRow, question.key)
        return None if row is None else row.reply

    async def keep(self, question: Question, answer: Any) -> None:
        """Store an answer with the parts of its question; one that is there stays."""
        parts = {
            digest(part): part for part in (question.parameters, question.messages, question.tools)
        }
        entry = {
            "key": question.key,
            "case_id": question.case_id,
            "model": question.model,
            "repeat": question.repeat,
            "tool_choice": question.tool_choice,
            "parameters_hash": digest(question.parameters),
            "messages_hash": digest(question.messages),
            "tools_hash": digest(question.tools),
            "stored_at": self._now(),
            "reply": answer,
        }
        # in one order everywhere, so that two writers never wait for each other
        rows = [{"hash": key, "body": parts[key]} for key in sorted(parts)]
        async with self._database.writing() as session:
            insert = self._database.insert
            await session.exec(insert(CachePartRow).on_conflict_do_nothing(), params=rows)
            await session.exec(insert(CacheRow).on_conflict_do_nothing(), params=[entry])


@dataclass(frozen=True, slots=True)
class Difference:
    """One part of a request that is not as stored; ``diff`` goes from stored to asked."""

    part: str
    diff: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the cache knows of a request.

    ``stored_at`` is when the nearest request was stored, None where none is near: nothing
    of this case, and nothing with these messages. It is this request itself where
    ``differences`` is empty.
    """

    key: str
    nearest_key: str | None = None
    stored_at: datetime | None = None
    differences: tuple[Difference, ...] = ()

    @property
    def is_stored(self) -> bool:
        """Whether the cache answers this request."""
        return self.nearest_key == self.key


async def explain(database: Database, question: Question) -> Explanation:
    """Return which parts of a request differ from the nearest one that is stored.

    Nearest is the one with the most equal parts, of those the newest, among the newest
    hundred that are of the same case or have the same messages.
    """
    async with database.reading() as session:
        exact = await session.get(CacheRow, question.key)
        nearest = exact or await _nearest(session, question)
        if nearest is None:
            return Explanation(question.key)
        stored = await _parts_of(session, nearest)
    asked = question.parts
    return Explanation(
        key=question.key,
        nearest_key=nearest.key,
        stored_at=nearest.stored_at,
        differences=tuple(
            Difference(part, _diff(stored[part], asked[part]))
            for part in asked
            if digest(stored[part]) != digest(asked[part])
        ),
    )


async def _nearest(session: AsyncSession, question: Question) -> CacheRow | None:
    hashes = {
        "model": question.model,
        "parameters_hash": digest(question.parameters),
        "messages_hash": digest(question.messages),
        "tools_hash": digest(question.tools),
        "tool_choice": question.tool_choice,
        "repeat": question.repeat,
    }
    same_case = col(CacheRow.case_id) == question.case_id
    same_messages = col(CacheRow.messages_hash) == hashes["messages_hash"]
    query = select(CacheRow).where(or_(same_case, same_messages))
    newest = query.order_by(col(CacheRow.stored_at).desc()).limit(_CANDIDATES)
    return max(
        await session.exec(newest),
        key=lambda row: sum(getattr(row, name) == value for name, value in hashes.items()),
        default=None,
    )


async def _parts_of(session: AsyncSession, row: CacheRow) -> dict[str, Any]:
    wanted = {row.parameters_hash, row.messages_hash, row.tools_hash}
    found = await session.exec(select(CachePartRow).where(col(CachePartRow.hash).in_(wanted)))
    bodies = {part.hash: part.body for part in found}
    return {
        "model": row.model,
        "parameters": bodies[row.parameters_hash],
        "messages": bodies[row.messages_hash],
        "tools": bodies[row.tools_hash],
        "tool_choice": row.tool_choice,
        "repeat": row.repeat,
    }


def _diff(stored: Any, asked: Any) -> tuple[str, ...]:
    before, after = (
        json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines()
        for value in (stored, asked)
    )
    return tuple(unified_diff(before, after, "stored", "asked", lineterm="", n=2))
