from __future__ import annotations

from itertools import product

import pytest
from sqlalchemy import text
from store_builders import a_trial, store_run, store_trials

from toolgauge.model.trial import Trial
from toolgauge.store import failed_cases as module
from toolgauge.store.database import Database, open_database
from toolgauge.store.failed_cases import failed_cases

pytestmark = pytest.mark.anyio
TARGETS, CASES, REPEATS = ("b/two", "B/one"), ("rome", "paris", "äthiopien", "oslo"), range(4)


def mixed() -> list[Trial]:
    """Return trials of which some failed and some errored; nobody failed in Oslo."""
    made = []
    for number, (repeat, case, target) in enumerate(product(REPEATS, CASES, TARGETS)):
        error = "boom" if number % 5 == 2 else None
        passed = case == "oslo" or number % 3 != 1
        made.append(a_trial(case, repeat, target=target, passed=passed, error=error))
    return made


async def test_cases_come_in_order_with_their_first_failed_trial_and_counts(
    database: Database,
) -> None:
    await store_run(database)
    await store_trials(database, *mixed())
    scored: dict[tuple[str, str], list[Trial]] = {}
    for trial in mixed():
        if trial.scored:
            scored.setdefault((trial.key.target, trial.key.case_id), []).append(trial)
    expected = []
    for key in sorted(scored):
        failed = [trial for trial in scored[key] if not trial.passed]
        if failed:
            first = min(failed, key=lambda trial: trial.key.repeat)
            expected.append((first, len(failed), len(scored[key])))
    assert len(expected) > 3
    for most in (0, 1, 3, 100):
        found = await failed_cases(database, "run-1", most=most)
        assert [(one.first, one.failed, one.scored) for one in found] == expected[:most]


async def test_a_case_that_only_a_confirmation_failed_is_none_of_them(database: Database) -> None:
    await store_run(database)
    await store_trials(database, a_trial("paris"), a_trial("rome", passed=False))
    again = [a_trial(case, 1, passed=False) for case in ("paris", "rome")]
    await store_trials(database, *again, batch="confirm")
    (found,) = await failed_cases(database, "run-1", most=10)
    assert (found.first.key.case_id, found.failed, found.scored) == ("rome", 2, 2)


async def test_every_row_is_found_by_an_index(sqlite_url: str) -> None:
    async with open_database(sqlite_url) as database, database.reading() as session:
        connection = await session.connection()
        query = module._query().params(run_id="run-1", most=10)
        compiled = query.compile(connection.sync_connection, compile_kwargs={"literal_binds": True})
        plan = await connection.execute(text(f"EXPLAIN QUERY PLAN {compiled}"))
        steps = [str(row.detail) for row in plan if " trial" in str(row.detail)]
    assert len(steps) == 4
    assert all(step.startswith("SEARCH trial") and "run_id=? AND" in step for step in steps), steps
