"""The numbers of a report are those of the statistics, over the compared cases."""

from __future__ import annotations

import random

import pytest

from measured import look_at, measured, part, tally
from toolgauge.compare.figures import numbers_of, totals_of
from toolgauge.compare.intervals import delta_interval, mean_interval, wilson
from toolgauge.compare.looks import Look
from toolgauge.compare.pairing import GatePart
from toolgauge.compare.power import smallest_drop
from toolgauge.model.policy import Metric
from toolgauge.model.report import Estimate, Numbers

HEAD = [(1, 3), (3, 3), (2, 3)]
BEFORE = [(3, 3), (3, 3), (3, 3)]


def numbers(look: Look, *, metric: Metric = "passed") -> list[Numbers]:
    return [numbers_of(standing, metric, random.Random(0)) for standing in look.standings]


def test_rates_are_means_over_cases_with_wilsons_interval() -> None:
    (found,) = numbers(look_at(part(HEAD, BEFORE)))
    interval = wilson(6, 9)
    assert interval is not None
    assert found.head.pass_rate == Estimate(pytest.approx(2 / 3), interval.low, interval.high)
    assert (found.head.passes, found.head.runs, found.cases) == (6, 9, 3)
    assert found.head.score == pytest.approx(2 / 3)


def test_a_case_weighs_the_same_however_often_it_ran() -> None:
    (found,) = numbers(look_at(part([(0, 1), (9, 9)], [(1, 1), (1, 1)])))
    assert found.head.pass_rate is not None
    assert found.head.pass_rate.value == 0.5


def test_both_effects_are_there_with_their_intervals() -> None:
    (found,) = numbers(look_at(part(HEAD, BEFORE)))
    by_passes, by_score = delta_interval(HEAD, BEFORE), mean_interval([-2 / 3, 0, -1 / 3])
    assert found.passed is not None
    assert found.overall is not None
    assert by_passes is not None
    assert by_score is not None
    assert found.passed.delta == Estimate(pytest.approx(-1 / 3), by_passes.low, by_passes.high)
    assert found.overall.delta.value == pytest.approx(-1 / 3)
    assert found.overall.delta.low == pytest.approx(max(by_score.low, -1))
    assert found.smallest_drop == smallest_drop(HEAD, BEFORE)
    assert found.overall.p == 0.25


def test_the_adjusted_p_stands_at_the_metric_that_decides() -> None:
    for metric, other in (("passed", "overall"), ("overall", "passed")):
        (found,) = numbers(look_at(part(HEAD, BEFORE), metric=metric), metric=metric)
        assert getattr(found, metric).p_adjusted == getattr(found, metric).p
        assert getattr(found, other).p_adjusted is None


def test_cases_that_are_not_compared_are_left_out_and_errors_counted() -> None:
    before = measured(tally("a", 3, 3), tally("gone", 2, 3))
    after = measured(tally("a", 3, 3), tally("new", 0, 2), tally("b", 95, 95, errored=1))
    (found,) = numbers(look_at(GatePart(after, before)))
    assert (found.cases, found.head.runs, found.head.left_out, found.head.errored) == (1, 3, 97, 1)
    assert found.baseline is not None
    assert (found.baseline.runs, found.baseline.left_out) == (3, 3)


def test_without_a_baseline_there_is_the_head_alone() -> None:
    (found,) = numbers(look_at(part(HEAD, None)))
    assert (found.cases, found.head.runs, found.head.left_out) == (0, 9, 0)
    assert (found.baseline, found.passed, found.overall, found.smallest_drop) == (None,) * 4


def test_nothing_scored_has_no_rate() -> None:
    (found,) = numbers(look_at(GatePart(measured(tally("a", 0, 0, errored=2)), None)))
    assert (found.head.pass_rate, found.head.score, found.head.errored) == (None, None, 2)


def totals(look: Look) -> Numbers:
    return totals_of(look.standings, numbers(look), random.Random(0))


def test_totals_of_one_suite_are_its_own() -> None:
    look = look_at(part(HEAD, BEFORE))
    assert totals(look) == numbers(look)[0]


def test_totals_pool_the_compared_cases_of_all_suites() -> None:
    look = look_at(
        part(HEAD, BEFORE, suite="a"),
        part([(0, 1)], [(1, 1)], suite="b"),
        part(HEAD, None, suite="c"),
    )
    found = totals(look)
    assert found.passed is not None
    assert (found.cases, found.head.runs, found.head.left_out) == (4, 10, 9)
    assert found.passed.delta.value == pytest.approx((-2 / 3 - 1 / 3 - 1) / 4)
    assert found.passed.p_adjusted is None


def test_totals_without_any_comparison_are_all_heads() -> None:
    found = totals(look_at(part(HEAD, None, suite="a"), part([(1, 1)], None, suite="b")))
    assert (found.cases, found.head.runs, found.baseline) == (0, 10, None)
