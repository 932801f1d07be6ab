"""Confusion pairs: which tool was called where another was expected."""

from __future__ import annotations

from typing import Any

import pytest

from measured import pair, tally
from toolgauge.compare.confusion import confusion_of
from toolgauge.model.comparison import CasePair
from toolgauge.model.report import Confusion

CALL = {"name": "get_weather", "arguments": {}}


def asked(expected: Any, head: dict[str, int], baseline: dict[str, int], **passes: int) -> CasePair:
    """Return a pair of 3 trials each that failed, unless ``head`` or ``baseline`` passes say so."""
    return pair(
        tally("a", passes.get("before", 0), 3, expected=expected, called_tools=baseline),
        tally("a", passes.get("after", 0), 3, expected=expected, called_tools=head),
    )


def test_wrong_calls_come_first_and_are_counted_on_both_sides() -> None:
    found = confusion_of([asked(CALL, {"get_weather": 1, "search": 2}, {"get_weather": 3})])
    assert found == (
        Confusion("get_weather", "search", False, 2, 3, 0, 3),
        Confusion("get_weather", "get_weather", True, 1, 3, 3, 3),
    )


def test_cases_with_the_same_expectation_are_added_up() -> None:
    one = asked(CALL, {"search": 3}, {"get_weather": 3})
    wrong, right = confusion_of([one, one])
    assert (wrong.head_calls, wrong.head_trials, wrong.baseline_trials) == (6, 6, 6)
    assert right.baseline_calls == 6


@pytest.mark.parametrize(
    ("expected", "called", "label", "is_right"),
    [
        ("no call", "", "", True),
        ("no call", "search", "", False),
        ("any call", "search", "any call", True),
        ("any call", "", "any call", False),
        ({"name": "a | b", "arguments": None}, "b", "a | b", True),
        ({"name": "a | b", "arguments": None}, "c", "a | b", False),
        ([{"name": "a"}, {"name": "b"}], "b", "a + b", True),
        ([{"name": "a"}, {"name": "b"}], "", "a + b", False),
        (CALL, "", "get_weather", False),
        ([], "", "", True),
        (None, "search", "", False),
    ],
)
def test_what_is_right_follows_from_the_expectation(
    expected: Any,
    called: str,
    label: str,
    is_right: bool,  # noqa: FBT001 - a parameter
) -> None:
    (found,) = confusion_of([asked(expected, {called: 3}, {})])
    assert (found.expected, found.called, found.is_right) == (label, called, is_right)


def test_a_call_made_while_the_case_always_passed_is_no_confusion() -> None:
    calls = {"lookup": 3, "get_weather": 3}
    passing = asked(CALL, {"lookup": 3, "search": 3}, calls, before=3)
    assert [one.called for one in confusion_of([passing]) if not one.is_right] == ["search"]
    failing = asked(CALL, {"lookup": 3, "search": 3}, calls, before=2)
    assert {one.called for one in confusion_of([failing]) if not one.is_right} == {
        "lookup",
        "search",
    }


def test_no_pairs_confuse_nothing() -> None:
    assert confusion_of([]) == ()
