from __future__ import annotations

import pytest
from made import goal

from toolgauge.model.case import ExpectedCall
from toolgauge.model.tools import ToolCall
from toolgauge.scoring import selection


@pytest.mark.parametrize("called", ["get_weather", "GET_WEATHER", "Get_Weather"])
def test_letter_case_does_not_matter(called: str) -> None:
    assert selection.is_expected(("get_weather",), called)


@pytest.mark.parametrize("called", [" get_weather", "get-weather", "getWeather", "weather", ""])
def test_nothing_but_letter_case_is_folded(called: str) -> None:
    assert not selection.is_expected(("get_weather",), called)


def test_letters_fold_as_unicode_folds_them() -> None:
    assert selection.is_expected(("straße",), "STRASSE")


def test_any_of_several_tools_is_right() -> None:
    expected = ExpectedCall(("search", "web_search"))
    assert selection.score(expected, ToolCall("WEB_search", {})).value == 1.0


def test_no_call_is_right_where_no_tool_is_expected() -> None:
    assert selection.score(ExpectedCall(()), None).value == 1.0
    assert selection.score(ExpectedCall(()), ToolCall("f", {})).value == 0.0


def test_the_reason_names_what_was_expected_and_what_was_called() -> None:
    assert selection.score(goal(None), None).reason == "expected 'f', nothing was called"
    wrong = selection.score(goal(None), ToolCall("g\n", {}))
    assert wrong.reason == r"expected 'f', got 'g\n'"


def test_any_call_is_satisfied_by_whatever_is_called() -> None:
    assert selection.any_call(ToolCall("anything", None)).value == 1.0
    assert selection.any_call(None).value == 0.0
