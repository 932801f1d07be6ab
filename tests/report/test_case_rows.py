from __future__ import annotations

from dataclasses import replace

from report_builders import case_side, finding, rich_report, suite_report

from toolgauge.model.report import CaseLists
from toolgauge.report.case_rows import case_rows, telling_side


def test_every_case_is_listed_once_and_the_worst_first() -> None:
    suite = rich_report().suites[0]
    rows = case_rows(suite)
    ids = [row.case_id for row in rows]
    assert len(ids) == len(set(ids))
    assert ids[:6] == [
        "two-cities",
        "tomorrow",
        "rain-or-snow",
        "wind-at-sea",
        "uv-index",
        "three-day-forecast",
    ]
    assert ids[-2:] == ["old-1", "old-2"]


def test_a_case_that_is_not_compared_says_why() -> None:
    suite = rich_report().suites[0]
    why = {row.case_id: row.not_compared for row in case_rows(suite) if row.not_compared}
    assert why == {
        "uv-index": "new",
        "feels-like": "changed",
        "old-1": "removed",
        "old-2": "removed",
    }


def test_without_a_baseline_no_case_is_new() -> None:
    suite = suite_report(
        baseline=None, regressions=(), cases=CaseLists(new=("a",)), steady=(finding("a", "steady"),)
    )
    assert [row.not_compared for row in case_rows(suite)] == [None]


def test_a_case_whose_trials_all_errored_is_unscored_and_does_not_fail() -> None:
    down = finding("down", "steady", head=case_side(0, 0, errored=3))
    (row,) = case_rows(suite_report(regressions=(), steady=(down,)))
    assert row.is_unscored
    assert not row.fails


def test_the_fresh_repeats_tell_most_where_their_calls_were_kept() -> None:
    fresh = case_side(0, 8, calls=())
    assert telling_side(finding(fresh=fresh)) is fresh
    without = finding(fresh=replace(fresh, calls=None))
    assert telling_side(without) is without.head
