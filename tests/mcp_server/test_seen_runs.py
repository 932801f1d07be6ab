from __future__ import annotations

from dataclasses import replace

import pytest
from store_builders import a_run, a_suite, a_trial, at, measured

from toolgauge.mcp_server.seen_runs import SeenRuns
from toolgauge.store import runs
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun
from toolgauge.store.trial_writer import TrialWriter

pytestmark = pytest.mark.anyio


async def fail(database: Database, *cases: str) -> None:
    async with TrialWriter(database, "run-1") as writer:
        for case in cases:
            await writer.keep(a_trial(case, passed=False, failure="wrong_tool"))


async def failing(seen: SeenRuns, database: Database, most: int = 10) -> list[str]:
    stored = await runs.get(database, "run-1", with_cases=False)
    return [one.case_id for one in await seen.failing(database, stored, most=most)]


async def test_a_run_that_goes_on_is_looked_at_anew(database: Database) -> None:
    seen = SeenRuns()
    await runs.create(database, StoredRun(a_run()))
    assert await failing(seen, database) == []
    await fail(database, "rome")
    assert await failing(seen, database) == ["rome"]
    await fail(database, "paris")
    assert await failing(seen, database) == ["paris", "rome"]
    assert await failing(seen, database, most=1) == ["paris"]


async def test_a_run_that_is_taken_up_again_is_not_shown_as_it_was(database: Database) -> None:
    seen, run = SeenRuns(), a_run()
    await runs.create(database, StoredRun(run))
    await fail(database, "rome")
    await runs.finish(database, replace(run, status="cancelled", finished_at=at(1)))
    assert await failing(seen, database) == await failing(seen, database) == ["rome"]
    await runs.finish(database, run)
    await fail(database, "paris")
    await runs.finish(database, measured(run, 0.0))
    assert await failing(seen, database) == ["paris", "rome"]


async def test_the_size_of_a_plan_is_counted_once_and_unknown_without_a_suite(
    database: Database,
) -> None:
    seen = SeenRuns()
    await runs.create(database, StoredRun(a_run("bare")))
    await runs.create(database, StoredRun(a_run("whole", minutes=1)), suite=a_suite())
    for _ in range(2):
        for name, planned in (("bare", None), ("whole", 1)):
            run = (await runs.get(database, name, with_cases=False)).run
            assert run.cases == ()
            assert await seen.planned(database, run) == planned
