"""Writes trials as they finish: each is kept before anybody hears of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from itertools import islice
from types import TracebackType
from typing import Self

import anyio
from sqlmodel import col, update
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.errors import CannotStore, ToolgaugeError
from toolgauge.model.trial import Trial, TrialKey
from toolgauge.store import trials
from toolgauge.store.database import Database
from toolgauge.store.tables import JobRow, RunRow
from toolgauge.store.trials import Batch

_MOST_AT_ONCE = 200
_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 5.0
_PARTING_S = 1.5
_log = logging.getLogger(__name__)


class TrialWriter:
    """The sink of one run: ``keep`` returns once its trial is committed.

    Trials that finish while a commit is under way go together into the next one, so a
    batch is as large as the database is slow. While the database is away, trials stay in
    memory and those who brought them wait, for ``patience_s`` at most.
    """

    def __init__(
        self,
        database: Database,
        run_id: str,
        *,
        batch: Batch = "first",
        job_id: str | None = None,
        patience_s: float = 120.0,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        """Write trials of a stored run; ``job_id`` names the job whose progress they are."""
        self._database = database
        self._run_id = run_id
        self._batch = batch
        self._job_id = job_id
        self._patience_s = patience_s
        self._sleep = sleep
        self._pending: dict[TrialKey, Trial] = {}
        self._turn = anyio.Lock()
        self._broken: Exception | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit what is left; for a moment only, where the block ended in an error."""
        if error is None:
            await self.flush()
        elif self._broken is None:
            with anyio.move_on_after(_PARTING_S, shield=True):
                await self._flush_quietly()

    async def keep(self, *some: Trial) -> None:
        """Return once the trials are committed; usable as the engine's sink.

        Raises:
            CannotStore: they could not be committed; what was committed before is kept.
            Superseded: another process has written one of these trials.
        """
        self._pending |= {trial.key: trial for trial in some}
        async with self._turn:
            # whoever had the turn before may have taken them along
            while any(trial.key in self._pending for trial in some):
                await self._commit_some()

    async def flush(self) -> None:
        """Return once nothing is pending. Raises what ``keep`` raises."""
        async with self._turn:
            while self._pending:
                await self._commit_some()

    async def _commit_some(self) -> None:
        if self._broken is not None:
            raise self._broken
        some = list(islice(self._pending.values(), _MOST_AT_ONCE))
        try:
            await self._write_patiently(some)
        except Exception as error:
            self._broken = error
            raise
        for trial in some:
            del self._pending[trial.key]

    async def _write_patiently(self, some: list[Trial]) -> None:
        waited_s, wait_s = 0.0, _FIRST_WAIT_S
        while True:
            try:
                return await self._write(some)
            except CannotStore as error:
                if not error.may_pass or waited_s >= self._patience_s:
                    raise
                _log.warning("%d trials wait in memory: %s", len(self._pending), error)
            await self._sleep(wait_s)
            waited_s += wait_s
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    async def _write(self, some: list[Trial]) -> None:
        async with self._database.writing() as session:
            new = await trials.insert(
                self._database, session, self._run_id, some, batch=self._batch
            )
            await self._count(session, new)

    async def _count(self, session: AsyncSession, new: list[Trial]) -> None:
        """Add trials to the progress that others read, in the transaction that stores them."""
        ended = [trials.outcome(trial) for trial in new]
        if self._batch != "confirm":
            await session.exec(
                update(RunRow)
                .where(col(RunRow.id) == self._run_id)
                .values(
                    n_passed=col(RunRow.n_passed) + ended.count("passed"),
                    n_failed=col(RunRow.n_failed) + ended.count("failed"),
                    n_errored=col(RunRow.n_errored) + ended.count("errored"),
                )
            )
        if self._job_id is not None:
            await session.exec(
                update(JobRow)
                .where(col(JobRow.id) == self._job_id)
                .values(
                    done=col(JobRow.done) + len(new),
                    failed=col(JobRow.failed) + ended.count("errored"),
                )
            )

    async def _flush_quietly(self) -> None:
        try:
            await self.flush()
        except ToolgaugeError:
            _log.exception("%d finished trials could not be stored", len(self._pending))
