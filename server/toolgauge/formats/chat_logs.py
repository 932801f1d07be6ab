"""Chat completion logs as cases: record, then review.

What was called after the last question becomes what is expected, and what tools answered
becomes their mocks; a person reviews both before they count. Messages are OpenAI's or
LangChain's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgauge.formats.expected_in_order import expected_call
from toolgauge.formats.layout import RECORDED, Entry, Layout, own_id
from toolgauge.formats.places import kind_of
from toolgauge.formats.prompts import conversation
from toolgauge.formats.records import BadRecord
from toolgauge.gateway.extract import trajectory
from toolgauge.gateway.langchain_messages import openai_messages
from toolgauge.model.mocks import is_structured
from toolgauge.model.tools import Message, ToolCall


def entry_of(record: dict[str, Any]) -> Entry:
    """Return a case that expects what the log shows, and the log as its trial.

    Asked is everything before the first call of the last exchange, which begins with the
    last message of a user; expected are all calls from there on, in order. An exchange
    without a call becomes a case that expects none.

    A record is ``{"messages": [...], "tools"?, "model"?}``, with the answer as the last
    messages, or as ``choices`` beside them; the same under ``request`` and ``response``;
    or an item of OpenAI's evals (``{"item": {"input": [...]}, "sample": {...}}``).

    Raises:
        BadRecord: there are no messages, nobody asked, nobody answered, or the arguments
            of a call cannot be read.
    """
    asked, answer = _asked_and_answer(record)
    messages = [*_messages(asked), *openai_messages(answer)]
    tools = asked.get("tools")
    names = _names(tools)
    start = _start_of_answer(messages, names)
    produced = messages[start:]
    calls = trajectory(produced, names).calls
    case = own_id(record, "case_id", "id") | conversation(messages[:start])
    case |= {} if tools is None else {"tools": tools}
    case |= {"expected_calls": [_expected(call, at) for at, call in enumerate(calls)]}
    case |= {"mock_responses": mocks} if (mocks := _mocks(calls)) else {}
    return Entry(case, {"target": _target(record, asked), "repeat": 0, "messages": produced})


LAYOUT = Layout(entry_of)


def _asked_and_answer(record: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return the part of a log that was sent, and the messages that came back beside it."""
    if isinstance(record.get("item"), dict):
        sample = _object(record, "sample")
        made = {"content": sample.get("output_text"), "tool_calls": sample.get("output_tools")}
        has_answer = any(made.values()) and "choices" not in sample
        own = [{"role": "assistant", **made}] if has_answer else _choice(sample)
        return record["item"], own
    if isinstance(record.get("request"), dict):
        return record["request"], _choice(_object(record, "response"))
    return record, _choice(record)


def _object(record: dict[str, Any], name: str) -> dict[str, Any]:
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _choice(response: dict[str, Any]) -> list[Any]:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    message = first.get("message") if isinstance(first, dict) else None
    return [message] if isinstance(message, dict) else []


def _messages(asked: dict[str, Any]) -> list[Message]:
    name = "messages" if "messages" in asked else "input"
    messages = asked.get(name)
    if not isinstance(messages, list) or not messages:
        raise BadRecord("messages", "is required: the messages of a chat")
    for position, message in enumerate(messages):
        if not isinstance(message, dict):
            raise BadRecord(f"{name}[{position}]", f"must be a message, not {kind_of(message)}")
    return list(openai_messages(messages))


def _start_of_answer(messages: Sequence[Message], tool_names: Sequence[str]) -> int:
    """Return the position of the first call of the last exchange, else of its answer."""
    roles = [message.get("role") for message in messages]
    if "user" not in roles:
        raise BadRecord("messages", "holds no message of a user")
    first = len(roles) - roles[::-1].index("user")
    if "assistant" not in roles[first:]:
        raise BadRecord("messages", "holds no answer to the last message of the user")
    calling = (
        position
        for position in range(first, len(messages))
        if trajectory(messages[position : position + 1], tool_names).calls
    )
    return next(calling, first)


def _names(tools: Any) -> list[str]:
    entries = tools if isinstance(tools, list) else []
    functions = [tool.get("function") for tool in entries if isinstance(tool, dict)]
    names = [function.get("name") for function in functions if isinstance(function, dict)]
    return [name for name in names if isinstance(name, str)]


def _expected(call: ToolCall, position: int) -> dict[str, Any]:
    place = f"calls[{position}]"
    if not isinstance(call.arguments, dict):
        raise BadRecord(place, f"the arguments of {call.name} are no JSON object")
    return expected_call(call.name, call.arguments, place)


def _mocks(calls: Sequence[ToolCall]) -> dict[str, Any]:
    """Return what each tool answered: once and for all, or one answer after the other."""
    answers: dict[str, list[Any]] = {}
    for call in calls:
        if call.has_result:
            answers.setdefault(call.name, []).append(call.result)
    return {
        name: given[0] if len(given) == 1 and not is_structured(given[0]) else {"sequence": given}
        for name, given in answers.items()
    }


def _target(record: dict[str, Any], asked: dict[str, Any]) -> str:
    responses = (_object(record, "response"), _object(record, "sample"), record, asked)
    names = [record.get("target"), *(response.get("model") for response in responses)]
    return next((name for name in names if isinstance(name, str) and name), RECORDED)
