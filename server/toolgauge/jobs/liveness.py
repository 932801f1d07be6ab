"""Who is alive: each process holds a lock that goes away with it, however it dies.

A process that is merely stopped or slow keeps its lock, so nobody takes its jobs.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import anyio
import psycopg
from sqlalchemy import URL

_ANSWER_S = 5.0
_KEY = "hashtextextended(%(name)s, 42)"
_TAKE = f"SELECT pg_try_advisory_lock({_KEY})"
# A restart of the server drops every lock: whoever lives has this long to take it again.
_GRACE_S = 10.0
_TAKE_OF_OTHER = f"""
SELECT CASE WHEN clock_timestamp() - pg_postmaster_start_time() > make_interval(secs => %(grace)s)
THEN pg_try_advisory_lock({_KEY}) ELSE FALSE END
"""
_DROP = f"SELECT pg_advisory_unlock({_KEY})"
_log = logging.getLogger(__name__)


class Liveness(Protocol):
    """This process among others. Implementations: ``FileLiveness``, ``PostgresLiveness``."""

    def held(self) -> AbstractAsyncContextManager[None]:
        """Be alive for as long as the block lasts."""
        ...

    async def renew(self) -> None:
        """Take the lock again where it was lost; to be called every second or so."""
        ...

    def buried(self, executor_id: str) -> AbstractAsyncContextManager[bool]:
        """Give whether an executor is dead; if so, nobody else hears it while the block lasts."""
        ...


def liveness_at(store: URL, executor_id: str) -> Liveness:
    """Return the liveness of an executor of the store at this URL: files beside SQLite's."""
    if store.drivername.startswith("sqlite"):
        folder = Path(str(store.database)).absolute().with_suffix(".executors")
        return FileLiveness(folder, executor_id)
    address = store.set(drivername="postgresql").render_as_string(hide_password=False)
    return PostgresLiveness(address, executor_id)


class FileLiveness:
    """Locks on files, for processes on one machine: the kernel drops them at death."""

    def __init__(self, folder: Path, executor_id: str) -> None:
        """Hold ``executor_id``'s file in ``folder``, which must be on a local disk."""
        self._folder = folder
        self._executor_id = executor_id

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Be alive for as long as the block lasts.

        Raises:
            ValueError: another process lives under this id.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        async with self._locked(self._executor_id) as is_ours:
            if not is_ours:
                raise ValueError(f"executor {self._executor_id!r} is alive already")
            yield

    async def renew(self) -> None:
        """Do nothing: such a lock is not lost."""

    @asynccontextmanager
    async def buried(self, executor_id: str) -> AsyncIterator[bool]:
        """Give whether an executor is dead; if so, nobody else hears it while the block lasts."""
        async with self._locked(executor_id) as is_dead:
            yield is_dead

    @asynccontextmanager
    async def _locked(self, executor_id: str) -> AsyncIterator[bool]:
        path = self._folder / executor_id
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            is_ours = _try_lock(file)
            yield is_ours
            if is_ours:
                path.unlink(missing_ok=True)
        finally:
            os.close(file)


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class PostgresLiveness:
    """Advisory locks of a session: the server drops them when the connection is gone."""

    def __init__(self, address: str, executor_id: str, *, grace_s: float = _GRACE_S) -> None:
        """Hold ``executor_id``'s lock at a ``postgresql://`` address.

        For ``grace_s`` after the server's start nobody counts as dead.
        """
        self._address = address
        self._grace_s = grace_s
        self._executor_id = executor_id
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._turn = anyio.Lock()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Be alive for as long as the block lasts.

        Raises:
            psycopg.Error: the server cannot be reached.
        """
        await self._ask(_TAKE, self._executor_id)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self._disconnect()

    async def renew(self) -> None:
        """Take the lock again where the connection was lost."""
        try:
            await self._ask("SELECT TRUE", self._executor_id)
        except (psycopg.Error, TimeoutError) as error:
            _log.warning("the lock of this process cannot be renewed yet: %s", error)

    @asynccontextmanager
    async def buried(self, executor_id: str) -> AsyncIterator[bool]:
        """Give whether an executor is dead; if so, nobody else hears it while the block lasts.

        Raises:
            psycopg.Error: the server cannot be reached.
            TimeoutError: it does not answer.
        """
        is_dead = await self._ask(_TAKE_OF_OTHER, executor_id)
        try:
            yield is_dead
        finally:
            if is_dead:
                with anyio.CancelScope(shield=True):
                    await self._ask(_DROP, executor_id)

    async def _ask(self, question: str, executor_id: str) -> bool:
        """Return the answer, over the connection that holds our own lock."""
        async with self._turn:
            try:
                with anyio.fail_after(_ANSWER_S):
                    connection = self._connection or await self._connect()
                    given = {"name": executor_id, "grace": self._grace_s}
                    cursor = await connection.execute(question, given)
                    row = await cursor.fetchone()
            except (psycopg.Error, TimeoutError):
                await self._disconnect()
                raise
        return row is not None and bool(row[0])

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        connection = await psycopg.AsyncConnection.connect(self._address, autocommit=True)
        self._connection = connection
        taken = await connection.execute(_TAKE, {"name": self._executor_id})
        if await taken.fetchone() != (True,):
            raise psycopg.OperationalError("another process looks after this one's jobs")
        return connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
