"""The pairs of expected and actual calls that make the overall score highest.

That score is no plain sum over pairs: optional calls move both of its denominators once
they are paired. For given denominators it is one, though, so ``best_pairs`` tries each two
denominators that may be the best one's, with as many optional pairs at most as they stand
for. Within those limits the sum never exceeds the true overall score, and it reaches that
score at the best pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Literal

from toolgauge.model.case import ExpectedCall, Weights
from toolgauge.scoring.assignment import Gains, Limits, Pairs, in_any_order, in_order

Order = Literal["strict", "any"]
Shares = Sequence[Sequence[float | None]]

MOST_SEARCH_STEPS = 2_000_000
_Rank = tuple[Fraction, int, Fraction]


@dataclass(frozen=True, slots=True)
class Problem:
    """What the search needs to know, in integers, so that equal scores are equal.

    ``shares`` are params scores times ``unit`` (None: may not be paired). ``groups`` as in
    ``Limits``: 0 required, 1 optional, 2 optional with params. ``counted`` is how many
    required calls state params, ``weights`` what tool and params are worth, to scale.
    """

    shares: list[list[int | None]]
    groups: list[int]
    unit: int
    required: int
    counted: int
    calls: int
    weights: tuple[int, int]

    @classmethod
    def of(
        cls, expected: Sequence[ExpectedCall], shares: Shares, *, calls: int, weights: Weights
    ) -> Problem:
        """Return the problem; ``shares`` are params scores from 0 to 1, None as above."""
        unit = lcm(*(len(call.params) for call in expected if call.params))
        required = [call for call in expected if not call.optional]
        return cls(
            shares=[
                [None if share is None else round(share * unit) for share in row] for row in shares
            ],
            groups=[call.optional * (1 + (call.params is not None)) for call in expected],
            unit=unit,
            required=len(required),
            counted=sum(call.params is not None for call in required),
            calls=calls,
            weights=_whole_weights(weights),
        )

    def rank(self, pairs: Pairs) -> _Rank:
        """Return what makes one set of pairs better than another."""
        groups = [self.groups[row] for row, _ in pairs]
        share = sum(self.shares[row][column] or 0 for row, column in pairs)
        optional = len(groups) - groups.count(0)
        return self.rank_of(len(pairs), share, optional=optional, counted=groups.count(2))

    def rank_of(self, pairs: int, share: int, *, optional: int, counted: int) -> _Rank:
        """Return the rank of so many pairs, ``optional`` and ``counted`` of them optional."""
        places = max(self.required + optional, self.calls)
        tool = Fraction(pairs, places) if places else Fraction(1)
        if not self.counted + counted:
            return tool, pairs, Fraction(1)
        params = Fraction(share, self.unit * (self.counted + counted))
        for_tool, for_params = self.weights
        overall = (for_tool * tool + for_params * params) / (for_tool + for_params)
        return overall, pairs, params

    def gains(self, limits: Limits) -> Gains:
        """Return each pair's gain for the denominators that go with ``limits``.

        Overall first; one more pair decides between equals, then the share of params.
        """
        places = max(self.required + limits.outer, self.calls)
        counted = self.counted + limits.inner
        for_tool, for_params = self.weights
        per_pair = for_tool * counted * self.unit if counted else 1
        per_share = for_params * places if counted else 0
        most = min(len(self.shares), self.calls) + 1

        def gain(share: int | None) -> int:
            if share is None:
                return 0
            return ((per_pair + per_share * share) * most + 1) * (most * self.unit + 1) + share

        return [[gain(share) for share in row] for row in self.shares]


@lru_cache(maxsize=64)
def _whole_weights(weights: Weights) -> tuple[int, int]:
    tool, params = (Fraction(repr(float(weight))) for weight in (weights.tool, weights.params))
    scale = lcm(tool.denominator, params.denominator)
    return int(tool * scale), int(params * scale)


def best_pairs(problem: Problem, order: Order) -> Pairs:
    """Return the pairs with the highest overall score, then the most, then the best params.

    Exact, but where very many optional calls could be paired in very many ways: the search
    ends after about ``MOST_SEARCH_STEPS`` (half a second) with the best pairs found so far.
    """
    solve: Callable[[Gains, Limits], Pairs] = in_order if order == "strict" else in_any_order
    candidates = list(_limits(problem))
    if len(candidates) == 1:
        return solve(problem.gains(candidates[0]), candidates[0])
    best: Pairs = []
    best_rank = problem.rank(best)
    steps = 0
    # the most promising first: where no other can be better, the search is over
    promises = sorted(
        ((_promise(problem, limits), limits.inner, limits.outer, limits) for limits in candidates),
        key=lambda candidate: candidate[:3],
        reverse=True,
    )
    for promise, _, _, limits in promises:
        if promise <= best_rank or steps > MOST_SEARCH_STEPS:
            break
        pairs = solve(problem.gains(limits), limits)
        rank = problem.rank(pairs)
        if rank > best_rank:
            best, best_rank = pairs, rank
        steps += _steps(problem, order, limits)
    return best


def _steps(problem: Problem, order: Order, limits: Limits) -> int:
    rows, columns = len(problem.shares), problem.calls
    if order == "any":
        return rows * columns * min(rows, columns)
    return rows * columns * limits.that_bind(columns).budgets


def _limits(problem: Problem) -> Iterator[Limits]:
    """Yield limits on optional pairs, one for each two denominators that are possible."""
    groups = problem.groups
    outer_most = min(len(groups) - groups.count(0), problem.calls)
    inner_most = min(groups.count(2), problem.calls)
    # fewer optional pairs than there is room for do not change the denominator of tool
    outer_least = min(max(problem.calls - problem.required, 0), outer_most)
    for outer in range(outer_least, outer_most + 1):
        for inner in range(min(inner_most, outer) + 1):
            yield Limits(groups, inner, outer)


def _promise(problem: Problem, limits: Limits) -> _Rank:
    """Return a rank that no pairs within the limits exceed."""
    reachable = [
        (group, max(share for share in row if share is not None))
        for group, row in zip(problem.groups, problem.shares, strict=True)
        if any(share is not None for share in row)
    ]
    groups = [group for group, _ in reachable]
    optional = min(limits.outer, len(groups) - groups.count(0))
    pairs = min(problem.calls, groups.count(0) + optional)
    extra = sorted((share for group, share in reachable if group == 2), reverse=True)
    share = sum(share for group, share in reachable if not group) + sum(extra[: limits.inner])
    places = max(problem.required + limits.outer, problem.calls)
    overall, _, _ = problem.rank_of(
        min(pairs, places), share, optional=limits.outer, counted=limits.inner
    )
    return overall, pairs, Fraction(2)
