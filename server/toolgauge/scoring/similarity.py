"""How close two embeddings are."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the cosine of the angle between two vectors, -1 to 1; 0.0 where one is all zeros.

    Raises:
        ValueError: the vectors differ in length, or hold what is no finite number.

    >>> cosine([1.0, 0.0], [2.0, 0.0]), cosine([1.0, 0.0], [0.0, 1.0])
    (1.0, 0.0)
    """
    if len(left) != len(right):
        raise ValueError(f"one vector has {len(left)} numbers, the other {len(right)}")
    lengths = hypot(*left), hypot(*right)
    if not all(map(isfinite, lengths)):
        raise ValueError("a vector holds what is no finite number")
    if not all(lengths):
        return 0.0
    product = sum(a / lengths[0] * (b / lengths[1]) for a, b in zip(left, right, strict=True))
    return min(1.0, max(-1.0, product))
