"""Pages of lists: by keyset, so that a late page costs what the first one does."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Integer, inspect, literal, tuple_
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from toolgauge.errors import UsageError
from toolgauge.store.tables import Moment, Row

Item = TypeVar("Item")
RowT = TypeVar("RowT", bound=Row)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some items of a list; ``next_cursor`` gives those after them, None at the end."""

    items: tuple[Item, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Order:
    """The order of one list, by columns that are unique together."""

    table: type[Row]
    names: tuple[str, ...]
    newest_first: bool = False

    @property
    def columns(self) -> list[ColumnElement[Any]]:
        """The columns of these names."""
        return [inspect(self.table).columns[name] for name in self.names]

    @property
    def clauses(self) -> list[ColumnElement[Any]]:
        """The columns as ``ORDER BY`` takes them."""
        return [c.desc() if self.newest_first else c.asc() for c in self.columns]

    def after(self, cursor: str) -> ColumnElement[bool]:
        """Return the condition for rows behind the cursor.

        Raises:
            UsageError: it is no cursor of this list.
        """
        values = self._decoded(cursor)
        here = tuple_(*self.columns)
        there = tuple_(*(literal(v, c.type) for v, c in zip(values, self.columns, strict=True)))
        return here < there if self.newest_first else here > there

    def cursor(self, row: Row) -> str:
        """Return the cursor that points behind a row."""
        values = [getattr(row, name) for name in self.names]
        shown = [v.isoformat() if isinstance(v, datetime) else v for v in values]
        return urlsafe_b64encode(json.dumps(shown).encode()).decode()

    def _decoded(self, cursor: str) -> list[Any]:
        try:
            values = json.loads(urlsafe_b64decode(cursor.encode()))
            pairs = zip(values, self.columns, strict=True)
            return [_value(value, column) for value, column in pairs]
        except (ValueError, TypeError):
            raise UsageError(
                f"{cursor!r} is no cursor of this list. Begin without one, and pass on each "
                "next_cursor as it is"
            ) from None


async def read_page(
    session: AsyncSession,
    query: SelectOfScalar[RowT],
    order: Order,
    *,
    cursor: str | None,
    limit: int,
) -> tuple[Sequence[RowT], str | None]:
    """Return up to ``limit`` rows behind the cursor, and the cursor behind the last of them."""
    if cursor is not None:
        query = query.where(order.after(cursor))
    rows = (await session.exec(query.order_by(*order.clauses).limit(limit + 1))).all()
    if len(rows) <= limit:
        return rows, None
    return rows[:limit], order.cursor(rows[limit - 1])


def _value(value: Any, column: ColumnElement[Any]) -> Any:
    if isinstance(column.type, Moment):
        return datetime.fromisoformat(value)
    if type(value) is not (int if isinstance(column.type, Integer) else str):
        raise TypeError
    return value
