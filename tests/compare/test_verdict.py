"""What the gate says, and why."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from measured import counted, look_at, measured, part, reported, tally
from toolgauge.compare.looks import second_look
from toolgauge.compare.pairing import GatePart
from toolgauge.compare.verdict import Ruling, rule_on, rule_on_all
from toolgauge.model.report import Report

KEY = ("weather", "gpt")
FIVE = [(3, 3)] * 5
BROKEN = {(*KEY, "c0"): tally("c0", 0, 5)}
BFCL = os.environ.get("TOOLGAUGE_BFCL_DIR")
needs_bfcl = pytest.mark.skipif(
    BFCL is None,
    reason="TOOLGAUGE_BFCL_DIR is not set: it names the folder of the recorded BFCL packs",
)


def gate(
    head: list[tuple[int, int]],
    baseline: list[tuple[int, int]] | None = None,
    *,
    fresh: Any = None,
    **policy: Any,
) -> Report:
    """Return the report of a gate of one suite, whose baseline is five cases that pass."""
    return reported(look_at(part(head, baseline or FIVE), **policy), fresh)


def critical(head: tuple[int, int], **policy: Any) -> Report:
    """Return the report where ``head`` is of a critical case, of 40, that always passed."""
    others = [tally(f"c{n}", 3, 3) for n in range(1, 40)]
    after = measured(tally("c0", *head, critical=True), *others)
    before = measured(tally("c0", 3, 3), *others)
    return reported(look_at(GatePart(after, before), **policy), BROKEN)


def test_no_drop_passes() -> None:
    report = gate(FIVE)
    assert (report.verdict, report.exit_code) == ("pass", 0)
    assert report.reason == ("The pass rate changed by +0.0 points, no drop beyond the allowed.")


def test_a_clear_drop_of_a_suite_fails() -> None:
    report = gate([(0, 3)] * 5)
    assert (report.verdict, report.exit_code) == ("fail", 1)
    assert report.reason == "The pass rate dropped by 100.0 points (p < 0.0001)."


def test_a_drop_that_can_be_chance_warns() -> None:
    report = gate([(1, 3), *FIVE[1:]], second_batch=False)
    assert (report.verdict, report.exit_code) == ("warn", 0)
    assert report.reason == (
        "The pass rate dropped by 13.3 points (p = 0.2000), which can be chance."
    )


def test_a_confirmed_regression_fails_though_the_suite_does_not_drop() -> None:
    report = critical((0, 3), max_drop=0.1)
    assert report.verdict == "fail"
    assert report.reason == "1 confirmed regression."


def test_a_suspect_alone_does_not_fail() -> None:
    cleared = {(*KEY, "c0"): tally("c0", 5, 5)}
    report = gate([(0, 3), *FIVE[1:]], fresh=cleared, max_drop=0.5)
    assert report.verdict == "pass"
    assert report.reason.endswith("; 1 suspect case not confirmed.")


@pytest.mark.parametrize(
    ("fail_on", "verdict", "because"),
    [
        ("either", "fail", "The pass rate dropped by 20.0 points (p = 0.0500); 1 confirmed"),
        ("suite", "fail", "The pass rate dropped by 20.0 points (p = 0.0500)."),
        ("case", "fail", "1 confirmed regression."),
    ],
)
def test_fail_on_says_what_fails(fail_on: str, verdict: str, because: str) -> None:
    report = gate([(0, 3), *FIVE[1:]], fresh=BROKEN, fail_on=fail_on, second_batch=False)
    assert report.verdict == verdict
    assert report.reason.startswith(because)


def test_what_fail_on_leaves_out_warns() -> None:
    by_suite = gate([(0, 3), *FIVE[1:]], fresh=BROKEN, fail_on="suite", max_drop=0.5)
    assert (by_suite.verdict, "does not fail" in by_suite.reason) == ("warn", True)
    many = [(2, 3)] * 30
    by_case = gate(many, [(3, 3)] * 30, fail_on="case")
    assert (by_case.verdict, "does not fail" in by_case.reason) == ("warn", True)


def test_a_critical_case_fails_whatever_fail_on_says() -> None:
    assert critical((0, 3), fail_on="suite", max_drop=0.5).verdict == "fail"


@pytest.mark.parametrize(
    ("metric", "least", "verdict"),
    [
        ("passed", 0.8, "pass"),
        ("passed", 0.81, "fail"),
        ("overall", 0.9, "pass"),
        ("overall", 0.91, "fail"),
    ],
)
def test_min_score_is_held_against_the_policys_metric(
    metric: str, least: float, verdict: str
) -> None:
    run = measured(*(tally(f"c{n}", n > 0, 1, score=0.9) for n in range(5)))
    report = reported(look_at(GatePart(run, run), metric=metric, min_score=least))
    assert report.verdict == verdict


def test_min_score_counts_new_and_changed_cases_too() -> None:
    before = measured(tally("old", 1, 1))
    after = measured(tally("old", 1, 1), tally("new", 0, 1))
    report = reported(look_at(GatePart(after, before), min_score=0.6))
    assert report.verdict == "fail"
    assert report.suites[0].gated_score == 0.5
    assert report.reason == "The pass rate 50.0% is below the least allowed 60.0%."


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [({"max_cost_ratio": 1.5}, "fail"), ({"max_cost_ratio": 2.0}, "pass"), ({}, "pass")],
)
def test_cost_fails_only_by_a_stated_ratio_of_the_medians(
    limit: dict[str, float], verdict: str
) -> None:
    before = measured(tally("a", 15, 15, cost_usd=15.0))
    after = measured(tally("a", 3, 3, cost_usd=6.0))
    assert reported(look_at(GatePart(after, before), **limit)).verdict == verdict


def test_latency_fails_by_its_own_ratio() -> None:
    before = measured(tally("a", 3, 3, latency_median_ms=100.0))
    after = measured(tally("a", 3, 3, latency_median_ms=151.0))
    report = reported(look_at(GatePart(after, before), max_latency_ratio=1.5))
    assert report.reason == "The median latency is 1.51 times the baseline's, above 1.5."


def test_unknown_costs_pass_every_ratio() -> None:
    run = measured(tally("a", 3, 3))
    assert reported(look_at(GatePart(run, run), max_cost_ratio=0.1)).verdict == "pass"


@pytest.mark.parametrize(
    ("head", "baseline", "verdict"),
    [
        ((0, 1), (1, 1), "fail"),
        ((2, 3), (3, 3), "fail"),
        ((1, 3), (2, 3), "fail"),
        ((2, 3), (2, 3), "pass"),
        ((0, 3), (1, 3), "pass"),
        ((3, 3), (0, 3), "pass"),
    ],
)
def test_strict_fails_any_newly_failing_case(
    head: tuple[int, int], baseline: tuple[int, int], verdict: str
) -> None:
    report = gate([head, (1, 1)], [baseline, (1, 1)], policy="strict")
    assert report.verdict == verdict
    assert [one.status for one in report.suites[0].regressions] == ["newly-failing"] * (
        verdict == "fail"
    )


def test_a_deterministic_target_fails_at_one_lost_case_of_many() -> None:
    head, before = [(0, 1)] + [(1, 1)] * 99, [(1, 1)] * 100
    report = reported(look_at(part(head, before, deterministic=True)))
    assert (report.verdict, report.reason) == ("fail", "1 newly failing case.")
    assert reported(look_at(part(head, before))).verdict == "pass"


def test_report_only_warns_of_what_would_fail() -> None:
    report = gate([(0, 3)] * 5, policy="report-only", min_score=0.5)
    assert (report.verdict, report.exit_code) == ("warn", 0)
    assert report.reason.startswith("Without report-only this fails; the pass rate dropped")
    assert "below the least allowed" in report.reason


@pytest.mark.parametrize("policy", ["statistical", "strict", "report-only"])
def test_what_could_not_be_measured_is_never_a_pass_or_a_fail(policy: str) -> None:
    dead = measured(tally("a", 0, 9, errored=1))
    before = measured(tally("a", 10, 10))
    report = reported(look_at(GatePart(dead, before), policy=policy, min_score=0.9))
    assert (report.verdict, report.exit_code) == ("error", 3)
    assert report.reason == "1 of 10 trials errored, more than 5 %."
    cut = measured(tally("a", 0, 9), truncated=True)
    report = reported(look_at(GatePart(cut, before), policy=policy, min_score=0.9))
    assert (report.verdict, report.exit_code) == ("inconclusive", 3)


def test_without_a_baseline_floors_still_hold() -> None:
    new = part([(1, 3)], None)
    report = reported(look_at(new))
    assert (report.verdict, report.exit_code) == ("no-baseline", 0)
    assert reported(look_at(new, min_score=0.5)).verdict == "fail"
    assert reported(look_at(new, on_missing_baseline="fail")).reason == "There is no baseline yet."
    assert reported(look_at(new, on_missing_baseline="fail")).exit_code == 1


def test_a_second_look_that_is_clear_fails() -> None:
    head, before = [(0, 1)] * 5 + [(1, 1)] * 15, [(1, 1)] * 20
    look = second_look(look_at(part(head, before)), {KEY: counted(head)})
    assert reported(look).verdict == "fail"
    still = second_look(look_at(part(head, before)), {KEY: counted([(1, 1)] * 20)})
    assert reported(still).verdict == "warn"


def ruling(verdict: Any) -> Ruling:
    return Ruling(verdict, f"Because of {verdict}.")


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "no-baseline"], "pass"),
        (["no-baseline", "no-baseline"], "no-baseline"),
        (["pass", "warn"], "warn"),
        (["warn", "fail", "pass"], "fail"),
        (["fail", "inconclusive"], "inconclusive"),
        (["inconclusive", "error", "fail"], "error"),
        ([], "error"),
    ],
)
def test_the_worst_part_decides(verdicts: list[str], whole: str) -> None:
    assert rule_on_all([ruling(verdict) for verdict in verdicts]).verdict == whole


def test_the_reason_of_several_suites_says_how_many_and_why_the_first() -> None:
    one, two = ["pass", "fail"], ["fail", "pass", "fail"]
    assert rule_on_all(list(map(ruling, one))).reason == "Fail in 1 of 2 suites: because of fail."
    assert rule_on_all(list(map(ruling, two))).reason == (
        "Fail in 2 of 3 suites, the first because: because of fail."
    )
    assert rule_on_all(list(map(ruling, ["pass"] * 3))).reason == (
        "No drop beyond chance in 3 of 3 suites."
    )


def test_a_ruling_is_about_its_own_suite() -> None:
    look = look_at(part([(0, 3)] * 5, FIVE, suite="a"), part(FIVE, FIVE, suite="b"))
    assert [rule_on(one, [], look.policy).verdict for one in look.standings] == ["fail", "pass"]


def pairs() -> list[dict[str, Any]]:
    with gzip.open(Path(BFCL or "") / "dev" / "gate_pairs.json.gz", "rt") as file:
        recorded: list[dict[str, Any]] = json.load(file)
    return recorded


def recorded_part(recorded: dict[str, Any]) -> GatePart:
    counts = [
        [(int(bit), 1) for bit in recorded[side]] for side in ("candidate_bits", "baseline_bits")
    ]
    head, before = (
        counted(dict(zip(recorded["case_ids"], side, strict=True)), suite=recorded["category"])
        for side in counts
    )
    return GatePart(head, before, can_repeat=False)


@needs_bfcl
def test_recorded_regressions_fail_and_recorded_noise_does_not() -> None:
    by_model: dict[str, list[dict[str, Any]]] = {}
    for recorded in pairs():
        by_model.setdefault(recorded["candidate"], []).append(recorded)
    assert len(by_model) > 3
    failed = {
        (model, suite.head.suite)
        for model, all_of_it in by_model.items()
        for suite in reported(look_at(*map(recorded_part, all_of_it))).suites
        if suite.verdict == "fail"
    }
    assert failed == {
        ("firefunction-v2-FC", "simple"),
        ("firefunction-v2-FC", "parallel"),
        ("firefunction-v2-FC", "parallel_multiple"),
    }


@needs_bfcl
def test_recorded_pairs_have_the_p_of_mcnemars_exact_test() -> None:
    for recorded in pairs():
        lost, won = recorded["lost"], recorded["won"]
        (standing,) = look_at(recorded_part(recorded)).standings
        exact = float(stats.binom.cdf(won, lost + won, 0.5)) if lost + won else 1.0
        assert standing.p == pytest.approx(exact, rel=1e-9), recorded["category"]
        drop = (recorded["candidate_pass"] - recorded["baseline_pass"]) / recorded["n"]
        assert standing.delta == pytest.approx(drop)


def test_reasons_hold_nothing_from_outside() -> None:
    hostile = "<!-- @team `x` ::error::"
    before = measured(tally(hostile, 3, 3), suite=hostile, target=hostile)
    after = measured(tally(hostile, 0, 3), suite=hostile, target=hostile)
    fresh = {(hostile, hostile, hostile): tally(hostile, 0, 5)}
    report = reported(look_at(GatePart(after, before)), fresh)
    assert report.verdict == "fail"
    said = [
        report.reason,
        report.suites[0].reason,
        *(one.note for one in report.suites[0].suspects),
    ]
    assert not [text for text in said if re.search("team|<|`", text)]
