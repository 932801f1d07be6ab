"""What a run asks, and what it needs from outside to ask it."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from toolgauge.gateway.gateway import Gateway
from toolgauge.model.case import Case
from toolgauge.model.events import Event
from toolgauge.model.run import RunOptions
from toolgauge.model.suite import Suite
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial, TrialKey, Usage

Emit = Callable[[Event], Awaitable[None]]
Sink = Callable[[Trial], Awaitable[None]]
CostOf = Callable[[Target, Usage], float | None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be asked. ``finished`` trials are not asked again."""

    suite: Suite
    targets: tuple[Target, ...]
    options: RunOptions
    finished: frozenset[TrialKey] = frozenset()

    def repeats_of(self, target: Target) -> int:
        """Return how often each case is asked of a target; once where it is deterministic."""
        if target.is_deterministic:
            return 1
        return self.options.repeats or self.suite.repeats

    def trials_of(self, target: Target) -> Iterator[tuple[Case, int]]:
        """Yield what is still to be asked of a target: every case, then the next repeat."""
        for repeat in range(self.repeats_of(target)):
            for case in self.suite.cases:
                if TrialKey(case.id, target.name, repeat) not in self.finished:
                    yield case, repeat

    def count_of(self, target: Target) -> int:
        """Return how many trials ``trials_of`` yields."""
        asked = self.repeats_of(target) * len(self.suite.cases)
        return asked - sum(key.target == target.name for key in self.finished)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run needs from outside: models, where trials go, who is told, time and chance.

    ``sink`` is awaited before a trial is told to anyone, so that what was told is kept.
    """

    gateway: Gateway
    sink: Sink
    emit: Emit
    cost_of: CostOf
    clock: Callable[[], float]
    rng: random.Random
