from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_builders import AT, case_side, numbers, report, suite_report

from toolgauge.model.experiment import TimelineEntry
from toolgauge.model.report import Confusion, Effect, Estimate
from toolgauge.report.charts import (
    RATES,
    change_axis,
    confusion_matrix,
    pips,
    share,
    timeline_chart,
)

SCORES = st.lists(st.none() | st.floats(0, 1), max_size=12)


def entries(*scores: float | None) -> list[TimelineEntry]:
    return [
        TimelineEntry(
            run_id=f"run_{n}",
            kind="eval",
            status="completed",
            at=AT + timedelta(days=n),
            score=score,
            delta=None,
            is_baseline=n == 0,
            is_comparable=True,
            comparable_cases=(),
            configuration="defaults",
            targets=(),
        )
        for n, score in enumerate(scores)
    ]


def test_rates_stand_between_0_and_100_percent() -> None:
    assert [RATES.at(rate) for rate in (0.0, 0.5, 1.0, 1.5)] == [0.0, 50.0, 100.0, 100.0]
    assert RATES.ticks == (0.0, 0.25, 0.5, 0.75, 1.0)


@given(st.floats(-1, 1), st.floats(0, 1))
def test_the_axis_of_changes_holds_every_interval_and_0_in_its_middle(
    delta: float, reach: float
) -> None:
    low, high = max(delta - reach, -1.0), min(delta + reach, 1.0)
    effect = Effect(Estimate(delta, low, high), 0.5)
    axis = change_axis(report(suite_report(numbers=numbers(passed=effect))))
    assert axis.low <= low <= high <= axis.high
    assert axis.at(0) == 50.0
    assert 3 <= len(axis.ticks) <= 9


@given(SCORES)
def test_a_timeline_stays_in_its_frame_and_its_runs_in_order(scores: list[float | None]) -> None:
    chart = timeline_chart(entries(*scores))
    measured = [score for score in scores if score is not None]
    if len(measured) < 2:
        assert chart is None
        return
    assert chart is not None
    assert len(chart.marks) == len(measured)
    assert all(0 <= mark.x <= 100 and 0 <= mark.y <= 100 for mark in chart.marks)
    assert [mark.x for mark in chart.marks] == sorted(mark.x for mark in chart.marks)
    assert len(chart.segments) == len(measured) - 1


def test_a_better_run_stands_higher() -> None:
    chart = timeline_chart(entries(0.5, 0.9))
    assert chart is not None
    assert chart.marks[1].y < chart.marks[0].y


def test_a_pip_is_a_trial() -> None:
    side = case_side(2, 3, errored=1)
    assert pips(side) == ("passed", "passed", "failed", "errored")
    assert pips(case_side(20, 21)) == ()


def test_a_matrix_has_its_right_calls_on_the_diagonal_and_nothing_at_the_end() -> None:
    pairs = (
        Confusion("", "a", False, 4, 10, 0, 10),
        Confusion("a", "b", False, 2, 10, 0, 10),
        Confusion("a", "a", True, 8, 10, 10, 10),
        Confusion("b", "b", True, 10, 10, 10, 10),
        Confusion("", "", True, 6, 10, 10, 10),
    )
    matrix = confusion_matrix(pairs)
    assert [expected for expected, _ in matrix.rows] == ["a", "b", ""]
    assert matrix.called == ("a", "b", "")
    rights = [[bool(cell and cell.is_right) for cell in cells] for _, cells in matrix.rows]
    assert rights == [[i == j for j in range(3)] for i in range(3)]
    assert matrix.hidden == 0


def test_a_matrix_of_many_tools_keeps_the_confused_ones() -> None:
    right = [Confusion(f"t{n}", f"t{n}", True, 3, 3, 3, 3) for n in range(100)]
    matrix = confusion_matrix([*right, Confusion("t99", "t0", False, 3, 3, 0, 3)])
    assert matrix.rows[0][0] == "t99"
    assert matrix.hidden == 76
    assert len(matrix.rows) == 24


@pytest.mark.parametrize(("calls", "trials", "expected"), [(1, 4, 0.25), (5, 4, 1.0), (0, 0, 0.0)])
def test_a_share_is_calls_per_trial_and_at_most_all(
    calls: int, trials: int, expected: float
) -> None:
    assert share(calls, trials) == expected
