from __future__ import annotations

import math
from typing import Any

from hypothesis import given, settings
from jsonschema import Draft202012Validator
from made import json_values

from toolgauge.scoring.json_types import TYPES


@settings(max_examples=100)
@given(json_values)
def test_types_are_those_of_the_json_schema_library(value: Any) -> None:
    for name, is_of_type in TYPES.items():
        assert is_of_type(value) == Draft202012Validator({"type": name}).is_valid(value), name


def test_no_boundless_number_is_an_integer() -> None:
    assert not TYPES["integer"](math.inf)
    assert not TYPES["integer"](math.nan)
