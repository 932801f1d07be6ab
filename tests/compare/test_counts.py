"""Passes and runs per case."""

from __future__ import annotations

import pytest

from toolgauge.compare.counts import counts_of_both


def test_cases_that_ran_on_both_sides_are_paired_in_order() -> None:
    assert counts_of_both([(1, 1), (2, 3)], [(0, 5), (3, 3)]) == [
        ((1, 1), (0, 5)),
        ((2, 3), (3, 3)),
    ]


def test_a_case_without_a_run_on_one_side_is_left_out() -> None:
    assert counts_of_both([(0, 0), (1, 1), (1, 1)], [(1, 1), (0, 0), (0, 1)]) == [((1, 1), (0, 1))]


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        counts_of_both([(1, 1), (1, 1)], [(1, 1)])


@pytest.mark.parametrize("counts", [(-1, 3), (4, 3), (1, 0)])
def test_an_impossible_count_is_refused_on_either_side(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="impossible"):
        counts_of_both([counts], [(1, 1)])
    with pytest.raises(ValueError, match="impossible"):
        counts_of_both([(1, 1)], [counts])
