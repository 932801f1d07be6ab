"""Cases are screened by what is there and confirmed by fresh repeats alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from measured import counted, look_at, part, tally
from toolgauge.compare.pairing import GatePart
from toolgauge.compare.screening import Retest, Screened, confirm, screen

KEY = ("weather", "gpt")


def broken(cases: int, runs: int, baseline_runs: int) -> tuple[Screened, ...]:
    """Return what screening says of so many broken cases."""
    gate = part([(0, runs)] * cases, [(baseline_runs, baseline_runs)] * cases)
    return screen(look_at(gate))


@pytest.mark.parametrize(
    ("head", "baseline", "is_screened"),
    [
        ((1, 3), (3, 3), True),
        ((2, 3), (3, 3), False),
        ((3, 10), (8, 10), True),
        ((4, 10), (8, 10), False),
        ((0, 10), (7, 10), False),
        ((0, 5), (4, 5), True),
        ((3, 3), (0, 3), False),
    ],
)
def test_a_case_is_screened_that_passed_often_and_dropped_by_half(
    head: tuple[int, int],
    baseline: tuple[int, int],
    is_screened: bool,  # noqa: FBT001 - a parameter
) -> None:
    assert bool(screen(look_at(part([head], [baseline])))) == is_screened


@pytest.mark.parametrize(
    ("cases", "baseline_runs", "repeats"),
    [(1, 3, 5), (3, 3, 6), (5, 3, 7), (10, 3, 9), (10, 5, 5), (10, 15, 5), (1, 1, 19)],
)
def test_as_many_repeats_are_asked_as_can_confirm_all_screened_cases(
    cases: int, baseline_runs: int, repeats: int
) -> None:
    assert {one.repeats for one in broken(cases, 1, baseline_runs)} == {repeats}


def test_where_more_than_twenty_are_needed_none_are_asked_and_it_is_said_why() -> None:
    found = broken(10, 1, 1)
    assert {(one.needed, one.repeats) for one in found} == {(199, 0)}
    assert found[0].why_not == (
        "confirming it against 1 baseline run takes 199 fresh repeats, more than 20"
    )


def test_cases_are_counted_over_all_suites_of_a_gate() -> None:
    parts = [part([(0, 3)] * 5, [(3, 3)] * 5, suite=suite) for suite in "ab"]
    assert [one.repeats for one in screen(look_at(*parts))] == [9] * 10


def test_nothing_is_screened_under_strict_and_without_a_baseline() -> None:
    gone = [(0, 1)] * 3
    assert screen(look_at(part(gone, [(1, 1)] * 3), policy="strict")) == ()
    assert screen(look_at(part(gone, [(1, 1)] * 3, deterministic=True))) == ()
    assert screen(look_at(part(gone, None))) == ()


def test_a_target_that_cannot_be_asked_again_leaves_suspects() -> None:
    gate = replace(part([(0, 3)], [(3, 3)]), can_repeat=False)
    (found,) = screen(look_at(gate))
    assert (found.repeats, found.why_not) == (0, "the target could not be asked again")
    assert not confirm((found,), {})[0].is_confirmed


def test_nothing_is_asked_once_the_gate_cannot_be_decided() -> None:
    cut = counted([(1, 1)], suite="cut", truncated=True)
    (found,) = screen(look_at(part([(0, 3)], [(3, 3)]), GatePart(cut, cut)))
    assert (found.repeats, "not be decided" in found.why_not) == (0, True)


def retested(fresh: tuple[int, int], screened: int) -> Retest:
    """Return the first of so many screened cases, after its fresh repeats alone."""
    return confirm(broken(screened, 3, 3), {(*KEY, "c0"): tally("c0", *fresh)})[0]


def test_fresh_repeats_are_tested_against_the_baseline_alone() -> None:
    found = retested((0, 5), 1)
    assert found.p == pytest.approx(stats.fisher_exact([[0, 5], [3, 0]], alternative="less")[1])
    assert found.p == pytest.approx(1 / 56)
    assert found.is_confirmed
    assert found.why_not == ""


def test_a_case_that_passes_again_is_a_suspect_and_it_is_said_why() -> None:
    found = retested((4, 5), 1)
    assert not found.is_confirmed
    assert found.why_not == "it passed 4 of 5 fresh repeats: this can be chance"


def test_holm_counts_the_screened_cases_whose_repeats_could_not_be_had() -> None:
    alone, of_three = retested((0, 5), 1), retested((0, 5), 3)
    assert of_three.p_adjusted == pytest.approx(3 * (alone.p or 0))
    assert not of_three.is_confirmed


def test_all_broken_cases_are_confirmed_by_the_repeats_that_were_asked() -> None:
    screened = broken(10, 3, 3)
    fresh = {one.case_key: tally(one.pair.id, 0, one.repeats) for one in screened}
    assert all(one.is_confirmed for one in confirm(screened, fresh))


def test_nineteen_failures_against_one_pass_confirm_at_exactly_five_percent() -> None:
    (screened,) = broken(1, 1, 1)
    found = confirm((screened,), {screened.case_key: tally("c0", 0, 19)})[0]
    assert (found.p, found.is_confirmed) == (0.05, True)


def test_errored_or_missing_repeats_confirm_nothing() -> None:
    (screened,) = broken(1, 3, 3)
    dead = tally("c0", 0, 0, errored=5)
    for fresh in ({}, {screened.case_key: dead}):
        found = confirm((screened,), fresh)[0]
        assert (found.p, found.why_not) == (None, "its fresh repeats could not be had")


def test_repeats_that_were_not_asked_for_are_not_looked_at() -> None:
    screened = broken(10, 1, 1)
    found = confirm(screened, {one.case_key: tally(one.pair.id, 0, 500) for one in screened})
    assert not any(one.is_confirmed for one in found)
    assert {one.p for one in found} == {None}
