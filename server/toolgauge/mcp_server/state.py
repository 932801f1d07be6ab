"""What one server holds while it runs; opened when a tool first needs it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.mcpserver import Context

from toolgauge.errors import ToolgaugeError
from toolgauge.mcp_server.seen_runs import SeenRuns
from toolgauge.settings import Settings

if TYPE_CHECKING:
    from toolgauge.mcp_server.announcements import Announcer
    from toolgauge.service.executors import RunExecutor
    from toolgauge.service.permissions import Permissions
    from toolgauge.store.database import Database

OWNER_KEY = "toolgauge.owner"
"""Where the web app leaves the name of the caller, in the scope of a request."""
LOCAL = "local"
Ctx = Context[Any, Any]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """The open database and who carries out runs."""

    database: Database
    executor: RunExecutor


class State:
    """Settings, what callers may do, and, once somebody asked for it, the open database."""

    def __init__(
        self,
        settings: Settings,
        permissions: Permissions,
        announcer: Announcer,
        *,
        database_url: str | None = None,
        is_durable: bool = True,
    ) -> None:
        """Open nothing yet.

        ``is_durable``: runs outlive this process; else they are stopped when it ends.
        """
        self.settings = settings
        self.permissions = permissions
        self.announcer = announcer
        self.launching = anyio.Lock()
        self.seen_runs = SeenRuns()
        self._database_url = database_url
        self._is_durable = is_durable
        self._wanted = anyio.Event()
        self._told = anyio.Event()
        self._opened: Opened | None = None
        self._why_not: Exception | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[State]:
        """Keep the state open for as long as the block lasts."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep)
            try:
                yield self
            finally:
                tasks.cancel_scope.cancel()

    async def opened(self) -> Opened:
        """Return the open database and the executor.

        Raises:
            CannotStore: the database cannot be opened; the next call tries again.
        """
        while self._opened is None:
            told = self._told
            self._wanted.set()
            await told.wait()
            if self._why_not is not None:
                raise self._why_not
        return self._opened

    async def database(self) -> Database:
        """Return the open database."""
        return (await self.opened()).database

    async def _keep(self) -> None:
        """Open everything in one task, which closes it too when it is cancelled."""
        while True:
            await self._wanted.wait()
            try:
                await self._open()
            except ToolgaugeError as error:
                _log.warning("cannot open the database: %s", error)
                self._tell(None, error)
            except Exception as error:  # noqa: BLE001 - the job border: the server goes on answering
                _log.exception("what runs jobs stopped; it is started again when needed")
                self._tell(None, error)

    async def _open(self) -> None:
        from toolgauge.service import wiring

        async with (
            wiring.open_store(self.settings, self._database_url) as database,
            self._executor(database) as executor,
        ):
            self._tell(Opened(database, executor), None)
            await anyio.sleep_forever()

    def _executor(self, database: Database) -> AbstractAsyncContextManager[RunExecutor]:
        emit = self.announcer.on_event
        if self._is_durable:
            from toolgauge.service.durable_runs import durable

            return durable(database, self.settings, emit, url=self._database_url)
        from toolgauge.service.executors import in_process

        return in_process(database, self.settings, emit)

    def _tell(self, opened: Opened | None, why_not: Exception | None) -> None:
        self._opened, self._why_not = opened, why_not
        told, self._told, self._wanted = self._told, anyio.Event(), anyio.Event()
        told.set()


def state_of(ctx: Ctx) -> State:
    """Return the state of the server that a call reached."""
    state: State = ctx.request_context.lifespan_context
    return state


def owner_of(ctx: Ctx) -> str:
    """Return the name of the caller: a token's over HTTP, ``local`` elsewhere."""
    return owner_of_request(ctx.request_context.request)


def owner_of_request(request: Any) -> str:
    """Return the name of the caller of an HTTP request; ``local`` where there is none."""
    scope = getattr(request, "scope", None) or {}
    return str(scope.get(OWNER_KEY, LOCAL))
