from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from made import nested

from toolgauge.scoring.plain_schema import compile_schema

names = st.sampled_from(["a", "b", "c"])
types = st.sampled_from(["string", "number", "integer", "boolean", "object", "array", "null"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0, -2.0])
    | st.text("ab", max_size=3)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner),
    max_leaves=6,
)
sizes = st.integers(0, 3)


def objects_of(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
        "enum": st.lists(values, max_size=3) | st.lists(st.text("ab", max_size=2)),
        "const": values,
        "pattern": st.sampled_from(["a", "^b", "a$", ""]),
        "minimum": st.integers(-2, 2),
        "maximum": st.integers(-2, 2) | st.just(0.5),
        "exclusiveMinimum": st.integers(-2, 2),
        "exclusiveMaximum": st.integers(-2, 2),
        "minLength": sizes,
        "maxLength": sizes,
        "minItems": sizes,
        "maxItems": sizes,
        "required": st.lists(names, unique=True),
        "properties": st.dictionaries(names, schemas),
        "additionalProperties": schemas,
        "items": schemas,
        "anyOf": st.lists(schemas, min_size=1, max_size=2),
        "allOf": st.lists(schemas, min_size=1, max_size=2),
        "description": st.just("text"),
        "default": values,
    }
    return st.sets(st.sampled_from(list(keywords)), max_size=3).flatmap(
        lambda chosen: st.fixed_dictionaries({name: keywords[name] for name in sorted(chosen)})
    )


schemas = st.recursive(st.booleans() | st.just({}), objects_of, max_leaves=4)


@settings(max_examples=300, deadline=None)
@given(schemas, st.lists(values, min_size=1, max_size=4))
def test_the_verdict_is_that_of_the_library(schema: Any, instances: list[Any]) -> None:
    check = compile_schema(schema)
    assert check is not None
    for instance in instances:
        assert check(instance) == Draft202012Validator(schema).is_valid(instance)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a"},
        {"oneOf": [{}]},
        {"patternProperties": {"^x": {}}},
        {"uniqueItems": True},
        {"multipleOf": 2},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
    ],
)
def test_what_is_not_everyday_is_left_to_the_library(schema: Any) -> None:
    assert compile_schema(schema) is None
    assert compile_schema({"properties": {"a": schema}}) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "dict"},
        {"type": []},
        {"type": ["string", "string"]},
        {"type": 1},
        {"properties": []},
        {"properties": {"a": 1}},
        {"required": "a"},
        {"required": ["a", "a"]},
        {"required": [1]},
        {"enum": "a"},
        {"minimum": "1"},
        {"minimum": True},
        {"minLength": -1},
        {"minItems": 1.5},
        {"items": [{}]},
        {"anyOf": []},
        {"pattern": "("},
        {"description": 1},
        {"examples": {}},
        [],
        None,
    ],
)
def test_what_is_invalid_is_left_to_the_library(schema: Any) -> None:
    assert compile_schema(schema) is None


def test_a_schema_nested_absurdly_deep_is_left_to_the_library() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"items": deep}
    assert compile_schema(deep) is None


def test_values_nested_deeper_than_python_recurses_are_checked() -> None:
    check = compile_schema({"type": "object", "properties": {"a": {"type": "string"}}})
    assert check is not None
    assert not check({"a": nested(100_000)})
    assert check({"b": nested(100_000)})
    same = compile_schema({"const": nested(50_000)})
    assert same is not None
    assert same(nested(50_000))
