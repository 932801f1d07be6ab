"""Several questions at once: p-values adjusted so that all may be read together."""

from __future__ import annotations

from collections.abc import Sequence


def adjust(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's adjusted p-values, in the order given, each in [p, 1].

    The i-th smallest of m (from 0) is multiplied by m - i, is never below the one
    before it, and at most 1. Rejecting every adjusted p ≤ 0.05 keeps the probability
    of any false rejection at 5 %, however the tests depend on each other. None given:
    an empty tuple.

    >>> adjust([0.03, 0.01, 0.5])
    (0.06, 0.03, 0.5)

    Source: Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.
    """
    adjusted = [0.0] * len(p_values)
    before = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        before = max(before, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = before
    return tuple(adjusted)
