"""Money: what a trial may cost is reserved before it is asked, and settled after."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import ceil

import anyio

from toolgauge.gateway.gateway import Request
from toolgauge.model.case import Case
from toolgauge.model.target import Target
from toolgauge.model.trial import Usage

# English takes about four characters per token, JSON and other languages fewer
_CHARACTERS_PER_TOKEN = 3


class BudgetSpent(Exception):
    """The next trial could pass the budget; it was not asked."""


@dataclass(slots=True)
class Bill:
    """What one trial may cost at most, and what it did cost (US dollars, None if unknown)."""

    reserved_usd: float
    cost_usd: float | None = None


class Budget:
    """A limit in US dollars over all trials of a run.

    A trial reserves the most that it could cost. Where that would pass the limit it
    waits for trials under way to settle for less, and is refused when none is.
    """

    def __init__(self, limit_usd: float, *, spent_usd: float = 0.0) -> None:
        self._limit_usd = limit_usd
        self._reserved_usd = 0.0
        self._settled = anyio.Condition()
        self.spent_usd = spent_usd

    @asynccontextmanager
    async def reserved(self, most_usd: float) -> AsyncIterator[Bill]:
        """Reserve ``most_usd`` while the block lasts; the bill's cost is spent afterwards.

        Raises:
            BudgetSpent: the block was not entered.
        """
        async with self._settled:
            while self.spent_usd + self._reserved_usd + most_usd > self._limit_usd:
                if self._reserved_usd <= 0:
                    raise BudgetSpent
                await self._settled.wait()
            self._reserved_usd += most_usd
        bill = Bill(most_usd)
        try:
            yield bill
        finally:
            # what is not known may have cost all that was reserved
            with anyio.CancelScope(shield=True):
                async with self._settled:
                    self._reserved_usd = max(0.0, self._reserved_usd - most_usd)
                    self.spent_usd += most_usd if bill.cost_usd is None else bill.cost_usd
                    self._settled.notify_all()


def most_usage(case: Case, first: Request) -> Usage:
    """Return the most tokens that a trial may take, estimated before it is asked.

    The prompt's tokens are guessed from its characters; each request may answer with
    ``max_tokens``, and a conversation sends them back with every later request.
    """
    characters = len(json.dumps([first.messages, first.tools], ensure_ascii=False, default=str))
    prompt = ceil(characters / _CHARACTERS_PER_TOKEN)
    answer = int(first.parameters.get("max_tokens") or 1024)
    requests = case.max_rounds if case.runs_a_conversation else 1
    return Usage(
        input_tokens=requests * prompt + answer * requests * (requests - 1) // 2,
        output_tokens=requests * answer,
    )


def most_cost(
    case: Case, first: Request, cost_of: Callable[[Target, Usage], float | None]
) -> float | None:
    """Return the most that a trial may cost in US dollars; None where the price is unknown."""
    return cost_of(first.target, most_usage(case, first))
