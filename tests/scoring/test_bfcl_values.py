from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import json_values

from toolgauge.scoring.bfcl_values import error_of

STRING, INTEGER, NUMBER = ({"type": name} for name in ("string", "integer", "number"))
BOOLEAN, OBJECT = {"type": "boolean"}, {"type": "object"}


def array(item_type: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": item_type}}


@pytest.mark.parametrize(
    ("schema", "acceptable", "value"),
    [
        (STRING, ["San Francisco, CA"], "san-francisco CA."),
        (STRING, ["it's"], 'IT"S'),
        (STRING, ["", "x"], ""),
        (INTEGER, [5], 5),
        (INTEGER, ["n"], "n"),
        (NUMBER, [5], 5),
        (NUMBER, [5.0], 5),
        (NUMBER, [5], 5.0),
        (BOOLEAN, [True, ""], True),
        (array("integer"), [[1, 2]], [1, 2]),
        (array("string"), [["A b"], ["c"]], ["ab"]),
        (array("number"), [[1, 2]], [1, 2]),
        (array("integer"), ["numbers"], "numbers"),
        (array("integer"), [""], []),
        (array("object"), [[{"a": [1]}]], [{"a": 1}]),
        (array("object"), [""], []),
        ({"type": "array"}, [[1, "A"]], [1, "a"]),
        (OBJECT, [{"a": [1, 2], "b": ["x", ""]}], {"a": 2}),
        (OBJECT, [{"a": ["X y"]}], {"a": "xy"}),
        (OBJECT, ["", {"a": [1]}], {"a": 1}),
        ({"x-bfcl-type": "any"}, ["x"], "X"),
        ({}, ["x"], "X"),
        ({"type": ["string", "null"]}, [None], None),
        ({"type": "date"}, [1], 1),
    ],
)
def test_what_the_leaderboard_accepts(schema: Any, acceptable: list[Any], value: Any) -> None:
    assert error_of(value, acceptable, schema) is None


@pytest.mark.parametrize(
    ("schema", "acceptable", "value", "error"),
    [
        (STRING, ["x"], "y", "value_error:string"),
        (STRING, ["1"], 1, "type_error:simple"),
        (INTEGER, [5], 5.0, "type_error:simple"),
        (INTEGER, [1], True, "type_error:simple"),
        (INTEGER, ["n"], "m", "value_error:others"),
        (INTEGER, ["n"], "N", "value_error:others"),
        (NUMBER, [5.0], "5", "type_error:simple"),
        (NUMBER, [0.3], 0.1 + 0.2, "value_error:others"),
        (NUMBER, [1.0], True, "type_error:simple"),
        (BOOLEAN, [True], False, "value_error:others"),
        (BOOLEAN, [True], 1, "type_error:simple"),
        (array("number"), [[1.0]], [1], "type_error:nested"),
        (array("integer"), [[1]], ["1"], "type_error:nested"),
        (array("integer"), [[1, 2]], [2, 1], "value_error:list/tuple"),
        (array("string"), [["a"]], ["a", "a"], "value_error:list/tuple"),
        (array("string"), [["a"]], "a", "type_error:simple"),
        (array("object"), [[{"a": [1]}]], [], "value_error:list_dict_count"),
        (array("object"), [[{"a": [1]}]], [{"a": 2}], "value_error:dict_value"),
        (
            array("object"),
            [[{"a": [1]}, {"a": [2]}]],
            [{"a": 2}, {"a": 1}],
            "value_error:dict_value",
        ),
        (OBJECT, [{"a": [1]}], {"a": 1, "b": 2}, "value_error:dict_key"),
        (OBJECT, [{"a": [1], "b": [2]}], {"a": 1}, "value_error:dict_key"),
        (OBJECT, [{"a": [1]}], {"a": 2}, "value_error:dict_value"),
        (OBJECT, [""], {}, "dict_checker:unclear"),
        (STRING, [], "x", "value_error:string"),
        (INTEGER, [""], "x", "type_error:simple"),
    ],
)
def test_what_the_leaderboard_calls_an_error(
    schema: Any, acceptable: list[Any], value: Any, error: str
) -> None:
    assert error_of(value, acceptable, schema) == error


@settings(max_examples=200, deadline=None)
@given(
    value=json_values,
    acceptable=st.lists(json_values, max_size=3),
    schema=json_values
    | st.sampled_from([STRING, INTEGER, NUMBER, BOOLEAN, OBJECT, array("object"), array("string")]),
)
def test_any_json_is_judged(value: Any, acceptable: list[Any], schema: Any) -> None:
    error = error_of(value, acceptable, schema)
    assert error is None or error.split(":")[0] in {
        "type_error",
        "value_error",
        "dict_checker",
        "list_dict_checker",
    }
