from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.model.trial import (
    FailureKind,
    Score,
    Scored,
    Trial,
    TrialError,
    TrialKey,
    Usage,
)
from toolgauge.scoring.metrics import Accumulator, aggregate


def trial(
    *,
    kind: FailureKind | None = None,
    latency_ms: float | None = None,
    usage: Usage | None = None,
    cached: bool = False,
    **scores: float | Score | None,
) -> Trial:
    scored = Scored(
        scores={
            name: value if isinstance(value, Score) else Score(value)
            for name, value in scores.items()
        },
        passed=kind is None,
        failure_kind=kind,
        schema_valid=None,
        extra_calls=0,
    )
    return Trial(
        TrialKey("c", "t", 0),
        scored,
        latency_ms=latency_ms,
        usage=usage or Usage(),
        cached=cached,
    )


def errored(code: str | None = "rate_limit", **fields: float) -> Trial:
    error = TrialError("provider", "no", code)
    return Trial(TrialKey("c", "t", 0), None, error=error, latency_ms=fields.get("latency_ms"))


def accumulated(trials: list[Trial]) -> Accumulator:
    accumulator = Accumulator()
    for each in trials:
        accumulator.add(each)
    return accumulator


def test_a_mean_states_what_it_is_over() -> None:
    means = aggregate([trial(overall=1.0), trial(overall=0.5), trial(overall=None), errored()])
    assert means["overall"].as_json() == {
        "macro": 0.75,
        "n": 2,
        "n_unscored": 1,
        "n_errored": 1,
    }


def test_an_errored_trial_is_never_a_zero() -> None:
    means = aggregate([errored(), errored()])
    assert (means["overall"].macro, means["overall"].n, means["overall"].n_errored) == (None, 0, 2)


def test_fractions_are_also_summed() -> None:
    means = aggregate([trial(ahr=Score(1.0, "", 1, 1)), trial(ahr=Score(0.0, "", 0, 3))])
    assert (means["ahr"].macro, means["ahr"].micro) == (0.5, 0.25)
    assert (means["ahr"].numerator, means["ahr"].denominator) == (1, 4)


def test_fractions_over_nothing_have_no_micro_average() -> None:
    means = aggregate([trial(ahr=Score(None, "", 0, 0))])
    assert (means["ahr"].micro, means["ahr"].denominator) == (None, 0)
    assert means["overall"].denominator is None


def test_scores_stand_in_their_usual_order_and_others_after_them() -> None:
    means = aggregate([trial(zebra=1.0, bfcl=1.0, ant=1.0, completion=0.5, tool=1.0)])
    assert list(means) == [
        *("tool", "params", "overall", "exact_match", "tsa", "ahr", "tp"),
        *("completion", "bfcl", "ant", "zebra"),
    ]


def test_a_score_that_few_trials_have_counts_the_others_as_unscored() -> None:
    means = aggregate([trial(overall=1.0), trial(overall=1.0, own=0.5)])
    assert (means["own"].macro, means["own"].n, means["own"].n_unscored) == (0.5, 1, 1)


@settings(max_examples=60)
@given(
    st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=40),
    st.lists(st.floats(0, 1e6), max_size=40),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_trials_changes_no_bit(
    values: list[float | None], costs: list[float], order: random.Random
) -> None:
    trials = [trial(overall=value) for value in values]
    trials += [trial(overall=1.0, latency_ms=cost, usage=Usage(1, 2, cost)) for cost in costs]
    shuffled = list(trials)
    order.shuffle(shuffled)
    assert accumulated(trials).summary("t") == accumulated(shuffled).summary("t")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_mean_is_the_nearest_number_to_the_true_one(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction()) / len(values)
    assert aggregate([trial(overall=value) for value in values])["overall"].macro == float(exact)


@given(st.floats(0, 1), st.integers(1, 50))
def test_equal_values_have_exactly_that_mean(value: float, count: int) -> None:
    assert aggregate([trial(overall=value)] * count)["overall"].macro == value


def test_a_summary_counts_outcomes_cost_and_time() -> None:
    summary = accumulated(
        [
            trial(overall=1.0, latency_ms=30.0, usage=Usage(100, 20, 0.1), cached=True),
            trial(overall=0.0, kind="wrong_tool", latency_ms=10.0, usage=Usage(100, None, 0.2)),
            trial(overall=0.0, kind="no_call", latency_ms=20.0),
            trial(overall=0.0, kind="no_call"),
            errored("timeout", latency_ms=60_000.0),
            errored(None),
        ]
    ).summary("openai/gpt-x")
    assert (summary.target, summary.n_trials, summary.n_errored) == ("openai/gpt-x", 6, 2)
    assert (summary.n_passed, summary.pass_rate, summary.score) == (1, 0.25, 0.25)
    assert list(summary.failure_kinds.items()) == [("no_call", 2), ("wrong_tool", 1)]
    assert summary.error_codes == {"provider": 1, "timeout": 1}
    assert (summary.input_tokens, summary.output_tokens) == (200, 20)
    assert (summary.cost_usd, summary.n_cost_unknown) == (pytest.approx(0.3), 4)
    assert (summary.latency_median_ms, summary.latency_p95_ms) == (25.0, 60_000.0)
    assert (summary.n_latency, summary.n_cached) == (4, 1)


def test_a_summary_of_nothing_claims_nothing() -> None:
    summary = Accumulator().summary("t")
    assert (summary.pass_rate, summary.score, summary.latency_median_ms) == (None, None, None)
    assert (summary.latency_p95_ms, summary.cost_usd, summary.n_trials) == (None, 0.0, 0)


@pytest.mark.parametrize(("count", "p95"), [(1, 1), (19, 19), (20, 19), (21, 20), (100, 95)])
def test_the_95th_percentile_is_a_latency_that_was_measured(count: int, p95: int) -> None:
    trials = [trial(latency_ms=float(each)) for each in range(1, count + 1)]
    assert accumulated(trials).summary("t").latency_p95_ms == p95
