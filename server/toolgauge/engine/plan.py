"""What a run asks, and what it needs from outside to ask it."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from toolgauge.engine.budget import Budget
from toolgauge.gateway.gateway import Gateway
from toolgauge.model.case import Case
from toolgauge.model.events import Event
from toolgauge.model.run import RunOptions
from toolgauge.model.suite import Suite
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial, TrialKey, Usage
from toolgauge.scoring import Scorer

Emit = Callable[[Event], Awaitable[None]]
CostOf = Callable[[Target, Usage], float | None]


class Sink(Protocol):
    """Where finished trials go; several that finished together come together."""

    async def __call__(self, *trials: Trial) -> None:
        """Return once the trials are kept."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be asked. ``finished`` trials are not asked again.

    ``only`` maps the cases that are to be asked to the repeats that are wanted of them,
    for the later batches of a gate; without it every case is asked as often as the options
    say.
    """

    suite: Suite
    targets: tuple[Target, ...]
    options: RunOptions
    finished: frozenset[TrialKey] = frozenset()
    only: Mapping[str, range] | None = None

    def repeats_of(self, target: Target) -> int:
        """Return how often each case is asked of a target; once where it is deterministic."""
        if target.is_deterministic:
            return 1
        return self.options.repeats or self.suite.repeats

    def trials_of(self, target: Target) -> Iterator[tuple[Case, int]]:
        """Yield what is still to be asked of a target: every case, then the next repeat."""
        for case, repeat in self._wanted(target):
            if TrialKey(case.id, target.name, repeat) not in self.finished:
                yield case, repeat

    def count_of(self, target: Target) -> int:
        """Return how many trials ``trials_of`` yields."""
        return sum(1 for _ in self.trials_of(target))

    def _wanted(self, target: Target) -> Iterator[tuple[Case, int]]:
        if self.only is not None:
            cases = (case for case in self.suite.cases if case.id in self.only)
            return ((case, repeat) for case in cases for repeat in self.only[case.id])
        repeats = range(self.repeats_of(target))
        return ((case, repeat) for repeat in repeats for case in self.suite.cases)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run needs from outside: models, where trials go, who is told, time and chance.

    ``sink`` is awaited before a trial is told to anyone, so that what was told is kept.
    Without a ``budget`` money does not matter. ``scorers`` are the user's own, by name.
    """

    gateway: Gateway
    sink: Sink
    emit: Emit
    cost_of: CostOf
    clock: Callable[[], float]
    rng: random.Random
    budget: Budget | None = None
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
