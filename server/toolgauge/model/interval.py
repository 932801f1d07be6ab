"""Confidence intervals, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, both ends included, in the unit of what was measured."""

    low: float
    high: float

    def within(self, low: float, high: float) -> Interval:
        """Return the interval cut to what the quantity can be (a score is in [0, 1])."""
        return Interval(min(max(self.low, low), high), min(max(self.high, low), high))
