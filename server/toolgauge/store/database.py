"""The database: opened once per process, read and written in short transactions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import anyio
from sqlalchemy import URL, Connection, event, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.errors import CannotStore, MissingSetting
from toolgauge.store.faults import translated
from toolgauge.store.location import engine_url, make_folder, shown
from toolgauge.store.migrations import HEAD, VERSION_TABLE
from toolgauge.store.sqlite_connections import SqliteConnections
from toolgauge.store.tables import Row

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

_WRITES = "toolgauge_writes"
_PRAGMAS = ("journal_mode=wal", "synchronous=normal", "foreign_keys=on")


class Database:
    """Sessions on one database; ``open_database`` makes it."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use ``engine``, whose schema is ours and up to date."""
        self.place = shown(engine.url)
        self._engine = engine
        self._writer = engine.execution_options(**{_WRITES: True})
        self.is_sqlite = engine.dialect.name == "sqlite"
        # within a process writers queue here, which is fairer and quicker than the file's lock
        self._turn = anyio.Lock() if self.is_sqlite else nullcontext()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """Give a session that sees one state of the database; nothing it does is kept.

        Raises:
            CannotStore: the database cannot be read.
        """
        async with self._session(self._engine) as session:
            yield session

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncSession]:
        """Give a session whose work is committed when the block ends without an error.

        On SQLite it holds the file's write lock from its beginning, so that what it reads
        is what it changes.

        Raises:
            CannotStore: the database cannot be written; nothing of the block is kept.
        """
        async with self._turn, self._session(self._writer) as session:
            yield session
            # a commit that has begun is not given up: who is cancelled leaves after it
            with anyio.CancelScope(shield=True):
                await session.commit()

    def insert(self, table: type[Row]) -> sqlite.Insert | postgresql.Insert:
        """Return an ``INSERT`` that knows ``on_conflict_do_nothing`` and ``returning``."""
        if self.is_sqlite:
            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - 25 ms, and rarely needed

        return postgresql.insert(table)

    @asynccontextmanager
    async def _session(self, engine: AsyncEngine) -> AsyncIterator[AsyncSession]:
        session = AsyncSession(engine, expire_on_commit=False)
        try:
            yield session
        except DBAPIError as error:
            meaning = translated(error, self.place)
            if meaning is None:
                raise
            raise meaning from error
        finally:
            with anyio.CancelScope(shield=True):
                await session.close()


@asynccontextmanager
async def open_database(url: str, *, busy_timeout_s: float = 30.0) -> AsyncIterator[Database]:
    """Give the database of a ``sqlite:///`` or ``postgresql://`` URL, its schema up to date.

    A missing SQLite file is made. Several processes may do so at once. ``busy_timeout_s``
    is how long to wait for another process's write on SQLite.

    Raises:
        UsageError: the URL is none of these.
        MissingSetting: the driver for PostgreSQL is not installed.
        CannotStore: the database cannot be opened, or was written by a newer toolgauge.
    """
    location = engine_url(url)
    make_folder(location)
    connections = SqliteConnections()
    engine = _engine(location, busy_timeout_s, connections)
    try:
        database = Database(engine)
        if await _version(database) != HEAD:
            await _migrate(database)
        yield database
    finally:
        with anyio.CancelScope(shield=True):
            await engine.dispose()
            await connections.ended()


def _engine(url: URL, busy_timeout_s: float, connections: SqliteConnections) -> AsyncEngine:
    if not url.drivername.startswith("sqlite"):
        try:
            return create_async_engine(url, pool_pre_ping=True)
        except ModuleNotFoundError as error:
            raise MissingSetting(
                "PostgreSQL needs a driver that is not installed: pip install toolgauge[postgres]"
            ) from error
    # without an isolation level the driver leaves BEGIN to us
    settings = {
        "timeout": busy_timeout_s,
        "isolation_level": None,
        "async_creator_fn": connections.connect,
    }
    engine = create_async_engine(url, connect_args=settings)
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    # a writer that began as a reader could be refused in the middle, whatever the timeout
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


async def _version(database: Database) -> str | None:
    """Return the schema's version; None where there is none yet."""
    try:
        async with database.reading() as session:
            connection = await session.connection()
            statement = text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608 - a constant
            found = (await connection.execute(statement)).scalar_one_or_none()
    except DBAPIError:
        return None  # there is no such table
    if found is not None and found > HEAD:
        raise CannotStore(
            "too_new",
            f"{database.place}: its schema is {found}, and this toolgauge knows {HEAD} at most. "
            "Upgrade toolgauge, or choose another database",
        )
    return None if found is None else str(found)


async def _migrate(database: Database) -> None:
    # alembic takes longer to import than the store takes to open, and is rarely needed
    from toolgauge.store.migrate import upgrade  # noqa: PLC0415

    async with database.writing() as session:
        connection = await session.connection()
        await connection.run_sync(upgrade)
