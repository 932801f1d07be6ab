from __future__ import annotations

import anyio
import pytest

from toolgauge.store import rates
from toolgauge.store.database import Database, open_database

pytestmark = pytest.mark.anyio


async def test_a_burst_goes_at_once_and_then_each_call_has_its_turn(database: Database) -> None:
    waits = [await rates.take(database, "openai", per_s=2, burst=3, now=1_000.0) for _ in range(6)]
    assert waits == [0.0, 0.0, 0.0, 0.5, 1.0, 1.5]


async def test_a_rest_gives_the_burst_back_but_no_more(database: Database) -> None:
    for _ in range(3):
        await rates.take(database, "openai", per_s=2, burst=3, now=1_000.0)
    waits = [await rates.take(database, "openai", per_s=2, burst=3, now=9_000.0) for _ in range(4)]
    assert waits == [0.0, 0.0, 0.0, 0.5]


async def test_weights_count_tokens(database: Database) -> None:
    async def take(weight: float) -> float:
        return await rates.take(database, "t", per_s=100, burst=200, now=0.0, weight=weight)

    assert [await take(150), await take(150), await take(10)] == [0.0, 1.0, 1.1]


async def test_limits_are_apart_by_name(database: Database) -> None:
    for name in ("openai", "mistral"):
        assert await rates.take(database, name, per_s=1, burst=1, now=5.0) == 0.0


async def test_two_programs_that_take_at_once_never_share_a_turn(url: str) -> None:
    async with open_database(url) as one, open_database(url) as other:
        waits: list[float] = []

        async def take(database: Database) -> None:
            waits.append(await rates.take(database, "openai", per_s=1, burst=1, now=5.0))

        async with anyio.create_task_group() as takers:
            for _ in range(10):
                takers.start_soon(take, one)
                takers.start_soon(take, other)
    assert sorted(waits) == [float(n) for n in range(20)]
