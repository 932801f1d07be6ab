from __future__ import annotations

from typing import Any

import pytest

from builders import WEATHER_TOOL, called, said
from toolgauge.formats.chat_logs import entry_of
from toolgauge.formats.records import BadRecord

ASKED = {"role": "user", "content": "Weather in Paris?"}
ANSWER = {"role": "tool", "tool_call_id": "call_1", "content": '{"sky": "blue"}'}
CALL = called("get_weather", city="Paris")
ANSWERED = {"choices": [{"message": CALL}]}
EXPECTED = [{"tool": "get_weather", "params": {"city": "Paris"}}]


def log(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"messages": list(messages) or [ASKED, CALL, ANSWER, said("Blue.")]} | fields


def test_what_was_called_becomes_what_is_expected() -> None:
    entry = entry_of(log(tools=[WEATHER_TOOL], model="gpt-x", id="chat-1"))
    assert entry.case == {
        "id": "chat-1",
        "prompt": "Weather in Paris?",
        "tools": [WEATHER_TOOL],
        "expected_calls": EXPECTED,
        "mock_responses": {"get_weather": {"sky": "blue"}},
    }
    assert entry.trial == {
        "target": "gpt-x",
        "repeat": 0,
        "messages": [CALL, ANSWER, said("Blue.")],
    }


def test_asked_is_everything_before_the_first_call_of_the_last_exchange() -> None:
    earlier = [ASKED, CALL, ANSWER, said("Blue."), {"role": "user", "content": "And in Rome?"}]
    thinking = said("Let me look.")
    rome = called("get_weather", city="Rome")
    entry = entry_of(log(*earlier, thinking, rome, ANSWER))
    assert entry.case["messages"] == [*earlier, thinking]
    assert entry.case["expected_calls"] == [{"tool": "get_weather", "params": {"city": "Rome"}}]
    assert entry.trial is not None
    assert entry.trial["messages"] == [rome, ANSWER]


def test_an_exchange_without_a_call_expects_none() -> None:
    entry = entry_of(log(ASKED, said("I cannot know.")))
    assert (entry.case["prompt"], entry.case["expected_calls"]) == ("Weather in Paris?", [])
    assert entry.trial is not None
    assert entry.trial["messages"] == [said("I cannot know.")]


def test_a_tool_that_answered_several_times_answers_so_again() -> None:
    turns = [called("next", "a"), ANSWER | {"tool_call_id": "a", "content": "1"}]
    turns += [called("next", "b"), ANSWER | {"tool_call_id": "b", "content": "2"}]
    assert entry_of(log(ASKED, *turns)).case["mock_responses"] == {"next": {"sequence": [1, 2]}}


def test_an_answer_that_looks_like_a_mock_with_rules_is_not_read_as_one() -> None:
    odd = ANSWER | {"content": '{"error": "no such city"}'}
    mocks = entry_of(log(ASKED, CALL, odd)).case["mock_responses"]
    assert mocks == {"get_weather": {"sequence": [{"error": "no such city"}]}}


@pytest.mark.parametrize(
    "record",
    [
        {
            "request": {"messages": [ASKED], "model": "gpt-x"},
            "response": {"choices": [{"message": CALL}]},
        },
        {"messages": [ASKED], "choices": [{"message": CALL}], "model": "gpt-x"},
        {
            "item": {"input": [ASKED]},
            "sample": {"output_tools": CALL["tool_calls"], "output_text": "", "model": "gpt-x"},
        },
        {
            "item": {"messages": [ASKED]},
            "sample": {"model": "gpt-x", "choices": [{"message": CALL}]},
        },
        {"input": [ASKED, CALL], "target": "gpt-x"},
    ],
    ids=["request and response", "choices", "eval item", "eval choices", "input"],
)
def test_every_kind_of_log_gives_the_same_case(record: dict[str, Any]) -> None:
    entry = entry_of(record)
    assert entry.case == {"prompt": "Weather in Paris?", "expected_calls": EXPECTED}
    assert entry.trial is not None
    assert entry.trial["target"] == "gpt-x"


def test_messages_of_langchain_are_read_too() -> None:
    call = {"name": "get_weather", "args": {"city": "Paris"}, "id": "1", "type": "tool_call"}
    messages = [
        {"type": "human", "content": "Weather in Paris?"},
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "tool", "content": '{"sky": "blue"}', "tool_call_id": "1"},
    ]
    case = entry_of({"messages": messages}).case
    assert case["expected_calls"] == EXPECTED
    assert case["mock_responses"] == {"get_weather": {"sky": "blue"}}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({}, "is required"),
        ({"messages": ["hi"]}, "must be a message"),
        (log(CALL), "no message of a user"),
        (log(ASKED), "no answer"),
        (
            log(
                ASKED,
                called("f")
                | {
                    "content": "x",
                    "tool_calls": [{"function": {"name": "f", "arguments": "{broken"}}],
                },
            ),
            "no JSON object",
        ),
    ],
)
def test_a_log_that_makes_no_case_says_why(record: dict[str, Any], told: str) -> None:
    with pytest.raises(BadRecord) as refused:
        entry_of(record)
    assert told in refused.value.message
