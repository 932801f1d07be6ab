"""The suite-level test, in one look or two: did a suite drop, or must it be asked again?

The first of two looks fails only what is clear; where a drop is seen but not clear, one
second batch of head repeats for all cases of that suite is pooled with the first and
tested once more. The levels of both looks (O'Brien and Fleming's) keep the probability
of a false alarm in either at 5 %, which testing twice at 0.05 would not.

Source: O'Brien and Fleming, A Multiple Testing Procedure for Clinical Trials, 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import TYPE_CHECKING, Literal

from toolgauge.compare import exact_test, holm, sign_flip
from toolgauge.compare.pairing import GatePart, pair_cases
from toolgauge.compare.pooling import MOST_ERRORED, pool_batches
from toolgauge.model.comparison import CasePair, Measurement, Pairing
from toolgauge.model.policy import Metric, Policy, Rule

if TYPE_CHECKING:
    from random import Random

ONLY_LEVEL = 0.05
FIRST_LEVEL = 0.0088
SECOND_LEVEL = 0.0467
ROUNDING = 1e-9
"""Differences below this are rounding; 2/3 - 1 over cases is not exactly a drop of 0.02."""

Key = tuple[str, str]
"""Suite and target of the head."""

Seeded = Callable[[str], "Random"]
"""A source of chance from a seed: ``random.Random``."""

Obstacle = Literal["error", "inconclusive", "no-baseline"]


@dataclass(frozen=True, slots=True)
class Standing:
    """How one suite and target stands after the looks taken so far.

    ``obstacle`` is why it cannot be compared, with its reason in ``why``. Of the policy's
    metric, ``delta`` is head minus baseline and ``p`` its one-sided p-value; both None
    where the suite-level test does not decide (an obstacle, or the rule ``strict``), and
    then ``looks`` is 0. ``p_adjusted`` must reach ``level``. ``drop_is_seen``: the drop
    is at least ``max_drop``; ``dropped``: and it is not chance.
    """

    part: GatePart
    rule: Rule
    pairing: Pairing = field(default_factory=lambda: Pairing(()))
    obstacle: Obstacle | None = None
    why: str = ""
    delta: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    looks: int = 0
    level: float | None = None
    drop_is_seen: bool = False
    dropped: bool = False
    wants_second_batch: bool = False
    second: Measurement | None = None

    @property
    def key(self) -> Key:
        return self.part.key


@dataclass(frozen=True, slots=True)
class Look:
    """All parts of a gate after a look."""

    policy: Policy
    standings: tuple[Standing, ...]
    seeded: Seeded

    @property
    def is_blocked(self) -> bool:
        """Whether the gate cannot pass or fail any more, so that nothing more is bought."""
        return any(one.obstacle in ("error", "inconclusive") for one in self.standings)

    @property
    def wants_second_batch(self) -> tuple[Key, ...]:
        """The suites and targets of which all cases are to be asked once more."""
        if self.is_blocked:
            return ()
        return tuple(one.key for one in self.standings if one.wants_second_batch)


def first_look(parts: Sequence[GatePart], policy: Policy, *, seeded: Seeded) -> Look:
    """Return where every part stands after its first batch.

    A part has two looks where the policy buys second batches, the suite-level test can
    fail the gate, and the target can be asked again; else its only look is at 0.05.
    Holm's adjustment is over the parts that this test decides on.

    Raises:
        ValueError: a suite and target is there twice.
    """
    if len({part.key for part in parts}) < len(parts):
        raise ValueError("every suite and target can be in a gate once")
    buys = policy.second_batch and policy.fail_on != "case"
    standings = [_measured(part, policy, seeded) for part in parts]
    return _judged(
        [
            one
            if one.p is None
            else replace(
                one,
                looks=1,
                level=FIRST_LEVEL if buys and one.part.may_repeat else ONLY_LEVEL,
                wants_second_batch=buys and one.part.may_repeat,
            )
            for one in standings
        ],
        policy,
        seeded,
    )


def second_look(look: Look, batches: Mapping[Key, Measurement]) -> Look:
    """Return where every part stands after the second batches that were wanted.

    A batch holds the new trials alone. A part whose batch is missing stays as it stood:
    a drop seen, not clear. Batches that were not wanted are left out.
    """
    wanted = set(look.wants_second_batch)
    standings = []
    for one in look.standings:
        batch = batches.get(one.key) if one.key in wanted else None
        standings.append(_with_second(one, batch, look) if batch else one)
    return _judged(standings, look.policy, look.seeded)


def drop_of(pairs: Sequence[CasePair], metric: Metric) -> float:
    """Return head minus baseline of a metric: the mean over cases, in [-1, 1].

    Raises:
        ZeroDivisionError: there is no case.
    """
    return fsum(_difference(pair, metric) for pair in pairs) / len(pairs)


def p_of(pairs: Sequence[CasePair], metric: Metric, rng: Random) -> float:
    """Return the one-sided p-value of a drop: exact for pass rates, sign-flip for scores."""
    if metric == "overall":
        return sign_flip.p_value([_difference(pair, metric) for pair in pairs], rng)
    return exact_test.p_value(
        [pair.head.counts for pair in pairs], [pair.baseline.counts for pair in pairs]
    )


def chance_of(part: GatePart, seeded: Seeded) -> Random:
    """Return the source of chance of a part: its seed is made of the ids of its runs."""
    sides = [part.head.side] + ([part.baseline.side] if part.baseline else [])
    named = [one for side in sides for one in (side.run_ids or (side.source,))]
    return seeded("\n".join(named))


def _with_second(one: Standing, batch: Measurement, look: Look) -> Standing:
    part = replace(one.part, head=pool_batches(one.part.head, batch))
    pooled = replace(_measured(part, look.policy, look.seeded), second=batch)
    return pooled if pooled.p is None else replace(pooled, looks=2, level=SECOND_LEVEL)


def _measured(part: GatePart, policy: Policy, seeded: Seeded) -> Standing:
    """Return a part's figures, before it is known what they must reach."""
    rule = _rule(part, policy)
    if unusable := _unusable(part):
        return Standing(part, rule, obstacle=unusable[0], why=unusable[1])
    if part.baseline is None:
        return Standing(part, rule, obstacle="no-baseline", why="there is no baseline yet")
    pairing = pair_cases(part.baseline.tallies, part.head.tallies)
    if not pairing.compared:
        why = "no case of the baseline can be compared"
        return Standing(part, rule, pairing, obstacle="no-baseline", why=why)
    if rule == "strict":
        return Standing(part, rule, pairing)
    delta = drop_of(pairing.compared, policy.metric)
    p = p_of(pairing.compared, policy.metric, chance_of(part, seeded))
    is_seen = delta <= -max(policy.max_drop, 2 * ROUNDING) + ROUNDING
    return Standing(part, rule, pairing, delta=delta, p=p, drop_is_seen=is_seen)


