"""Which cases a reader is shown, with what was expected and what was called."""

from __future__ import annotations

from dataclasses import replace

from measured import look_at, measured, part, reported, tally
from toolgauge.compare.pairing import GatePart
from toolgauge.model.comparison import Sample
from toolgauge.model.report import SuiteReport

KEY = ("weather", "gpt")
RIGHT = Sample(({"name": "get_weather", "arguments": {"city": "Paris"}},))
WRONG = Sample(({"name": "search", "arguments": {}},), "wrong_tool", "called search")


def suite(head: list[tuple[int, int]], before: list[tuple[int, int]], **policy: str) -> SuiteReport:
    return reported(look_at(part(head, before), **policy)).suites[0]


def test_a_confirmed_regression_shows_expected_and_got_of_both_sides() -> None:
    before = measured(tally("a", 3, 3, passing=RIGHT))
    after = measured(
        tally("a", 0, 3, failing=WRONG, expected={"name": "get_weather"}, critical=True)
    )
    fresh = {(*KEY, "a"): tally("a", 1, 20, passing=RIGHT, failing=WRONG)}
    (found,) = reported(look_at(GatePart(after, before)), fresh).suites[0].regressions
    assert (found.status, found.case_id, found.critical) == ("confirmed", "a", True)
    assert found.expected == {"name": "get_weather"}
    assert found.baseline is not None
    assert (found.baseline.calls, found.head.calls) == (RIGHT.calls, WRONG.calls)
    assert (found.head.failure_kind, found.head.reason) == ("wrong_tool", "called search")
    assert found.fresh is not None
    assert (found.fresh.passes, found.fresh.runs, found.fresh.calls) == (1, 20, WRONG.calls)
    assert (found.p, found.repeats_needed, found.note) == (found.p_adjusted, 5, "")


def test_a_suspect_says_why_it_is_not_confirmed() -> None:
    report = reported(look_at(replace(part([(0, 3)], [(3, 3)]), can_repeat=False)))
    (found,) = report.suites[0].suspects
    assert (found.status, found.note) == ("suspect", "the target could not be asked again")
    assert (found.p, found.fresh, found.repeats_needed) == (None, None, 5)


def test_a_case_of_unknown_calls_shows_none() -> None:
    (found,) = suite([(0, 3)], [(3, 3)]).suspects
    assert found.baseline is not None
    assert (found.baseline.calls, found.head.calls) == (None, None)


def test_improved_cases_rose_by_half_to_four_fifths() -> None:
    found = suite([(4, 5), (4, 5), (3, 5)], [(1, 5), (2, 5), (0, 5)])
    assert [one.case_id for one in found.improved] == ["c0"]
    assert [one.case_id for one in found.flaky] == ["c1", "c2"]


def test_an_improved_case_shows_the_failure_that_is_gone() -> None:
    before = measured(tally("a", 0, 3, failing=WRONG))
    after = measured(tally("a", 3, 3, passing=RIGHT))
    (found,) = reported(look_at(GatePart(after, before))).suites[0].improved
    assert found.baseline is not None
    assert (found.baseline.calls, found.head.calls) == (WRONG.calls, RIGHT.calls)


def test_flaky_cases_both_passed_and_failed_and_are_listed_nowhere_else() -> None:
    found = suite([(1, 3), (2, 3), (3, 3), (0, 3)], [(3, 3), (3, 3), (3, 3), (0, 3)])
    assert [one.case_id for one in found.suspects] == ["c0"]
    assert [one.case_id for one in found.flaky] == ["c1"]


def test_a_new_case_can_be_flaky_too() -> None:
    after = measured(tally("new", 1, 2), tally("a", 1, 1))
    report = reported(look_at(GatePart(after, measured(tally("a", 1, 1)))))
    (found,) = report.suites[0].flaky
    assert (found.case_id, found.baseline) == ("new", None)


def test_critical_cases_come_first() -> None:
    before = measured(*(tally(f"c{n}", 1, 1) for n in range(3)))
    after = measured(*(tally(f"c{n}", 0, 1, critical=n == 2) for n in range(3)))
    found = reported(look_at(GatePart(after, before), policy="strict")).suites[0]
    assert [one.case_id for one in found.regressions] == ["c2", "c0", "c1"]
    assert {one.status for one in found.regressions} == {"newly-failing"}
