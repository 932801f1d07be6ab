"""Batches and runs are pooled by adding up what was counted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measured import counted, measured, tally
from toolgauge.compare.pooling import (
    known_sum,
    pool_baselines,
    pool_batches,
    pool_each,
    pool_tallies,
    why_unfit,
)
from toolgauge.model.comparison import Sample

counts = st.integers(0, 9).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs)))


@given(st.lists(counts, min_size=1, max_size=6))
@settings(max_examples=50, deadline=None)
def test_pooled_counts_are_sums(parts: list[tuple[int, int]]) -> None:
    pooled = pool_tallies([tally("a", *part, score=0.5) for part in parts])
    assert pooled.counts == (sum(p for p, _ in parts), sum(r for _, r in parts))
    assert pooled.score_sum == pytest.approx(0.5 * pooled.runs)


def test_what_is_unknown_once_is_unknown_in_the_sum() -> None:
    known = tally("a", 1, 1, cost_usd=0.5, input_tokens=3, latency_median_ms=10.0)
    unknown = tally("a", 1, 1, input_tokens=4, latency_median_ms=30.0)
    pooled = pool_tallies([known, unknown])
    assert (pooled.cost_usd, pooled.input_tokens, pooled.latency_median_ms) == (None, 7, 20.0)
    assert known_sum([]) is None


def test_calls_are_added_by_name_and_samples_come_from_the_newest_that_has_one() -> None:
    old = Sample(({"name": "old", "arguments": {}},))
    pooled = pool_tallies(
        [
            tally("a", 0, 1, called_tools={"x": 1}),
            tally("a", 1, 1, called_tools={"x": 2, "": 1}, passing=old),
        ]
    )
    assert pooled.called_tools == {"x": 3, "": 1}
    assert pooled.passing is old
    assert pooled.failing is None


def test_a_second_batch_joins_the_first_and_hands_on_that_it_was_cut_short() -> None:
    first = counted([(2, 3), (3, 3)], repeats=3)
    pooled = pool_batches(first, counted([(1, 3)], repeats=3, truncated=True))
    assert [one.counts for one in pooled.tallies.values()] == [(3, 6), (3, 3)]
    assert pooled.side.truncated
    assert pooled.side.repeats == 6


def test_a_baseline_pools_the_five_newest_runs() -> None:
    runs = [counted([(1, 3)], run_ids=(f"run{n}",), repeats=3) for n in range(7)]
    pooled = pool_baselines(runs)
    assert pooled.tallies["c0"].counts == (5, 15)
    assert pooled.side.run_ids == ("run0", "run1", "run2", "run3", "run4")
    assert pooled.side.repeats == 15


def test_only_cases_that_are_the_newest_runs_are_pooled() -> None:
    newest = measured(tally("a", 1, 1), tally("b", 1, 1), tally("c", 1, 1))
    older = measured(
        tally("a", 1, 1),
        tally("b", 1, 1, request="x"),
        tally("c", 1, 1, expectation="x"),
        tally("d", 1, 1),
    )
    pooled = pool_baselines([newest, older])
    assert {case_id: one.runs for case_id, one in pooled.tallies.items()} == {
        "a": 2,
        "b": 1,
        "c": 1,
    }


@pytest.mark.parametrize(
    "other",
    [{"model": "b"}, {"parameters": {"temperature": 1}}, {"model_served": "gpt-5-2025"}],
)
def test_runs_of_another_model_or_with_other_parameters_are_not_pooled(
    other: dict[str, object],
) -> None:
    asked = {"model": "a", "model_served": "gpt-5-2024"}
    pooled = pool_baselines([counted([(1, 1)], **asked), counted([(1, 1)], **asked | other)])
    assert pooled.tallies["c0"].runs == 1


def test_an_unfit_run_is_passed_over_while_there_is_a_fit_one() -> None:
    cut, fit = counted([(1, 1)], truncated=True), counted([(0, 3)])
    assert pool_baselines([cut, fit]).tallies["c0"].counts == (0, 3)
    assert pool_baselines([cut, cut]) is cut
    with pytest.raises(ValueError, match="no run"):
        pool_baselines([])


def test_a_deterministic_baseline_is_its_newest_run_alone() -> None:
    runs = [counted([(passes, 1)], deterministic=True) for passes in (0, 1)]
    assert pool_baselines(runs) is runs[0]


def test_each_suite_and_target_is_pooled_by_itself() -> None:
    runs = [counted([(1, 1)], suite=suite) for suite in ("a", "b", "a")]
    pooled = pool_each(runs)
    assert [(run.side.suite, run.tallies["c0"].runs) for run in pooled] == [("a", 2), ("b", 1)]


@pytest.mark.parametrize(("errored", "is_fit"), [(5, True), (6, False)])
def test_five_percent_of_errored_trials_are_the_most(errored: int, is_fit: bool) -> None:  # noqa: FBT001 - a parameter
    run = measured(tally("a", 0, 100 - errored, errored=errored))
    assert (why_unfit(run) is None) == is_fit


def test_a_run_that_was_cut_short_or_asked_nothing_is_no_baseline() -> None:
    assert why_unfit(counted([(1, 1)], truncated=True)) == "the run was stopped before its end"
    assert why_unfit(measured()) == "nothing was asked"
