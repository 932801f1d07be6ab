from __future__ import annotations

import pytest

from builders import WEATHER_TOOL, suite
from toolgauge.model.fingerprint import canonical_json, fingerprint

BASE = {
    "id": "a",
    "prompt": "p",
    "expected_tool": "get_weather",
    "expected_params": {"city": "Paris"},
}


def of(case: dict | None = None, **fields: object):
    return fingerprint(suite(BASE | (case or {}), **fields).cases[0])


@pytest.mark.parametrize(
    "case",
    [
        {"prompt": "q"},
        {"system_prompt": "s"},
        {"tool_choice": "auto"},
        {"tools": []},
    ],
)
def test_what_the_model_sees_changes_the_request_alone(case: dict) -> None:
    assert of(case).request != of().request
    assert of(case).expectation == of().expectation


@pytest.mark.parametrize(
    "case",
    [
        {"expected_params": {"city": "Rome"}},
        {"expected_params": {"city": 1}},
        {"expected_tool": ["get_weather"]},
        {"param_scoring": "fuzzy"},
        {"scoring_config": {"params": {"city": {"mode": "any"}}}},
        {"pass_threshold": 0.5},
        {"forbidden_tools": ["x"]},
        {"argument_source": {"city": "x.y"}},
    ],
)
def test_how_it_is_scored_changes_the_expectation_alone(case: dict) -> None:
    if case != {"expected_tool": ["get_weather"]}:  # the same expectation, written otherwise
        assert of(case).expectation != of().expectation
    assert of(case).request == of().request


def test_an_edited_tool_description_is_another_request() -> None:
    worse = {"function": WEATHER_TOOL["function"] | {"description": "Weather."}}
    assert of(tools=[worse]).request != of().request
    assert of(tools=[worse]).expectation == of().expectation


def test_names_descriptions_and_slices_are_outside_of_it() -> None:
    fields = {"description": "d", "tags": ["x"], "targets": ["openai/x"]}
    assert of({"id": "b", "category": "c", "critical": True}, **fields) == of()


def test_mocks_count_only_where_there_is_a_conversation() -> None:
    mocks = {"mock_responses": {"search": 1}}
    assert of(mocks).request == of().request
    turn = {"multi_turn": True}
    assert of(turn | mocks).request != of(turn).request


def test_defaults_are_resolved_before_it_is_taken() -> None:
    assert of(defaults={"param_scoring": "fuzzy"}) == of({"param_scoring": "fuzzy"})


def test_numbers_keep_their_kind_and_key_order_does_not_matter() -> None:
    assert canonical_json(1) != canonical_json(1.0)
    assert canonical_json({"b": 1, "a": 2}) == canonical_json({"a": 2, "b": 1})
