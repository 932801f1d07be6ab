from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.formats.json_text import (
    holds_half_characters,
    json_lines,
    load_json,
    without_half_characters,
)
from toolgauge.formats.places import path_text
from toolgauge.formats.yaml_text import UnreadableText


def refusal(text: str) -> str:
    with pytest.raises(UnreadableText) as caught:
        load_json(text)
    return str(caught.value.problem)


def test_what_python_takes_for_json_is_read() -> None:
    data, found = load_json('{"a": NaN, "b": [Infinity, 1.0, 1]}')
    assert math.isnan(data["a"])
    assert data["b"] == [math.inf, 1.0, 1]
    assert found == []


def test_yaml_is_no_json() -> None:
    assert refusal("a: 1") == "line 1: is not valid JSON: Expecting value"
    assert refusal('{"a": 1,\n}').startswith("line ")


@pytest.mark.parametrize("text", ["", " \n"])
def test_nothing_at_all_is_empty(text: str) -> None:
    assert refusal(text) == "is empty"


def test_repeated_keys_are_told_where_the_second_stands() -> None:
    data, found = load_json('{"a": [{"b": 1,\n "b": 2}],\n "c": 1,\n "c": {"c": 0}}')
    assert data["a"] == [{"b": 2}]
    assert [(path_text(item.loc), item.line) for item in found] == [("a[0].b", 2), ("c", 4)]


@pytest.mark.parametrize("levels", [101, 100_000])
def test_deep_nesting_is_refused(levels: int) -> None:
    assert refusal("[" * levels + "]" * levels) == "nests deeper than 100 levels"


def test_a_hundred_levels_are_fine() -> None:
    load_json("[" * 100 + "]" * 100)


def test_a_number_too_long_to_convert_is_refused() -> None:
    assert refusal(f"[{'9' * 5000}]") == "holds a number with too many digits"


def test_half_characters_are_seen_and_whole_ones_are_not() -> None:
    lone, pair, literal = '["\\ud83d x"]', '["\\ud83d\\ude00"]', '["\\\\ud83d"]'
    assert holds_half_characters(lone, json.loads(lone))
    assert not holds_half_characters(pair, json.loads(pair))
    assert not holds_half_characters(literal, json.loads(literal))
    assert without_half_characters(json.loads(lone)) == ["? x"]


def test_lines_are_those_of_keys_and_list_entries() -> None:
    text = '{"a": [1,\n\t{"b": "x, {y}: \\"[",\n "c": []}],\n\n"\\u0064": {}}'
    assert {path_text(loc): line for loc, line in json_lines(text).items()} == {
        "a": 1,
        "a[0]": 1,
        "a[1]": 2,
        "a[1].b": 2,
        "a[1].c": 3,
        "d": 5,
    }


def locs(value: Any, loc: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = set()
    for step, inner in items:
        found.add((*loc, step))
        if isinstance(inner, (dict, list)):
            found |= locs(inner, (*loc, step))
    return found


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=30,
    ),
    st.sampled_from([None, 0, 2]),
)
def test_every_field_of_any_json_has_a_line(value: Any, indent: int | None) -> None:
    document = {"v": value}
    text = json.dumps(document, indent=indent)
    lines = json_lines(text)
    assert set(lines) == locs(document)
    assert max(lines.values()) <= text.count("\n") + 1
