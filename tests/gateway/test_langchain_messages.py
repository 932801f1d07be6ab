from __future__ import annotations

import datetime as dt
import doctest
import json
from typing import Any

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
)

from builders import called, said
from toolgauge.gateway import langchain_messages
from toolgauge.gateway.extract import trajectory
from toolgauge.gateway.langchain_messages import is_langchain, openai_messages

CALL = {"name": "get_weather", "args": {"city": "Paris"}, "id": "call_1", "type": "tool_call"}
DIALOGUE: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage("Weather in Paris?"),
    AIMessage("", tool_calls=[CALL]),
    ToolMessage('{"sky": "blue"}', tool_call_id="call_1"),
    AIMessage("Blue."),
]
TRANSLATED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Paris?"},
    called("get_weather", city="Paris") | {"content": ""},
    {"role": "tool", "content": '{"sky": "blue"}', "tool_call_id": "call_1"},
    said("Blue."),
]


@pytest.mark.parametrize(
    "form", [lambda m: m, lambda m: m.model_dump(), message_to_dict, dumpd],
    ids=["objects", "model_dump", "message_to_dict", "dumpd"],
)  # fmt: skip
def test_each_form_of_langchains_messages_becomes_openais(form: Any) -> None:
    messages = [form(message) for message in DIALOGUE]
    assert all(is_langchain(message) for message in messages)
    assert list(openai_messages(messages)) == TRANSLATED


def test_messages_of_openai_stay_as_they_are() -> None:
    assert list(openai_messages(TRANSLATED)) == TRANSLATED
    assert not any(is_langchain(message) for message in TRANSLATED)


def test_a_chunk_is_a_message_too() -> None:
    assert openai_messages([AIMessageChunk(content="Blue.")]) == (said("Blue."),)


def test_a_call_that_langchain_could_not_parse_keeps_what_the_model_wrote() -> None:
    bad = {"name": "f", "args": "{broken", "id": "1", "error": "no JSON"}
    (call,) = trajectory(openai_messages([AIMessage("", invalid_tool_calls=[bad])]), []).calls
    assert (call.name, call.arguments, call.format) == ("f", "{broken", "failed")


def test_arguments_that_are_no_json_values_are_shown_as_text() -> None:
    day = {
        "type": "ai",
        "content": "",
        "tool_calls": [{"name": "f", "args": {"on": dt.date(2026, 1, 2)}}],
    }
    (message,) = openai_messages([day])
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"on": "2026-01-02"}


@pytest.mark.parametrize(
    "junk",
    [
        *(7, None, "text", {}, {"type": "other"}, {"type": []}, {"type": "constructor"}),
        *({"type": "ai", "data": 7}, {"type": "ai", "tool_calls": 7, "content": [7]}),
        {"type": "ai", "tool_calls": [7, None, {}], "invalid_tool_calls": "x"},
    ],
)
def test_what_is_no_message_does_no_harm(junk: Any) -> None:
    translated = openai_messages([junk, said("Blue.")])
    assert translated[-1] == said("Blue.")
    assert trajectory(translated, []).calls == ()


def test_the_example_in_the_docstring_is_true() -> None:
    assert doctest.testmod(langchain_messages) == (0, 1)
