"""One look or two: what fails at once, what is asked again, what stays unclear."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from measured import counted, look_at, measured, part, tally
from toolgauge.compare.looks import (
    FIRST_LEVEL,
    ONLY_LEVEL,
    SECOND_LEVEL,
    Look,
    Standing,
    first_look,
    second_look,
)
from toolgauge.compare.pairing import GatePart
from toolgauge.model.policy import Policy

KEY = ("weather", "gpt")
ALWAYS = [(1, 1)] * 20


def lost(cases: int, of: int = 20) -> list[tuple[int, int]]:
    return [(0, 1)] * cases + [(1, 1)] * (of - cases)


def only(look: Look) -> Standing:
    (standing,) = look.standings
    return standing


def test_the_first_of_two_looks_fails_only_what_is_clear() -> None:
    # five lost cases: p = 1/32; seven: p = 1/128
    unclear, clear = only(look_at(part(lost(5), ALWAYS))), only(look_at(part(lost(7), ALWAYS)))
    assert (unclear.p, unclear.level, unclear.dropped) == (1 / 32, FIRST_LEVEL, False)
    assert (clear.p, clear.dropped) == (1 / 128, True)
    assert look_at(part(lost(5), ALWAYS)).wants_second_batch == (KEY,)
    assert look_at(part(lost(7), ALWAYS)).wants_second_batch == ()


def test_the_levels_of_both_looks_are_those_of_obrien_and_fleming() -> None:
    assert pytest.approx(stats.norm.sf(2.373), abs=5e-5) == FIRST_LEVEL
    assert pytest.approx(stats.norm.sf(1.678), abs=5e-5) == SECOND_LEVEL


@pytest.mark.parametrize(
    "gate",
    [
        look_at(part(lost(5), ALWAYS), second_batch=False),
        look_at(part(lost(5), ALWAYS), fail_on="case"),
        look_at(replace(part(lost(5), ALWAYS), can_repeat=False)),
    ],
)
def test_where_nothing_is_bought_the_only_look_is_at_five_percent(gate: Look) -> None:
    assert (only(gate).level, only(gate).dropped) == (ONLY_LEVEL, True)
    assert gate.wants_second_batch == ()


def test_a_p_of_exactly_five_percent_fails() -> None:
    # one case, 3 of 3 before and 0 of 3 now: p = 1/20
    assert only(look_at(part([(0, 3)], [(3, 3)]), second_batch=False)).dropped


def test_a_drop_below_the_allowed_neither_fails_nor_is_asked_again() -> None:
    look = look_at(part(lost(7), ALWAYS), max_drop=0.36)
    assert not only(look).drop_is_seen
    assert look.wants_second_batch == ()
    assert only(look_at(part(lost(7), ALWAYS), max_drop=0.35)).dropped


def test_a_drop_of_exactly_the_allowed_is_seen_despite_rounding() -> None:
    # three cases of 50 fall from 3/3 to 2/3: -0.02, as floats -0.020000000000000004 or so
    head = [(2, 3)] * 3 + [(3, 3)] * 47
    assert only(look_at(part(head, [(3, 3)] * 50))).drop_is_seen


def test_no_change_is_no_drop_even_where_no_drop_is_allowed() -> None:
    assert not only(look_at(part(ALWAYS, ALWAYS), max_drop=0)).drop_is_seen
    assert only(look_at(part(lost(1), ALWAYS), max_drop=0)).drop_is_seen


def test_the_second_look_pools_both_batches_and_fails_at_its_own_level() -> None:
    look = look_at(part(lost(5), ALWAYS))
    again = second_look(look, {KEY: counted(lost(5))})
    standing = only(again)
    assert [one.counts for one in standing.part.head.tallies.values()][:6] == [(0, 2)] * 5 + [
        (2, 2)
    ]
    assert standing.p == pytest.approx((1 / 3) ** 5)
    assert (standing.looks, standing.level, standing.dropped) == (2, SECOND_LEVEL, True)
    assert again.wants_second_batch == ()


def test_a_second_batch_without_the_drop_clears_the_suite() -> None:
    head = [*lost(1, 30)]
    look = look_at(part(head, [(1, 1)] * 30))
    assert look.wants_second_batch == (KEY,)
    cleared = only(second_look(look, {KEY: counted([(1, 1)] * 30)}))
    assert not cleared.drop_is_seen
    assert not cleared.dropped


def test_a_second_batch_that_is_missing_leaves_the_drop_unclear() -> None:
    look = second_look(look_at(part(lost(5), ALWAYS)), {})
    assert (only(look).looks, only(look).drop_is_seen, only(look).dropped) == (1, True, False)
    assert look.wants_second_batch == (KEY,)


def test_a_second_batch_that_was_not_wanted_is_left_out() -> None:
    look = look_at(part(ALWAYS, ALWAYS))
    assert second_look(look, {KEY: counted(lost(20))}) == look


def test_a_second_batch_that_errored_or_was_cut_short_decides_nothing() -> None:
    look = look_at(part(lost(5), ALWAYS))
    dead = measured(*(tally(f"c{n}", 0, 0, errored=1) for n in range(20)))
    assert only(second_look(look, {KEY: dead})).obstacle == "error"
    cut = counted(lost(5), truncated=True)
    assert only(second_look(look, {KEY: cut})).obstacle == "inconclusive"


def test_holm_holds_over_the_suites_that_the_test_decides_on() -> None:
    five = [part(lost(7 if n == 0 else 0), ALWAYS, suite=f"s{n}") for n in range(5)]
    look = look_at(*five, second_batch=False)
    assert look.standings[0].p_adjusted == pytest.approx(5 / 128)
    assert [one.dropped for one in look.standings] == [True, False, False, False, False]
    nine = [part(lost(7 if n == 0 else 0), ALWAYS, suite=f"s{n}") for n in range(9)]
    assert not look_at(*nine, second_batch=False).standings[0].dropped


def test_strict_parts_and_obstacles_are_no_part_of_holms_family() -> None:
    fixed = part(lost(1), ALWAYS, suite="fixed", deterministic=True)
    new = part(ALWAYS, None, suite="new")
    look = look_at(part(lost(5), ALWAYS), fixed, new, second_batch=False)
    assert look.standings[0].p_adjusted == 1 / 32
    assert [one.p for one in look.standings[1:]] == [None, None]


def test_what_failed_at_the_first_look_stays_failed() -> None:
    parts = [part(lost(8), ALWAYS, suite="a"), part(lost(4), ALWAYS, suite="b")]
    look = look_at(*parts)
    assert look.standings[0].dropped
    assert look.wants_second_batch == (("b", "gpt"),)
    again = second_look(look, {("b", "gpt"): counted(ALWAYS, suite="b")})
    assert [one.dropped for one in again.standings] == [True, False]
    assert [one.looks for one in again.standings] == [1, 2]


@pytest.mark.parametrize(("errored", "obstacle"), [(1, None), (2, "error")])
def test_more_than_five_percent_of_errored_head_trials_is_an_error(
    errored: int, obstacle: str | None
) -> None:
    head = measured(tally("a", 20 - errored, 20 - errored, errored=errored))
    look = look_at(GatePart(head, measured(tally("a", 20, 20))))
    assert only(look).obstacle == obstacle


def test_a_baseline_may_have_errored_trials() -> None:
    before = measured(tally("a", 3, 3, errored=9), tally("b", 0, 0, errored=3))
    standing = only(look_at(GatePart(measured(tally("a", 3, 3), tally("b", 3, 3)), before)))
    assert standing.obstacle is None
    assert [one.id for one in standing.pairing.unmeasured] == ["b"]


def test_a_run_that_was_cut_short_is_inconclusive_on_either_side() -> None:
    cut, whole = counted(ALWAYS, truncated=True), counted(ALWAYS)
    assert only(look_at(GatePart(cut, whole))).obstacle == "inconclusive"
    assert only(look_at(GatePart(whole, cut))).obstacle == "inconclusive"
    assert only(look_at(GatePart(cut, None))).obstacle == "inconclusive"


def test_nothing_measured_is_an_error_and_nothing_comparable_has_no_baseline() -> None:
    assert only(look_at(GatePart(measured(), counted(ALWAYS)))).obstacle == "error"
    other = measured(tally("a", 1, 1, expectation="new"))
    assert only(look_at(GatePart(other, measured(tally("a", 1, 1))))).obstacle == "no-baseline"


def test_nothing_more_is_bought_once_the_gate_cannot_be_decided() -> None:
    cut = counted(ALWAYS, suite="cut", truncated=True)
    look = look_at(part(lost(5), ALWAYS), GatePart(cut, cut))
    assert look.is_blocked
    assert look.wants_second_batch == ()


@pytest.mark.parametrize(
    ("head", "baseline", "rule"),
    [
        (True, True, "strict"),
        (True, None, "strict"),
        (True, False, "statistical"),
        (False, True, "statistical"),
    ],
)
def test_statistical_becomes_strict_where_both_sides_always_answer_alike(
    head: bool,  # noqa: FBT001 - a parameter
    baseline: bool | None,  # noqa: FBT001 - a parameter
    rule: str,
) -> None:
    before = None if baseline is None else counted(ALWAYS, deterministic=baseline)
    standing = only(look_at(GatePart(counted(lost(5), deterministic=head), before)))
    assert standing.rule == rule
    assert not standing.wants_second_batch or not head


def test_the_score_decides_where_the_metric_says_so() -> None:
    before = measured(*(tally(f"c{n}", 1, 1, score=0.9) for n in range(20)))
    after = measured(*(tally(f"c{n}", 1, 1, score=0.9 - 0.01 * n) for n in range(20)))
    by_score = only(look_at(GatePart(after, before), metric="overall"))
    assert by_score.delta == pytest.approx(-0.095)
    assert by_score.dropped
    assert only(look_at(GatePart(after, before))).p == 1.0


def test_chance_is_seeded_by_the_ids_of_both_runs() -> None:
    seeds: list[str] = []

    def seeded(seed: str) -> random.Random:
        seeds.append(seed)
        return random.Random(seed)

    gate = GatePart(counted(ALWAYS, run_ids=("h",)), counted(ALWAYS, run_ids=("b1", "b2")))
    first_look([gate], Policy(), seeded=seeded)
    assert seeds == ["h\nb1\nb2"]


def test_a_suite_and_target_can_be_there_once() -> None:
    with pytest.raises(ValueError, match="once"):
        look_at(part(ALWAYS, ALWAYS), part(ALWAYS, None))


rates = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


@given(rates)
@settings(max_examples=60, deadline=None)
def test_a_gate_never_fails_at_the_first_look_what_one_look_would_not(
    passes: list[tuple[int, int]],
) -> None:
    gate = part([(head, 3) for head, _ in passes], [(before, 3) for _, before in passes])
    two, one = only(look_at(gate)), only(look_at(gate, second_batch=False))
    assert two.dropped <= one.dropped
    assert two.p == one.p
