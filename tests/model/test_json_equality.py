from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.model.json_equality import equal_by_value, identical

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_every_value_is_itself(value: object) -> None:
    assert equal_by_value(value, value)
    assert identical(value, value)


@given(JSON, JSON)
def test_both_equalities_are_symmetric_and_the_stricter_implies_the_other(left, right) -> None:
    assert equal_by_value(left, right) == equal_by_value(right, left)
    assert identical(left, right) == identical(right, left)
    assert equal_by_value(left, right) or not identical(left, right)


@pytest.mark.parametrize(
    ("left", "right", "by_value", "as_json"),
    [
        (1, 1.0, True, False),
        (0.0, -0.0, True, False),
        (True, 1, False, False),
        (nan, nan, True, True),
        ("a", "A", False, False),
        (None, {}, False, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, True),
        ([1, 2], [2, 1], False, False),
        ({"a": [1, {"b": 2}]}, {"a": [1.0, {"b": 2}]}, True, False),
        (10**400, 10**400, True, True),
        (10**400, 1e300, False, False),
    ],
)
def test_numbers_types_and_order(left, right, by_value, as_json) -> None:
    assert (equal_by_value(left, right), identical(left, right)) == (by_value, as_json)


def test_values_nested_deeper_than_the_stack_are_compared() -> None:
    left: list = []
    right: list = []
    for _ in range(100_000):
        left, right = [left], [right]
    assert equal_by_value(left, right)
    while left:  # taken apart by hand: freeing it whole would recurse
        left, right = left[0], right[0]
