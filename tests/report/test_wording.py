from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from report_builders import case_side, confirmed, finding, numbers

from toolgauge.model.policy import Policy
from toolgauge.model.report import Effect, Estimate, ExtraRepeats, Numbers, Rate
from toolgauge.report import wording


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (wording.percent(0.8731), "87.3%"),
        (wording.percent(None), "-"),
        (wording.points(-0.058), "-5.8"),
        (wording.points(-0.0001), "+0.0"),
        (wording.p_value(0.004), "= 0.004"),
        (wording.p_value(1.0), "= 1"),
        (wording.p_value(0.00003), "< 0.0001"),
        (wording.money(0.0054), "$0.0054"),
        (wording.money(1234.5), "$1,234.50"),
        (wording.money(0.0), "$0.00"),
        (wording.duration(320.4), "320 ms"),
        (wording.duration(1900), "1.9 s"),
        (wording.tokens(950), "950"),
        (wording.tokens(182_400), "182k"),
        (wording.tokens(1_200_000), "1.2M"),
        (wording.change(1.08, 1.0), "+8%"),
        (wording.change(1.08, 0.0), "-"),
        (wording.change(None, 1.0), "-"),
        (wording.count(1, "case"), "1 case"),
        (wording.count(1200, "case"), "1,200 cases"),
        (wording.days(3.2), "3 days older"),
        (wording.days(-0.25), "6 hours newer"),
        (wording.days(None), "of unknown age"),
        (wording.passes(case_side(2, 3, errored=1)), "2/3 (1 errored)"),
        (wording.before_and_now(confirmed()), "5/5 -> 0/3, fresh 0/8"),
        (wording.before_and_now(finding(baseline=None)), "0/3"),
    ],
)
def test_numbers_are_said_in_one_way(shown: str, expected: str) -> None:
    assert shown == expected


def test_a_verdict_is_not_said_twice() -> None:
    assert wording.verdict_sentence("fail", "Fail in 1 of 2 suites.") == "Fail in 1 of 2 suites."
    assert wording.verdict_sentence("warn", "A drop.") == "Warning: A drop."


def test_times_are_in_utc() -> None:
    at = datetime(2026, 11, 20, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert wording.moment(at) == "2026-11-19 23:30 UTC"


def test_the_line_of_numbers_names_the_metric_that_gates() -> None:
    assert "(pass rate -12.0 points, 95% interval -18.1 to -5.9)" in wording.numbers_in_short(
        numbers(), "passed"
    )
    assert "(score -6.9 points" in wording.numbers_in_short(numbers(), "overall")


def test_without_a_baseline_the_line_has_the_head_alone() -> None:
    alone = Numbers(0, Rate(Estimate(0.8), 0.86, 60, 75))
    assert wording.numbers_in_short(alone, "passed") == "80.0% passed, score 0.860; 75 trials"
    assert wording.numbers_in_short(Numbers(0, Rate(None, None, 0, 0)), "passed") == (
        "nothing was scored"
    )
    assert wording.visible_drop(alone) == "nothing was compared"


def test_what_could_not_be_seen_is_said() -> None:
    assert wording.visible_drop(numbers(cases=12, smallest_drop=0.13)).endswith(
        "can only see drops of 13.0 points or more"
    )
    assert wording.visible_drop(numbers(smallest_drop=None)).endswith("can see no drop")


def test_an_interval_that_cannot_be_had_is_a_dash() -> None:
    assert wording.interval(Estimate(-0.1)) == "-"


def test_the_p_that_decides_is_the_adjusted_one() -> None:
    effect = Effect(Estimate(-0.1), 0.01, 0.03)
    assert wording.chance(effect) == "= 0.03"
    assert wording.chance(Effect(Estimate(-0.1), 0.01)) == "= 0.01"
    assert wording.chance(None) == "-"


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (Policy(), "by 2 points or more that is not chance, or a confirmed regression of a case"),
        (Policy(fail_on="suite"), "or a confirmed regression of a critical case"),
        (Policy(fail_on="case"), "fails on a confirmed regression of a case"),
        (Policy(policy="strict"), "policy strict: fails on any newly failing case"),
        (Policy(policy="report-only"), "policy report-only: would fail on"),
        (Policy(min_score=0.9), "or a pass rate below 90.0%"),
        (Policy(metric="overall"), "a drop of the score by"),
        (Policy(max_cost_ratio=1.5), "or more than 1.5 times the cost"),
        (Policy(max_latency_ratio=2), "or more than 2 times the latency"),
    ],
)
def test_the_policy_says_what_it_fails_on(policy: Policy, said: str) -> None:
    assert said in wording.policy_in_short(policy)


def test_repeats_that_were_bought_are_counted() -> None:
    extra = ExtraRepeats("second", 12, 36, errored=1, cost_usd=0.09)
    assert wording.extra_in_short(extra) == (
        "12 cases asked once more, pooled with the first batch: 36 trials, 1 errored, $0.0900"
    )
