from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.gateway.lexical_arguments import Filled, Question, fill, one_per_item
from toolgauge.gateway.lexical_parameters import parameters_of
from toolgauge.gateway.lexical_results import known_values
from toolgauge.model.tools import ToolCall

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
UNITS = {"type": "string", "enum": ["celsius", "fahrenheit"]}


def filled(text: str, required: dict[str, Any], *results: Any, **optional: Any) -> Filled:
    schema = {"properties": {**required, **optional}, "required": list(required)}
    calls = [ToolCall("search_flights", {}, result=value, has_result=True) for value in results]
    return fill(parameters_of(schema), Question.read(text), known_values(calls))


@pytest.mark.parametrize(
    ("text", "required", "arguments"),
    [
        ("Weather in Paris?", {"city": STRING}, {"city": "Paris"}),
        ("weather in new york please", {"city": STRING}, {"city": "new york"}),
        ("Set a timer for 20 minutes", {"minutes": INTEGER}, {"minutes": 20}),
        ("It is 2.5 degrees", {"degrees": NUMBER}, {"degrees": 2.5}),
        (
            "Fly from NYC to London on May 5, 2026",
            {"to": STRING, "from": STRING, "date": STRING},
            {"to": "London", "from": "NYC", "date": "2026-05-05"},
        ),
        (
            "Convert 250 USD to EUR",
            {"to_currency": STRING, "from_currency": STRING, "amount": NUMBER},
            {"to_currency": "EUR", "from_currency": "USD", "amount": 250},
        ),
        (
            "Email bob@x.org with subject 'Hi' saying I am late.",
            {"to": {"description": "Recipient"}, "subject": STRING, "body": STRING},
            {"to": "bob@x.org", "subject": "Hi", "body": "I am late"},
        ),
        ("area with sides 3, 4 and 5", dict.fromkeys("abc", INTEGER), {"a": 3, "b": 4, "c": 5}),
        ("Find facts about rust", {"query": STRING}, {"query": "facts about rust"}),
        ("What is rust?", {"query": STRING}, {"query": "What is rust?"}),
    ],
)
def test_required_parameters_are_filled(
    text: str, required: dict[str, Any], arguments: dict[str, Any]
) -> None:
    found = filled(text, required)
    assert found.arguments == arguments
    assert found.missing == ()


def test_what_cannot_be_filled_is_left_out_and_told() -> None:
    found = filled("Book it", {"flight_id": STRING, "seats": INTEGER, "units": UNITS})
    assert found.arguments == {}
    assert [parameter.name for parameter in found.missing] == ["flight_id", "seats", "units"]


def test_an_optional_parameter_needs_clear_words() -> None:
    optional = {"days": INTEGER, "label": STRING}
    assert filled("Wait for 20 minutes in Paris", {}, **optional).arguments == {}
    assert filled("Wait for 20 days", {}, **optional).arguments == {"days": 20}


@pytest.mark.parametrize(
    ("text", "units"),
    [("in Fahrenheit", "fahrenheit"), ("celsius, not more", "celsius"), ("in kelvin", None)],
)
def test_an_enum_takes_the_value_that_is_said(text: str, units: str | None) -> None:
    assert filled(text, {}, units=UNITS).arguments.get("units") == units


def test_a_value_of_an_enum_is_used_up() -> None:
    found = filled("Weather in Tokyo in Fahrenheit", {"units": UNITS, "city": STRING})
    assert found.arguments == {"units": "fahrenheit", "city": "Tokyo"}


def test_the_longest_value_of_an_enum_wins() -> None:
    described = {"enum": ["economy", "premium economy"]}
    assert filled("fly premium economy", {"cabin": described}).arguments == {
        "cabin": "premium economy"
    }


def test_a_short_value_of_an_enum_must_be_said_as_it_is_written() -> None:
    described = {"enum": ["A", "C"]}
    assert filled("a class c", {}, size=described).arguments == {}
    assert filled("class C", {}, size=described).arguments == {"size": "C"}
    assert filled("level 5", {}, level={"enum": [4, 5]}).arguments == {"level": 5}


