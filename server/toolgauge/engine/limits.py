"""Limits of one run: requests in flight per provider, retries, deadlines.

Retries are ours alone; the adapters below send one request per call, so that the
number of attempts on a trial is true. All times are in seconds.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import anyio

from toolgauge.errors import GatewayError

Answer = TypeVar("Answer")

_FIRST_BACKOFF_S = 0.5
_LONGEST_BACKOFF_S = 30.0


class ProviderLimit:
    """Requests in flight to one provider: halved on 429, grown by one per success window.

    A window is as many successes as the limit is wide. Requests that were already on
    their way when the limit was halved do not halve it again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limiter = anyio.CapacityLimiter(most)
        self._halvings = 0
        self._successes = 0

    @property
    def width(self) -> int:
        """How many requests may be in flight now."""
        return int(self._limiter.total_tokens)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for a slot and hold it; gives a mark to hand to ``rate_limited``."""
        # a fresh borrower each time, as one task may hold a slot only once
        borrower = object()
        async with _borrowed(self._limiter, borrower):
            yield self._halvings

    def rate_limited(self, mark: int) -> None:
        """Halve the limit, unless it was halved after the request of this mark was sent."""
        if mark == self._halvings:
            self._halvings += 1
            self._successes = 0
            self._limiter.total_tokens = max(1, self.width // 2)

    def succeeded(self) -> None:
        """Count a success; a full window of them widens the limit by one."""
        self._successes += 1
        if self._successes >= self.width and self.width < self._most:
            self._successes = 0
            self._limiter.total_tokens = self.width + 1


@asynccontextmanager
async def _borrowed(limiter: anyio.CapacityLimiter, borrower: object) -> AsyncIterator[None]:
    await limiter.acquire_on_behalf_of(borrower)
    try:
        yield
    finally:
        limiter.release_on_behalf_of(borrower)


@dataclass(slots=True)
class TrialBudget:
    """What is left to one trial: seconds of asking and backing off, and the requests sent.

    Waiting for a slot costs nothing: a narrow provider limit must not time out the
    trials that queue behind it.
    """

    seconds_left: float
    attempts: int = 0


class Patience:
    """Sends requests to one provider until it answers, or until attempts or time run out."""

    def __init__(
        self,
        limit: ProviderLimit,
        *,
        attempts: int,
        attempt_timeout_s: float,
        clock: Callable[[], float],
        rng: random.Random,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._limit = limit
        self._attempts = attempts
        self._attempt_timeout_s = attempt_timeout_s
        self._clock = clock
        self._rng = rng
        self._sleep = sleep

    async def send(self, send: Callable[[float], Awaitable[Answer]], budget: TrialBudget) -> Answer:
        """Return the answer to one request, sent again as long as it may help.

        ``send`` takes the seconds that this attempt may last, and keeps to them; waiting for
        a provider's turn (``calls_per_min``) is not among them.

        Raises:
            GatewayError: the last fault, when it is not worth a retry, when attempts are
                used up, or when the next wait would outlast the trial's time.
        """
        attempt = 1
        while True:
            try:
                return await self._attempt(send, budget)
            except GatewayError as fault:
                if not fault.is_retryable or attempt >= self._attempts:
                    raise
                await self._back_off(attempt, fault, budget)
            attempt += 1

    async def _attempt(
        self, send: Callable[[float], Awaitable[Answer]], budget: TrialBudget
    ) -> Answer:
        async with self._limit.slot() as mark:
            timeout_s = min(self._attempt_timeout_s, budget.seconds_left)
            if timeout_s <= 0:
                raise GatewayError("timeout", "the trial's time is used up")
            budget.attempts += 1
            started = self._clock()
            try:
                answer = await send(timeout_s)
            except GatewayError as fault:
                if fault.fault == "rate_limit":
                    self._limit.rate_limited(mark)
                raise
            finally:
                budget.seconds_left -= self._clock() - started
            self._limit.succeeded()
            return answer

    async def _back_off(self, attempt: int, fault: GatewayError, budget: TrialBudget) -> None:
        longest = min(_LONGEST_BACKOFF_S, _FIRST_BACKOFF_S * 2 ** (attempt - 1))
        wait_s = self._rng.uniform(0, longest)
        if fault.retry_after_s is not None:
            wait_s += fault.retry_after_s
        if wait_s >= budget.seconds_left:
            raise fault
        budget.seconds_left -= wait_s
        await self._sleep(wait_s)
