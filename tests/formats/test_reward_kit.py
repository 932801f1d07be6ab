from __future__ import annotations

import json
from typing import Any

import pytest

from builders import WEATHER_TOOL, called, said
from dataset_samples import BOSTON, openai_call, reward_kit_record
from toolgauge.formats.records import BadRecord
from toolgauge.formats.reward_kit import entry_of

CALL = {"tool": "get_weather", "params": BOSTON}


def test_the_last_assistant_message_is_the_output_and_the_rest_was_asked() -> None:
    entry = entry_of(reward_kit_record())
    assert entry.case == {
        "prompt": "What's the weather like in Boston today?",
        "tools": [WEATHER_TOOL],
        "expected_calls": [CALL],
        "order": "strict",
    }
    assert entry.trial == {
        "target": "recorded",
        "repeat": 0,
        "messages": [called("get_weather", **BOSTON)],
    }


def test_a_conversation_is_kept_with_its_earlier_turns() -> None:
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        said("Where?"),
        {"role": "user", "content": "Boston."},
    ]
    entry = entry_of(reward_kit_record(messages=[*asked, said("Sunny.")]))
    assert entry.case["messages"] == asked
    assert entry_of(reward_kit_record(messages=asked)).trial is None


@pytest.mark.parametrize(
    "ground_truth",
    [
        {"tool_calls": [openai_call("get_weather", BOSTON)]},
        {"role": "assistant", "tool_calls": [openai_call("get_weather", BOSTON) | {"id": "x"}]},
        json.dumps({"tool_calls": [openai_call("get_weather", BOSTON)]}),
    ],
)
def test_a_ground_truth_may_be_an_object_or_its_text(ground_truth: Any) -> None:
    entry = entry_of(reward_kit_record(ground_truth=ground_truth))
    assert entry.case["expected_calls"] == [CALL]


@pytest.mark.parametrize("ground_truth", [None, {}, {"tool_calls": None}, {"tool_calls": []}])
def test_without_expected_calls_nothing_may_be_called(ground_truth: Any) -> None:
    assert entry_of(reward_kit_record(ground_truth=ground_truth)).case["expected_calls"] == []


def test_parameters_that_are_no_json_schema_stay_as_they_were_written() -> None:
    parameters = {"trimid": {"description": "The trim.", "type": "int", "default": ""}}
    tool = {"type": "function", "function": {"name": "specs", "parameters": parameters}}
    assert entry_of(reward_kit_record(tools=[tool])).case["tools"] == [tool]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": ["hi"]}, "messages[0]"),
        ({"messages": [said("hi")]}, "messages"),
        ({"ground_truth": "{"}, "ground_truth"),
        ({"ground_truth": []}, "ground_truth"),
        ({"ground_truth": {"tool_calls": 7}}, "ground_truth.tool_calls"),
        (
            {"ground_truth": {"tool_calls": [openai_call("f", "[1]")]}},
            "ground_truth.tool_calls[0].arguments",
        ),
    ],
)
def test_a_broken_record_is_told_by_its_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadRecord) as refused:
        entry_of(reward_kit_record(**fields))
    assert refused.value.field == field
