from __future__ import annotations

import doctest
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_builders import call

from toolgauge.report import calls
from toolgauge.report.calls import call_line, calls_diff, calls_line, expectation_line, short_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def test_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(calls).failed == 0


def test_only_the_line_that_differs_is_marked() -> None:
    expected = [call(city="Oslo"), call("get_wind", city="Oslo")]
    got = (call(city="Oslo"), call("get_wind", city="Bergen"))
    assert calls_diff(expected, got) == [
        '  get_weather(city="Oslo")',
        '- get_wind(city="Oslo")',
        '+ get_wind(city="Bergen")',
    ]


def test_a_long_call_has_one_argument_a_line_so_that_the_wrong_one_is_seen() -> None:
    same = {"title": "x" * 60, "attendees": ["a@example.org", "b@example.org"]}
    lines = calls_diff(call("book", **same, day=3), (call("book", **same, day=4),))
    assert [line for line in lines if line[0] != " "] == ["-     day=3,", "+     day=4,"]
    assert lines[0] == "  book("


def test_no_call_and_no_calls_kept_are_said() -> None:
    assert calls_diff("no call", (call(),)) == ["- # no call", "+ get_weather()"]
    assert calls_diff(call(), ()) == ["- get_weather()", "+ # nothing was called"]
    assert calls_diff(call(), None)[-1] == "+ # the calls were not kept"
    assert calls_line(None) == "the calls were not kept"
    assert calls_line(()) == "nothing was called"


def test_any_arguments_are_three_dots() -> None:
    assert expectation_line({"name": "a | b", "arguments": None}) == "a | b(...)"


@pytest.mark.parametrize("depth", [10, 900])
def test_deeply_nested_arguments_are_shown_to_a_depth(depth: int) -> None:
    nested: Any = 1
    for _ in range(depth):
        nested = [nested]
    assert call_line(call(x=nested)) == 'get_weather(x=[[[[[["…"]]]]]])'


def test_a_number_that_python_refuses_to_write_is_shown_all_the_same() -> None:
    assert short_json(1 << 100_000).startswith('"0x1000')


def test_a_huge_call_stays_short() -> None:
    big = call("n" * 10_000, **{f"key{n}": "v" * 10_000 for n in range(1000)})
    lines = calls_diff(big, (big, call(x=list(range(100_000)))))
    assert len(lines) <= 40
    assert max(map(len, lines)) < 2_000


@settings(max_examples=100, deadline=None)
@given(JSON, st.lists(JSON, max_size=3))
def test_whatever_is_no_call_is_shown_too(expected: Any, got: list[Any]) -> None:
    lines = calls_diff(expected, got)
    assert lines
    assert all(line[:2] in {"- ", "+ ", "  "} for line in lines)
    assert isinstance(calls_line(got), str)
