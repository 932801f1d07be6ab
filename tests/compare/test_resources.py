"""Cost, tokens and latency: totals, medians over cases, ratios."""

from __future__ import annotations

from measured import pair, tally
from toolgauge.compare.resources import ratios, resources_of, spend_of
from toolgauge.model.report import Resources, Spend


def used(case_id: str, runs: int, cost: float | None, ms: float | None = None) -> object:
    return tally(case_id, runs, runs, cost_usd=cost, latency_median_ms=ms, input_tokens=10 * runs)


def test_totals_are_sums_and_medians_are_over_cases_per_trial() -> None:
    spend = spend_of([used("a", 1, 1.0, 10.0), used("b", 3, 6.0, 30.0), used("c", 2, 10.0)])
    assert (spend.trials, spend.cost_usd, spend.input_tokens) == (6, 17.0, 60)
    assert (spend.cost_median_usd, spend.latency_median_ms) == (2.0, 20.0)
    assert spend.output_tokens is None


def test_one_unknown_cost_makes_the_total_unknown_and_not_the_median() -> None:
    spend = spend_of([used("a", 1, 1.0), used("b", 1, None)])
    assert (spend.cost_usd, spend.cost_median_usd) == (None, 1.0)


def test_cases_without_a_scored_trial_cost_nothing_and_nothing_is_known_of_none() -> None:
    dead = tally("a", 0, 0, errored=3, cost_usd=0.0)
    assert spend_of([dead]) == Spend(0)
    assert spend_of([dead, used("b", 1, 2.0)]).cost_median_usd == 2.0


def test_ratios_are_per_trial_so_that_repeats_do_not_count() -> None:
    one = pair(used("a", 15, 15.0, 100.0), used("a", 3, 6.0, 150.0))
    assert ratios([one]) == (2.0, 1.5)


def test_ratios_are_over_the_cases_known_on_both_sides() -> None:
    known = pair(used("a", 1, 1.0), used("a", 1, 1.0))
    half = pair(used("b", 1, None), used("b", 1, 9.0))
    assert ratios([known, half]) == (1.0, None)
    assert ratios([half]) == (None, None)
    assert ratios([]) == (None, None)


def test_nothing_is_a_multiple_of_what_was_free() -> None:
    assert ratios([pair(used("a", 1, 0.0), used("a", 1, 1.0))]) == (None, None)


def test_without_pairs_the_head_stands_alone() -> None:
    assert resources_of([], [used("a", 1, 1.0)]) == Resources(spend_of([used("a", 1, 1.0)]))
    both = resources_of([pair(used("a", 1, 1.0), used("a", 1, 3.0))], [])
    assert both.baseline is not None
    assert (both.head.cost_usd, both.baseline.cost_usd, both.cost_ratio) == (3.0, 1.0, 3.0)
