"""Intervals are cut to what the quantity can be."""

from __future__ import annotations

import pytest

from toolgauge.model.interval import Interval


@pytest.mark.parametrize(
    ("given", "cut"),
    [
        (Interval(-0.2, 0.5), Interval(0, 0.5)),
        (Interval(0.5, 1.2), Interval(0.5, 1)),
        (Interval(0.2, 0.3), Interval(0.2, 0.3)),
        (Interval(1.5, 2.0), Interval(1, 1)),
    ],
)
def test_an_interval_is_cut_at_both_ends(given: Interval, cut: Interval) -> None:
    assert given.within(0, 1) == cut
