from __future__ import annotations

from typing import Any

import pytest

from toolgauge.gateway.lexical_facts import Fact, read_facts
from toolgauge.gateway.lexical_fit import fit, is_free_text, value_of
from toolgauge.gateway.lexical_parameters import Parameter, parameters_of


def parameter(name: str, **schema: Any) -> Parameter:
    (described,) = parameters_of({"properties": {name: {"type": "string", **schema}}})
    return described


def fact(text: str, value: Any) -> Fact:
    return next(found for found in read_facts(text) if found.value == value)


@pytest.mark.parametrize(
    ("name", "schema", "text", "value"),
    [
        ("recipient_email", {}, "mail bob@x.org", "bob@x.org"),
        ("to", {"description": "Email address"}, "mail bob@x.org", "bob@x.org"),
        ("x", {"format": "email"}, "mail bob@x.org", "bob@x.org"),
        ("website", {}, "open https://a.org/b", "https://a.org/b"),
        ("start_date", {}, "on 2026-05-05", "2026-05-05"),
        ("x", {"format": "date"}, "on 2026-05-05", "2026-05-05"),
        ("start_time", {}, "at 5pm", "5pm"),
        ("flight_id", {}, "cancel FL123", "FL123"),
        ("city", {}, "weather in Paris", "Paris"),
        ("location", {}, "weather in paris", "paris"),
        ("subject", {}, "with 'Hi there'", "Hi there"),
        ("mode", {}, "set the mode to eco", "eco"),
        ("minutes", {"type": "integer"}, "wait 20 minutes", 20),
        ("party", {"type": "integer", "description": "number of people"}, "5 people", 5),
    ],
)
def test_a_name_a_format_or_a_neighbour_makes_a_fact_likely(
    name: str, schema: dict[str, Any], text: str, value: Any
) -> None:
    assert fit(parameter(name, **schema), fact(text, value)) >= 2


@pytest.mark.parametrize(
    ("name", "schema", "text", "value"),
    [
        ("email", {}, "weather in Paris", "Paris"),
        ("email_subject", {}, "mail bob@x.org", "bob@x.org"),
        ("flight_id", {}, "fly to Paris", "Paris"),
        ("days", {"type": "integer"}, "2.5 days", 2.5),
        ("days", {"type": "integer", "maximum": 7}, "20 days", 20),
        ("days", {"type": "integer", "minimum": 30}, "20 days", 20),
        ("days", {"type": "boolean"}, "20 days", 20),
        ("days", {"type": "object"}, "20 days", 20),
    ],
)
def test_what_looks_wrong_does_not_fit(
    name: str, schema: dict[str, Any], text: str, value: Any
) -> None:
    assert fit(parameter(name, **schema), fact(text, value)) <= 0


def test_the_preposition_tells_the_origin_from_the_destination() -> None:
    text = "fly from Oslo to Rome"
    oslo, rome = fact(text, "Oslo"), fact(text, "Rome")
    assert fit(parameter("origin"), oslo) > fit(parameter("origin"), rome)
    assert fit(parameter("destination"), rome) > fit(parameter("destination"), oslo)


def test_digits_fit_better_than_number_words() -> None:
    text = "the two sides 4"
    side = parameter("x", type="integer")
    assert fit(side, fact(text, 4)) > fit(side, fact(text, 2)) > 0


def test_a_number_for_a_string_stays_as_it_was_said() -> None:
    text = "zip 1,200"
    assert value_of(parameter("zip"), fact(text, 1200), text) == "1,200"
    assert value_of(parameter("zip", type="integer"), fact(text, 1200), text) == 1200


def test_a_query_takes_free_text_and_a_city_does_not() -> None:
    assert is_free_text(parameter("search_query"))
    assert not is_free_text(parameter("city"))
    assert not is_free_text(parameter("query", type="integer"))
