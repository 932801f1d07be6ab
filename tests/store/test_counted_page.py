from __future__ import annotations

import pytest
from store_builders import a_trial, store_run

from toolgauge.errors import UsageError
from toolgauge.model.trial import Trial
from toolgauge.store import trials
from toolgauge.store.database import Database
from toolgauge.store.trial_writer import TrialWriter
from toolgauge.store.trials import TrialFilter

pytestmark = pytest.mark.anyio
FILTERS = [
    TrialFilter(),
    TrialFilter(outcome="failed"),
    TrialFilter(case_id="case-3"),
    TrialFilter(target="b/two", outcome="passed"),
    TrialFilter(target="b/two", case_id="case-1", repeat=1),
    TrialFilter(outcome="errored"),
]


async def store_some(database: Database) -> None:
    await store_run(database)
    async with TrialWriter(database, "run-1") as writer:
        for number in range(40):
            target = ("b/two", "B/one")[number % 2]
            passed = number % 3 > 0
            case = f"case-{number // 2 % 5}"
            await writer.keep(a_trial(case, number // 10, target=target, passed=passed))


@pytest.mark.parametrize("wanted", FILTERS)
async def test_it_is_the_page_and_the_count_of_an_owners_run(
    database: Database, wanted: TrialFilter
) -> None:
    await store_some(database)
    expected: list[Trial] = []
    found: list[Trial] = []
    cursor = after = None
    while True:
        page = await trials.page(database, "run-1", wanted, cursor=cursor, limit=3)
        counted, total = await trials.counted_page(
            database, "run-1", wanted, owner="local", cursor=after, limit=3
        )
        assert total == await trials.count(database, "run-1", wanted)
        expected += [stored.trial for stored in page.items]
        found += [stored.trial for stored in counted.items]
        cursor, after = page.next_cursor, counted.next_cursor
        if cursor is None:
            break
    assert after is None
    assert found == expected


async def test_somebody_elses_run_has_no_trials(database: Database) -> None:
    await store_some(database)
    page, total = await trials.counted_page(database, "run-1", TrialFilter(), owner="bob")
    assert (page.items, page.next_cursor, total) == ((), None, 0)


async def test_a_cursor_of_another_list_is_refused(database: Database) -> None:
    await store_some(database)
    with pytest.raises(UsageError, match="is no cursor of this list"):
        await trials.counted_page(database, "run-1", TrialFilter(), owner="local", cursor="x")
