from __future__ import annotations

import random

import anyio
import pytest

from toolgauge.engine.limits import Patience, ProviderLimit, TrialBudget
from toolgauge.errors import GatewayError

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that only sleeping and answering move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def patience(clock: Clock, limit: ProviderLimit | None = None, attempts: int = 5) -> Patience:
    return Patience(
        limit or ProviderLimit(4),
        attempts=attempts,
        attempt_timeout_s=60,
        clock=clock,
        rng=random.Random(1),
        sleep=clock.sleep,
    )


def failing(times: int, fault: GatewayError, clock: Clock | None = None, takes_s: float = 0.0):
    left = [times]

    async def send(_timeout_s: float) -> str:
        if clock:
            clock.now += takes_s
        if left[0]:
            left[0] -= 1
            raise fault
        return "answer"

    return send


async def test_a_fault_that_may_pass_is_sent_again_until_an_answer_comes() -> None:
    clock, budget = Clock(), TrialBudget(300)
    fault = GatewayError("server", "503", status=503)
    assert await patience(clock).send(failing(4, fault), budget) == "answer"
    assert budget.attempts == 5
    assert len(clock.slept) == 4


async def test_the_last_attempt_raises_what_it_met() -> None:
    clock, budget = Clock(), TrialBudget(300)
    fault = GatewayError("server", "503", status=503)
    with pytest.raises(GatewayError, match="503"):
        await patience(clock).send(failing(5, fault), budget)
    assert budget.attempts == 5


@pytest.mark.parametrize("fault", ["auth", "not_found", "bad_request", "quota", "content_filter"])
async def test_a_fault_that_will_not_pass_is_not_sent_again(fault: str) -> None:
    clock, budget = Clock(), TrialBudget(300)
    with pytest.raises(GatewayError):
        await patience(clock).send(failing(1, GatewayError(fault, "no")), budget)
    assert (budget.attempts, clock.slept) == (1, [])


async def test_backing_off_waits_at_least_what_the_provider_asked_for() -> None:
    clock = Clock()
    fault = GatewayError("rate_limit", "429", status=429, retry_after_s=7)
    await patience(clock).send(failing(1, fault), TrialBudget(300))
    assert 7 <= clock.slept[0] <= 7.5


async def test_a_wait_that_would_outlast_the_trial_is_not_begun() -> None:
    clock = Clock()
    fault = GatewayError("rate_limit", "429", status=429, retry_after_s=3600)
    with pytest.raises(GatewayError, match="429"):
        await patience(clock).send(failing(1, fault), TrialBudget(300))
    assert clock.slept == []


async def test_a_trials_time_bounds_all_its_attempts_together() -> None:
    clock, budget = Clock(), TrialBudget(100)
    fault = GatewayError("connection", "reset")
    with pytest.raises(GatewayError):
        await patience(clock, attempts=50).send(failing(50, fault, clock, takes_s=45), budget)
    assert budget.attempts <= 3


async def test_a_429_halves_the_limit_once_for_all_requests_that_were_on_their_way() -> None:
    limit = ProviderLimit(8)
    async with limit.slot() as first, limit.slot() as second:
        limit.rate_limited(first)
        limit.rate_limited(second)
    assert limit.width == 4
    async with limit.slot() as later:
        limit.rate_limited(later)
    assert limit.width == 2


async def test_the_limit_grows_by_one_per_window_of_successes_and_never_past_its_start() -> None:
    limit = ProviderLimit(4)
    async with limit.slot() as mark:
        limit.rate_limited(mark)
    assert limit.width == 2
    for _ in range(2):
        limit.succeeded()
    assert limit.width == 3
    for _ in range(50):
        limit.succeeded()
    assert limit.width == 4


async def test_the_limit_never_falls_below_one() -> None:
    limit = ProviderLimit(1)
    async with limit.slot() as mark:
        limit.rate_limited(mark)
    assert limit.width == 1


async def test_no_more_requests_are_in_flight_than_the_limit_allows() -> None:
    limit, now, most = ProviderLimit(3), [0], [0]

    async def hold() -> None:
        async with limit.slot():
            now[0] += 1
            most[0] = max(most[0], now[0])
            await anyio.lowlevel.checkpoint()
            now[0] -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(hold)
    assert most[0] == 3
