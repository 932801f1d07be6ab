from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.gateway.lexical_parameters import Parameter, parameters_of

STRING = {"type": "string"}


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def only(described: Any, **root: Any) -> Parameter:
    (parameter,) = parameters_of({**schema(p=described), **root})
    return parameter


def test_a_parameter_knows_its_name_type_and_need() -> None:
    city, days = parameters_of(schema("city", city=STRING, maxDays={"type": "integer"}))
    assert (city.path, city.type, city.required) == (("city",), "string", True)
    assert (days.words, days.type, days.required) == (("max", "dai"), "integer", False)


def test_nested_objects_are_flattened() -> None:
    inner = schema("city", city=STRING, zip=STRING)
    paths = {p.path: p.required for p in parameters_of(schema("address", address=inner))}
    assert paths == {("address", "city"): True, ("address", "zip"): False}


@pytest.mark.parametrize(
    ("described", "kind"),
    [
        ({"type": ["null", "integer"]}, "integer"),
        ({"anyOf": [{"type": "null"}, {"type": "number"}]}, "number"),
        ({"type": "float"}, "number"),
        ({"$ref": "#/$defs/Days"}, "integer"),
        ({"allOf": [{"$ref": "#/$defs/Days"}]}, "integer"),
        ({"$ref": "#/$defs/Nobody"}, "string"),
        ({"$ref": "#/$defs/Cycle"}, "string"),
        ({"type": {"a": 1}}, "string"),
        (True, "string"),
        (None, "string"),
    ],
)
def test_the_type_is_read_where_it_stands(described: Any, kind: str) -> None:
    definitions = {"Days": {"type": "integer"}, "Cycle": {"$ref": "#/$defs/Cycle"}}
    assert only(described, **{"$defs": definitions}).type == kind


def test_the_description_beside_a_reference_is_kept() -> None:
    described = {"anyOf": [{"type": "string", "description": "inner"}], "description": "outer"}
    assert only(described).hints == {"outer"}


def test_choices_are_plain_values() -> None:
    values = [choice.value for choice in only({"enum": ["a", 1, True, None, {}, 10**5000]}).choices]
    assert values == ["a", 1, True]
    assert [choice.value for choice in only({"const": "x"}).choices] == ["x"]


def test_the_elements_of_an_array_are_described_by_its_items() -> None:
    items = only({"type": "array", "items": {"type": "string", "enum": ["a"]}}).items
    assert items is not None
    assert (items.name, items.type, len(items.choices)) == ("p", "string", 1)


@pytest.mark.parametrize("hostile", [None, [], 5, {}, {"properties": []}, {"properties": {1: {}}}])
def test_what_is_no_object_schema_has_no_parameters(hostile: Any) -> None:
    assert parameters_of(hostile) == ()


def test_a_schema_without_end_is_read_up_to_bounds() -> None:
    cyclic = schema("self", text=STRING)
    cyclic["properties"]["self"] = cyclic
    assert len(parameters_of(cyclic)) == 4
    wide = schema(**{f"p{n}": schema(**{f"q{m}": STRING for m in range(50)}) for n in range(50)})
    assert len(parameters_of(wide)) == 64
    assert len(only({"enum": [str(n) for n in range(100_000)]}).choices) == 500


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "required", "enum", "items", "anyOf", "$ref", "a"]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_every_schema_can_be_read(described: Any) -> None:
    assert len(parameters_of(described)) <= 64
    assert len(parameters_of({"properties": {"p": described}})) <= 64
