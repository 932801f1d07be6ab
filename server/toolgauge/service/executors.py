"""Carrying out stored runs in the background of a server."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, Protocol

import anyio
from anyio.abc import TaskGroup

from toolgauge.engine.plan import Emit
from toolgauge.errors import ToolgaugeError
from toolgauge.model import events
from toolgauge.service.evaluations import run_to_ask
from toolgauge.service.runs import Asking, ask_runs
from toolgauge.settings import Settings
from toolgauge.store import runs
from toolgauge.store.database import Database

RUNS_PER_OWNER = 2
_log = logging.getLogger(__name__)


class RunExecutor(Protocol):
    """Whoever carries out runs."""

    async def submit(self, run_id: str, *, owner: str, asking: Asking) -> str:
        """Return the id of the job that carries out a stored run, from now on or later."""
        ...

    async def cancel(self, run_id: str) -> bool:
        """Stop a run within seconds; return whether it was going on here at all."""
        ...


@asynccontextmanager
async def in_process(
    database: Database, settings: Settings, emit: Emit
) -> AsyncIterator[RunExecutor]:
    """Give an executor that works in this process and stops its runs when the block ends.

    Each owner has ``RUNS_PER_OWNER`` runs at a time; more wait their turn. What a stopped
    run has finished is kept.
    """
    async with anyio.create_task_group() as tasks:
        yield InProcessRuns(database, settings, emit, tasks)
        tasks.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class _Submitted:
    run_id: str
    owner: str
    asking: Asking
    scope: anyio.CancelScope
    over: anyio.Event


class InProcessRuns:
    """Runs as tasks of this process; ``in_process`` makes it."""

    def __init__(
        self, database: Database, settings: Settings, emit: Emit, tasks: TaskGroup
    ) -> None:
        self._database = database
        self._settings = settings
        self._emit = emit
        self._tasks = tasks
        self._going: dict[str, _Submitted] = {}
        self._turns: dict[str, anyio.CapacityLimiter] = {}

    async def submit(self, run_id: str, *, owner: str, asking: Asking) -> str:
        """Return the id of the job, which is the run's; submitting again changes nothing."""
        if run_id not in self._going:
            work = _Submitted(run_id, owner, asking, anyio.CancelScope(), anyio.Event())
            self._going[run_id] = work
            self._tasks.start_soon(self._carry_out, work)
        return run_id

    async def cancel(self, run_id: str) -> bool:
        """Stop a run and wait until it has stopped."""
        work = self._going.get(run_id)
        if work is None:
            return False
        work.scope.cancel()
        await work.over.wait()
        return True

    async def _carry_out(self, work: _Submitted) -> None:
        turns = self._turns.setdefault(work.owner, anyio.CapacityLimiter(RUNS_PER_OWNER))
        try:
            with work.scope:
                async with turns:
                    await self._ask(work)
        finally:
            with anyio.move_on_after(2.0, shield=True):
                await self._settle(work.run_id)
            self._going.pop(work.run_id, None)
            work.over.set()

    async def _ask(self, work: _Submitted) -> None:
        try:
            await ask_runs(
                self._database,
                [await run_to_ask(self._database, work.run_id)],
                self._settings,
                emit=self._emit,
                asking=work.asking,
            )
        except ToolgaugeError as error:
            _log.warning("run %s stopped: %s", work.run_id, error)
            await self._end(work.run_id, "failed")
        except Exception:  # noqa: BLE001 - the job border: one run must not take the server down
            _log.exception("run %s stopped", work.run_id)
            await self._end(work.run_id, "failed")

    async def _settle(self, run_id: str) -> None:
        """Leave no run behind that says it is running."""
        await self._end(run_id, "cancelled")

    async def _end(self, run_id: str, status: Literal["cancelled", "failed"]) -> None:
        try:
            run = (await runs.get(self._database, run_id)).run
            if run.status == "running":
                ended = replace(run, status=status, finished_at=datetime.now(UTC))
                await runs.finish(self._database, ended)
                cancelled = events.JobCancelled(run_id)
                failed = events.JobFailed(run_id, "it stopped before it was done")
                await self._emit(cancelled if status == "cancelled" else failed)
        except ToolgaugeError as error:
            _log.warning("cannot store the end of run %s: %s", run_id, error)
