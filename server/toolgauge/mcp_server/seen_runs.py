"""What a server remembers of runs, because agents ask for the same run again and again.

All of it never changes once it is remembered: how many trials a run plans, the cases of a run
that is going on, and which cases a run failed that is over.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from toolgauge.mcp_server.run_items import failing_item

if TYPE_CHECKING:
    from toolgauge.mcp_server.results import FailingItem
    from toolgauge.model.run import CaseInfo, Run
    from toolgauge.store.database import Database
    from toolgauge.store.runs import StoredRun

# cases may be many thousands, the others are small
_MOST_RUNS, _MOST_GOING_ON = 256, 4

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SeenRuns:
    """Remembers the runs that were asked for last."""

    def __init__(self) -> None:
        self._planned: _Recent[str, int | None] = _Recent(_MOST_RUNS)
        self._failing: _Recent[Hashable, tuple[FailingItem, ...]] = _Recent(_MOST_RUNS)
        self._cases: _Recent[str, tuple[CaseInfo, ...]] = _Recent(_MOST_GOING_ON)

    async def planned(self, database: Database, run: Run) -> int | None:
        """Return how many trials a run has when it is complete; None where that is not known."""
        from toolgauge.service import launches

        if run.id not in self._planned:
            self._planned.keep(run.id, await launches.planned_trials(database, run))
        return self._planned[run.id]

    async def failing(
        self, database: Database, stored: StoredRun, *, most: int
    ) -> tuple[FailingItem, ...]:
        """Return the first failing cases of a run, which may come without its cases."""
        run = stored.run
        if run.status == "running":
            return await self._found(database, run, most)
        self._cases.pop(run.id, None)
        # a run that is taken up again ends at another time
        key = (run.id, run.finished_at, stored.counts, most)
        if key not in self._failing:
            self._failing.keep(key, await self._found(database, run, most))
        return self._failing[key]

    async def _found(self, database: Database, run: Run, most: int) -> tuple[FailingItem, ...]:
        from toolgauge.service import views

        whole = await self._whole(database, run)
        return tuple(map(failing_item, await views.failing_of(database, whole, most=most)))

    async def _whole(self, database: Database, run: Run) -> Run:
        """Return a run with its cases; those of one that is going on are remembered."""
        from toolgauge.store import runs

        if run.id in self._cases:
            return replace(run, cases=self._cases[run.id])
        cases = (await runs.get(database, run.id)).run.cases
        if run.status == "running":
            self._cases.keep(run.id, cases)
        return replace(run, cases=cases)


class _Recent(OrderedDict[Key, Value], Generic[Key, Value]):
    """At most so many values, those that were kept last."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, key: Key, value: Value) -> None:
        self[key] = value
        self.move_to_end(key)
        while len(self) > self._most:
            self.popitem(last=False)
