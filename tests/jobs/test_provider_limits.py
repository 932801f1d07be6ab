from __future__ import annotations

import pytest

from builders import FakeGateway, reply
from toolgauge.errors import GatewayError
from toolgauge.gateway.gateway import Request
from toolgauge.jobs.provider_limits import LimitedGateway
from toolgauge.model.target import Target
from toolgauge.model.trial import Usage
from toolgauge.store.database import Database, open_database

pytestmark = pytest.mark.anyio


class Clock:
    """A time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if seconds > 1e-6:  # the rest is rounding
            self.slept.append(round(seconds, 6))


def limited(inner: FakeGateway, database: Database, clock: Clock) -> LimitedGateway:
    return LimitedGateway(inner, database, clock=clock, sleep=clock.sleep)


def asking(target: Target, prompt: str = "?") -> Request:
    return Request(target, ({"role": "user", "content": prompt},), (), "auto")


async def test_calls_are_spaced_evenly(database: Database) -> None:
    clock = Clock()
    gateway = limited(FakeGateway(), database, clock)
    for _ in range(4):
        await gateway.complete(asking(Target("t", "p/m", calls_per_min=30)))
    assert clock.slept == [2, 4, 6]
    clock.now += 100
    await gateway.complete(asking(Target("t", "p/m", calls_per_min=30)))
    assert clock.slept == [2, 4, 6]


async def test_the_limit_holds_for_all_who_share_the_database(url: str) -> None:
    clock = Clock()
    target = Target("t", "p/m", calls_per_min=60)
    async with open_database(url) as one, open_database(url) as other:
        for database in (one, other, one, other):
            await limited(FakeGateway(), database, clock).complete(asking(target))
    assert clock.slept == [1, 2, 3]


async def test_targets_of_other_models_or_addresses_have_limits_of_their_own(
    database: Database,
) -> None:
    clock = Clock()
    gateway = limited(FakeGateway(), database, clock)
    for model, base in (("p/m", None), ("p/n", None), ("p/m", "http://elsewhere/v1")):
        await gateway.complete(asking(Target("t", model, calls_per_min=1, api_base=base)))
    assert clock.slept == []
    await gateway.complete(asking(Target("same model", "p/m", calls_per_min=1)))
    assert clock.slept == [60]


async def test_the_tokens_that_were_used_are_what_the_next_call_waits_for(
    database: Database,
) -> None:
    clock = Clock()
    inner = FakeGateway(lambda _: reply(usage=Usage(900, 100)))
    gateway = limited(inner, database, clock)
    target = Target("t", "p/m", tokens_per_min=6_000)
    await gateway.complete(asking(target))
    await gateway.complete(asking(target))
    assert clock.slept == [10]  # 1,000 tokens at 100 per second


async def test_what_is_in_flight_counts_by_a_guess(database: Database) -> None:
    clock = Clock()
    target = Target("t", "p/m", tokens_per_min=60)

    async def second_call(_request: Request) -> object:
        if len(inner.requests) == 1:
            await gateway.complete(asking(target))
        return reply(usage=Usage(None, None))

    inner = FakeGateway(second_call)
    gateway = limited(inner, database, clock)
    await gateway.complete(asking(target, "x" * 400))
    assert len(clock.slept) == 1
    assert 100 < clock.slept[0] < 120


async def test_a_target_without_limits_waits_for_nobody(database: Database) -> None:
    clock = Clock()
    gateway = limited(FakeGateway(), database, clock)
    for _ in range(3):
        await gateway.complete(asking(Target("t", "p/m")))
    assert clock.slept == []


async def test_a_failed_call_counts_as_a_call(database: Database) -> None:
    clock = Clock()
    gateway = limited(FakeGateway(lambda _: GatewayError("server", "no")), database, clock)
    for _ in range(2):
        with pytest.raises(GatewayError):
            await gateway.complete(asking(Target("t", "p/m", calls_per_min=60)))
    assert clock.slept == [1]


async def test_vectors_and_closing_go_to_the_inner_gateway(database: Database) -> None:
    inner = FakeGateway()
    gateway = limited(inner, database, Clock())
    assert await gateway.embed("p/e", ("ab",)) == ((2.0, 1.0),)
    assert inner.embedded == [("ab",)]
    await gateway.aclose()
