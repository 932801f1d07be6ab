from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.gateway.lexical_facts import linked, read_facts


def values(kind: str, text: str) -> list[Any]:
    return [fact.value for fact in read_facts(text) if fact.kind == kind]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("url", "Open https://a.org/x?y=1, please", ["https://a.org/x?y=1"]),
        ("email", "Mail bob@x.org and ann.b@mail.x.org.", ["bob@x.org", "ann.b@mail.x.org"]),
        ("quoted", "Say 'it is late' and \"no\"", ["it is late", "no"]),
        ("quoted", "John's and Ann's", []),
        ("date", "on 2026-05-05", ["2026-05-05"]),
        ("date", "on May 5, 2026", ["2026-05-05"]),
        ("date", "on the 5th of May 2026", ["2026-05-05"]),
        ("date", "on May 5", ["May 5"]),
        ("date", "on February 31, 2026", ["February 31, 2026"]),
        ("date", "next Friday or tomorrow", ["next Friday", "tomorrow"]),
        ("date", "May I go", []),
        ("time", "at 5pm or 10:30", ["5pm", "10:30"]),
        ("code", "cancel FL123 and ORD-991", ["FL123", "ORD-991"]),
        ("number", "pay 1,200.50 for 20 minutes at -3 degrees", [1200.5, 20, -3]),
        ("number", "5km", [5]),
        ("number", "2026-05-05 at 10:30", []),
        ("count", "a table for two", [2]),
        ("name", "Find New York hotels", ["New York"]),
        ("name", "Drive to San Francisco, CA", ["San Francisco, CA"]),
        ("name", "What's up? Thanks!", []),
        ("name", "Summarise this", []),
        ("name", "Between Paris and the US. Book FL9", ["Paris", "US"]),
        ("name", "ask John's boss in Århus", ["John", "Århus"]),
        ("phrase", "weather in new york tomorrow", ["new york"]),
        ("rest", "Find information about rust", ["information about rust"]),
    ],
)
def test_a_fact_is_found(kind: str, text: str, expected: list[Any]) -> None:
    assert values(kind, text) == expected


def test_a_fact_knows_the_words_around_it_within_its_sentence() -> None:
    (fact,) = [
        f for f in read_facts("It rains. Set a timer for 20 minutes now") if f.kind == "number"
    ]
    assert fact.before == ("set", "a", "timer", "for")
    assert fact.after == ("minutes", "now")


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("in Paris and in Rome", ["Paris", "Rome"]),
        ("in Paris, Rome, and Oslo", ["Paris", "Rome", "Oslo"]),
        ("from Paris to Rome", ["Paris"]),
        ("in Paris where Rome and Oslo are", ["Paris"]),
    ],
)
def test_an_enumeration_is_parted_by_commas_and_ands(text: str, group: list[str]) -> None:
    facts = read_facts(text)
    anchor = next(fact for fact in facts if fact.value == "Paris")
    assert [fact.value for fact in linked(text, facts, anchor)] == group


@pytest.mark.parametrize(
    "piece", ["a", "A", "A a ", "'", "1,", "in ", "find ", "1-", "a1_", "a.", "A "]
)
def test_the_time_does_not_explode_on_repeated_text(piece: str) -> None:
    started = time.perf_counter()
    facts = read_facts((piece * 8_000)[:8_000])
    assert len(facts) <= 200
    assert time.perf_counter() - started < 2


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters() | st.sampled_from("AZaz09 ,.'\"@-:/")))
def test_facts_lie_in_the_text(text: str) -> None:
    for fact in read_facts(text):
        assert 0 <= fact.start < fact.end <= len(text)
