from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import calls, case, tool

from toolgauge.model.case import Case
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring import multi_turn, score_trial

SCORES = ("completion", "efficiency", "redundancy", "detour", "provenance")


def booking(**fields: Any) -> Case:
    usual = {"expected_tool": "book", "multi_turn": True, "valid_prerequisites": ["search"]}
    return case(tools=[tool("book", {}), tool("search", {})], **usual | fields)


def values(made_case: Case, *made: Any) -> dict[str, float | None]:
    scores = score_trial(made_case, calls(*made)).scores
    return {name: scores[name].value for name in (*SCORES, "overall")}


def test_the_shortest_way_is_perfect() -> None:
    found = values(booking(), "search", "book")
    assert found == {
        "completion": 1.0,
        "efficiency": 1.0,
        "redundancy": 0.0,
        "detour": 0.0,
        "provenance": None,
        "overall": 1.0,
    }


def test_hops_beyond_the_optimum_lower_efficiency() -> None:
    assert values(booking(), "search", "search", "search", "book")["efficiency"] == 0.5


def test_a_repetition_needs_the_same_name_and_equal_arguments() -> None:
    same = [("search", {"n": 1, "q": "x"}), ("SEARCH", {"q": "x", "n": 1.0})]
    assert values(booking(), *same, "book")["redundancy"] == 0.1
    other = [("search", {"q": "x"}), ("search", {"q": "X"}), ("search", {"q": True})]
    assert values(booking(), *other, "book")["redundancy"] == 0.0
    apart = [("search", {"n": 1}), "book", ("search", {"n": 1})]
    assert values(booking(), *apart)["redundancy"] == 0.0


def test_every_stray_call_is_a_detour_the_last_included() -> None:
    assert values(booking(), "x", "book", "Search", "y")["detour"] == 0.2


def test_the_penalties_are_taken_from_the_product() -> None:
    found = values(booking(), "x", "x", "book")
    assert found["overall"] == pytest.approx(2 / 3 - 0.1 - 0.2)
    scored = score_trial(booking(), calls("x", "x", "book"))
    assert scored.scores["overall"].reason == "1 * 0.666667 - 0.1 - 0.2"


def test_an_empty_chain_is_worth_nothing_unless_nothing_is_expected() -> None:
    assert set(values(booking(argument_source={"a": "search.a"})).values()) == {0.0}
    silent = values(booking(expected_tool=None))
    assert (silent["completion"], silent["efficiency"], silent["overall"]) == (1.0, 1.0, 1.0)
    assert (silent["redundancy"], silent["detour"]) == (0.0, 0.0)


@pytest.mark.parametrize(
    "fields",
    [{"expected_calls": [{"tool": "book"}]}, {"expect_any_call": True}],
)
def test_without_one_goal_the_five_scores_are_there_and_empty(fields: dict[str, Any]) -> None:
    scores = score_trial(case(multi_turn=True, **fields), calls("book")).scores
    assert [scores[name].value for name in SCORES] == [None] * 5
    assert scores["overall"].value == 1.0


def test_a_forbidden_tool_leaves_completion_as_it_is() -> None:
    found = values(booking(forbidden_tools=["search"]), "search", "book")
    assert (found["completion"], found["overall"]) == (1.0, 0.0)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["book", "search", "x", "y"]), max_size=40))
def test_every_score_stays_within_its_bounds(names: list[str]) -> None:
    assert all(value is None or 0 <= value <= 1 for value in values(booking(), *names).values())


def flight(source: str, **fields: Any) -> Case:
    return booking(argument_source={"id": source}, **fields)


def provenance(made_case: Case, *made: ToolCall) -> Score:
    return multi_turn.provenance(made_case, Trajectory(made))


def answered(name: str, result: Any, arguments: Any = None) -> ToolCall:
    return replace(ToolCall(name, arguments or {}), result=result, has_result=True)


BOOK = ToolCall("book", {"id": "FL1"})


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("search", "FL1"),
        ("search.id", {"id": "FL1"}),
        ("search.flights.1.id", {"flights": [{}, {"id": "FL1"}]}),
        ("search.0", ["FL1"]),
        ("search.0", {"0": "FL1"}),
        ("SEARCH.id", {"id": "FL1"}),
    ],
)
def test_a_value_from_an_earlier_result_has_provenance(path: str, result: Any) -> None:
    assert provenance(flight(path), answered("Search", result), BOOK).value == 1.0


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("search.id", {"id": "fl1"}),
        ("search.id.x", {"id": "FL1"}),
        ("search.9", ["FL1"]),
        ("search.-1", ["FL1"]),
        ("search.99999999999999999999", ["FL1"]),
        ("search.²", ["x", "x", "FL1"]),
        ("search.id", None),
        ("other.id", {"id": "FL1"}),
    ],
)
def test_a_value_that_was_not_returned_there_has_none(path: str, result: Any) -> None:
    score = provenance(flight(path), answered("search", result), BOOK)
    assert score.value == 0.0
    assert score.reason


def test_a_source_counts_only_before_the_final_call() -> None:
    late = provenance(flight("search"), BOOK, answered("search", "FL1"))
    assert (late.value, late.reason) == (0.0, "id: 'search' was not called before")


def test_any_earlier_call_of_the_source_will_do() -> None:
    results = answered("search", "FL1"), answered("search", "FL2")
    assert provenance(flight("search"), *results, BOOK).value == 1.0


def test_where_no_message_answers_a_call_its_mock_does() -> None:
    mocked = flight("search.id", mock_responses={"search": {"sequence": [{"id": 1}, {"id": 2}]}})
    searches = ToolCall("search", {"p": 1}), ToolCall("search", {"p": 2})
    assert provenance(mocked, *searches, ToolCall("book", {"id": 2})).value == 1.0
    assert provenance(mocked, searches[0], ToolCall("book", {"id": 2})).value == 0.0


def test_a_missing_argument_has_no_provenance() -> None:
    for arguments in ({}, "FL1"):
        score = provenance(flight("search"), answered("search", 1), ToolCall("book", arguments))
        assert (score.value, score.reason) == (0.0, "id is missing in the call")


def test_a_tool_name_may_hold_dots() -> None:
    dotted = case(
        tools=[tool("book", {}), tool("air.search", {})],
        expected_tool="book",
        multi_turn=True,
        argument_source={"id": "air.search.id"},
    )
    assert provenance(dotted, answered("air.search", {"id": "FL1"}), BOOK).value == 1.0
