"""Passes and runs per case: what every comparison of pass rates starts from."""

from __future__ import annotations

from collections.abc import Sequence

Counts = tuple[int, int]
"""``(passes, runs)`` of one case on one side; errored trials are in neither."""


def counts_of_both(
    head: Sequence[Counts], baseline: Sequence[Counts]
) -> list[tuple[Counts, Counts]]:
    """Return ``(head, baseline)`` of every case that ran on both sides, in order.

    Both sequences name the same cases in the same order. A case without a run on
    one side (all its trials errored, say) cannot be compared and is left out.

    Raises:
        ValueError: the sequences differ in length, or a count is impossible
            (fewer than 0 passes, or more passes than runs).
    """
    for passes, runs in (*head, *baseline):
        if not 0 <= passes <= runs:
            raise ValueError(f"{passes} passes of {runs} runs are impossible")
    both = zip(head, baseline, strict=True)
    return [
        (of_head, of_baseline) for of_head, of_baseline in both if of_head[1] and of_baseline[1]
    ]
