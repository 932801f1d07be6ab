"""Connections of SQLite's driver that end, and let go of the file, when their call is cancelled.

SQLAlchemy closes such a connection in a task of its own and, when it is cancelled meanwhile, once
more by force. aiosqlite then has the task wait for a thread that has ended already, and the loop
for the task: the process would not end.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any, Self
from weakref import WeakSet

import aiosqlite

_MOST_WAITED_S = 2.0


class SqliteConnections:
    """The connections of one engine; ``connect`` is its ``async_creator_fn``."""

    def __init__(self) -> None:
        self._made: WeakSet[_Connection] = WeakSet()

    def connect(self, *args: Any, **kwargs: Any) -> aiosqlite.Connection:
        """Return a connection that opens when awaited; takes what ``sqlite3.connect`` does."""
        connection = _Connection(
            lambda: sqlite3.connect(*args, **kwargs, factory=SqliteConnection), iter_chunk_size=64
        )
        # as SQLAlchemy does: a connection that was left open keeps no process alive
        connection._thread.daemon = True  # noqa: SLF001 - there is no public way
        self._made.add(connection)
        return connection

    async def ended(self) -> None:
        """Return once those that were told to end have: a thread still finishes its call."""
        ending = [one.end for one in self._made if one.end is not None]
        if ending:
            await asyncio.wait(ending, timeout=_MOST_WAITED_S)


class SqliteConnection(sqlite3.Connection):
    """A connection that keeps no lock once it is closed."""

    def close(self) -> None:
        """Close, for good.

        Of a cancelled call a cursor is left; for as long as it lives, SQLite would keep the
        transaction and its lock, though the connection is closed, and nobody could write.
        """
        with suppress(sqlite3.Error):  # closed already
            self.rollback()
        super().close()


class _Connection(aiosqlite.Connection):
    end: asyncio.Future[Any] | None = None
    _is_told = False

    def cursor(self) -> _Cursor:  # type: ignore[override]
        """Return a cursor that SQLAlchemy enters, uses for one statement, and closes."""
        return _Cursor(self)

    def stop(self) -> asyncio.Future[Any] | None:
        """Return what is done once the thread has ended; asked again, the same. None: no loop."""
        if not self._is_told:
            self._is_told = True
            self.end = super().stop()
        # whoever waits and is cancelled must not end the waiting of others
        return None if self.end is None else asyncio.shield(self.end)


class _Cursor:
    """A statement carried out in one visit to the connection's thread; four are the driver's way.

    A visit takes longer than most of our statements. SQLAlchemy fetches every row at once anyway.
    """

    description: Any = None
    rowcount = -1
    lastrowid: int | None = None
    arraysize = 1

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._rows: list[Any] = []

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, statement: str, parameters: Any = ()) -> Self:
        """Carry out a statement and fetch its rows."""
        return await self._visit(sqlite3.Cursor.execute, statement, parameters)

    async def executemany(self, statement: str, parameters: Any) -> Self:
        """Carry out a statement for each set of parameters."""
        return await self._visit(sqlite3.Cursor.executemany, statement, parameters)

    async def fetchall(self) -> list[Any]:
        """Return the rows that were fetched with the statement."""
        return self._rows

    async def close(self) -> None:
        """Do nothing: the statement's own cursor is closed."""

    async def _visit(self, carry_out: Callable[..., Any], statement: str, parameters: Any) -> Self:
        def visit() -> None:
            with closing(self._connection._conn.cursor()) as cursor:  # noqa: SLF001 - ours
                carry_out(cursor, statement, parameters)
                self.description = cursor.description
                self._rows = cursor.fetchall() if cursor.description else []
                self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid

        await self._connection._execute(visit)  # type: ignore[no-untyped-call]  # noqa: SLF001 - ours
        return self