def test_two_enums_share_the_values_by_their_prepositions() -> None:
    unit = {"enum": ["km", "miles", "meters"]}
    found = filled("convert from miles to meters", {"to_unit": unit, "from_unit": unit})
    assert found.arguments == {"to_unit": "meters", "from_unit": "miles"}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("include humidity", {"include_humidity": True}),
        ("without humidity", {"include_humidity": False}),
        ("the weather", {}),
    ],
)
def test_a_flag_is_set_by_its_name(text: str, arguments: dict[str, Any]) -> None:
    assert filled(text, {"include_humidity": {"type": "boolean"}}).arguments == arguments


def test_a_list_takes_a_whole_enumeration() -> None:
    numbers = {"type": "array", "items": INTEGER}
    emails = {"type": "array", "items": {"type": "string", "format": "email"}}
    assert filled("sort [3, 1, 2]", {"p": numbers}).arguments == {"p": [3, 1, 2]}
    found = filled("invite a@x.org and b@x.org", {}, attendees=emails)
    assert found.arguments == {"attendees": ["a@x.org", "b@x.org"]}


def test_nested_objects_are_filled_in_their_place() -> None:
    address = {"type": "object", "properties": {"city": STRING}, "required": ["city"]}
    assert filled("send to Paris", {"address": address}).arguments == {"address": {"city": "Paris"}}


def test_what_the_question_does_not_say_comes_from_an_earlier_result() -> None:
    flights = {"flights": [{"id": "FL123", "price": 450}]}
    assert filled("Book it", {"flight_id": STRING}, flights).arguments == {"flight_id": "FL123"}


def test_what_the_question_clearly_says_wins_over_a_result() -> None:
    found = filled("Book FL9", {"flight_id": STRING}, {"flight_id": "FL123"})
    assert found.arguments == {"flight_id": "FL9"}


@pytest.mark.parametrize(
    ("text", "required", "cities"),
    [
        ("Weather in Paris and in Rome", {"city": STRING}, ["Paris", "Rome"]),
        ("Weather in Paris, Rome and Oslo", {"city": STRING}, ["Paris", "Rome", "Oslo"]),
        ("Weather in Paris, France", {"city": STRING}, ["Paris"]),
        ("Weather in Paris", {"city": STRING}, ["Paris"]),
        ("Between Paris and Rome", {"city": STRING, "to": STRING}, ["Paris"]),
    ],
)
def test_listed_things_make_one_call_each(
    text: str, required: dict[str, Any], cities: list[str]
) -> None:
    parameters = parameters_of({"properties": required, "required": list(required)})
    question = Question.read(text)
    each = one_per_item(parameters, question, fill(parameters, question))
    assert [arguments["city"] for arguments in each] == cities


def test_the_topic_is_the_question_without_its_values() -> None:
    topic = Question.read("Weather in Paris on 2026-05-05 for 'me'").topic()
    assert topic.split() == ["Weather", "in", "on", "for"]


schemas = st.dictionaries(
    st.sampled_from(["city", "from", "flight_id", "query", "date", "is_open", "tags", "n"]),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object"])},
        optional={"enum": st.lists(st.text(max_size=3) | st.integers(), max_size=3)},
    ),
)
pieces = st.sampled_from(
    ["Paris", "and", "in", "to", "from", "5", "2.5", "'x y'", "FL1", "a@x.org"]
)
questions = st.lists(pieces, max_size=12).map(" ".join) | st.text(st.characters(), max_size=40)


@settings(max_examples=200, deadline=None)
@given(questions, schemas)
def test_every_question_fills_a_schema_in_the_same_way(text: str, required: dict[str, Any]) -> None:
    found = filled(text, required)
    assert found == filled(text, required)
    assert found.arguments.keys() | {p.name for p in found.missing} == required.keys()
    for name, value in found.arguments.items():
        if required[name]["type"] == "integer" and "enum" not in required[name]:
            assert isinstance(value, int)