def _judged(standings: Sequence[Standing], policy: Policy, seeded: Seeded) -> Look:
    tested = [one.p for one in standings if one.p is not None]
    adjusted = iter(holm.adjust(tested))
    judged = [one if one.p is None else _judged_one(one, next(adjusted)) for one in standings]
    return Look(policy, tuple(judged), seeded)


def _judged_one(one: Standing, p_adjusted: float) -> Standing:
    """Return a standing with what its p means; what failed at the first look stays failed."""
    is_clear = one.level is not None and p_adjusted <= one.level + ROUNDING
    dropped = one.dropped or (one.drop_is_seen and is_clear)
    wants = one.wants_second_batch and one.drop_is_seen and not dropped
    return replace(one, p_adjusted=p_adjusted, dropped=dropped, wants_second_batch=wants)


def _rule(part: GatePart, policy: Policy) -> Rule:
    """Return the rule: a target that always answers alike has no chance to reckon with."""
    sides = [part.head.side] + ([part.baseline.side] if part.baseline else [])
    if policy.policy == "strict" or all(side.deterministic for side in sides):
        return "strict"
    return "statistical"


def _unusable(part: GatePart) -> tuple[Obstacle, str] | None:
    head = part.head
    trials = head.n_scored + head.n_errored
    if not trials:
        return "error", "nothing was measured"
    if head.n_errored > MOST_ERRORED * trials:
        return "error", f"{head.n_errored} of {trials} trials errored, more than 5 %"
    if head.side.truncated:
        return "inconclusive", "the run was stopped before its end"
    if part.baseline and part.baseline.side.truncated:
        return "inconclusive", "the baseline's run was stopped before its end"
    return None


def _difference(pair: CasePair, metric: Metric) -> float:
    if metric == "overall":
        return pair.delta or 0.0
    return (pair.head.pass_rate or 0.0) - (pair.baseline.pass_rate or 0.0)
