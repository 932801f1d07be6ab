"""The self-test measures the gate on recorded repeats."""

from __future__ import annotations

import random

import pytest

from measured import counted
from toolgauge.compare.intervals import wilson
from toolgauge.compare.selftest import rehearse, selftest
from toolgauge.model.policy import Policy
from toolgauge.model.selftest import SelfTest

RECORDED = counted([(15, 15)] * 14 + [(11, 15)] * 4 + [(2, 15)] * 2)


def rehearsed(policy: Policy | None = None, *, gates: int = 200, repeats: int = 3) -> SelfTest:
    return selftest(RECORDED, policy or Policy(), random.Random(1), repeats=repeats, gates=gates)


def test_unchanged_repeats_seldom_fail_and_large_drops_mostly_do() -> None:
    found = rehearsed()
    assert found.unchanged.fail_rate <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5
    assert [one.drop for one in found.dropped] == [0.02, 0.05, 0.10]
    rates = [one.fail_rate for one in found.dropped]
    assert rates == sorted(rates)
    assert rates[-1] > 0.9


def test_the_sides_share_what_was_recorded() -> None:
    found = rehearsed(gates=1)
    assert (found.cases, found.left_out, found.head_runs, found.baseline_runs) == (20, 0, 3, 12)
    assert rehearsed(gates=1, repeats=99).head_runs == 7


def test_cases_that_were_recorded_once_are_left_out() -> None:
    recorded = counted([(1, 1), (2, 4), (0, 0)])
    found = selftest(recorded, Policy(), random.Random(0), gates=1)
    assert (found.cases, found.left_out, found.head_runs) == (1, 2, 2)


def test_rates_come_with_their_interval_and_counts() -> None:
    found = rehearsed(gates=50).dropped[-1]
    assert found.interval == wilson(found.failed, 50)
    assert found.failed + found.warned <= found.gates == 50
    assert found.extra_repeats > 0


def test_the_same_chance_gives_the_same_result() -> None:
    assert rehearsed(gates=20) == rehearsed(gates=20)


def test_floors_and_report_only_do_not_hide_what_the_test_does() -> None:
    shy = Policy(policy="report-only", metric="overall", min_score=1.0, max_cost_ratio=0.1)
    assert rehearsed(shy, gates=40) == rehearsed(gates=40)


def test_strict_alarms_often_on_a_suite_of_chance() -> None:
    assert rehearsed(Policy(policy="strict"), gates=40).unchanged.fail_rate > 0.5


@pytest.mark.parametrize("wrong", [{"gates": 0}, {"repeats": 0}])
def test_a_self_test_needs_a_gate_and_a_repeat(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        rehearsed(**wrong)


def test_what_was_recorded_once_cannot_be_split() -> None:
    with pytest.raises(ValueError, match="more than once"):
        selftest(counted([(1, 1)] * 9), Policy(), random.Random(0))


def test_a_rehearsal_buys_what_the_gate_asks_for() -> None:
    asked: list[tuple[str, int]] = []

    def again(case_id: str, repeats: int) -> int:
        asked.append((case_id, repeats))
        return 0

    before = {f"c{n}": (3, 3) for n in range(4)}
    done = rehearse(before, before | {"c0": (0, 3)}, Policy(), again=again, rng=random.Random(0))
    second, fresh = asked[:4], asked[4:]
    assert second == [(f"c{n}", 3) for n in range(4)]
    assert {case_id for case_id, _ in fresh} == {"c0", "c1", "c2", "c3"}
    assert (done.verdict, done.extra_repeats) == ("fail", sum(n for _, n in asked))
