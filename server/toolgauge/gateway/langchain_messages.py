"""LangChain and LangGraph messages as OpenAI chat messages.

Pure, and without LangChain: message objects are known by their attributes, dumps by
their keys, so that any version's will do. Begin with ``openai_messages``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from toolgauge.model.tools import Message

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "tool": "tool",
    "system": "system",
    "HumanMessageChunk": "user",
    "AIMessageChunk": "assistant",
    "ToolMessageChunk": "tool",
    "SystemMessageChunk": "system",
}
_FIELDS = ("type", "role", "content", "tool_calls", "invalid_tool_calls", "tool_call_id")


def openai_messages(messages: Iterable[Any]) -> tuple[Message, ...]:
    """Return chat messages as OpenAI has them; those that are already stay as they are.

    Taken are LangChain's message objects and their dumps, by ``model_dump``,
    ``message_to_dict`` or ``dumpd``. Calls whose arguments LangChain could not parse keep
    the text that the model wrote. What is no message at all stays as it is, where it is
    an object, and is left out otherwise.

    >>> openai_messages([{"type": "ai", "content": "", "tool_calls": [
    ...     {"name": "search", "args": {"q": "x"}, "id": "1"}]}])[0]["tool_calls"][0]["function"]
    {'name': 'search', 'arguments': '{"q": "x"}'}
    """
    return tuple(message for each in messages if (message := _openai_message(each)) is not None)


def is_langchain(message: Any) -> bool:
    """Return whether this is a message of LangChain's, as an object or as a dump."""
    fields = _fields_of(message)
    return "role" not in fields and _is_kind(fields.get("type"))


def _openai_message(message: Any) -> Message | None:
    if not is_langchain(message):
        return message if isinstance(message, dict) else None
    fields = _fields_of(message)
    translated: Message = {"role": _ROLES[fields["type"]], "content": fields.get("content")}
    calls = [_call(call) for call in _entries(fields, "tool_calls", "invalid_tool_calls")]
    if calls:
        translated["tool_calls"] = calls
    if fields.get("tool_call_id"):
        translated["tool_call_id"] = fields["tool_call_id"]
    return translated


def _fields_of(message: Any) -> dict[str, Any]:
    """Return the fields of a message, wherever its form keeps them."""
    if not isinstance(message, dict):
        return {name: getattr(message, name) for name in _FIELDS if hasattr(message, name)}
    if message.get("type") == "constructor" and isinstance(message.get("kwargs"), dict):
        kwargs: dict[str, Any] = message["kwargs"]
        return kwargs
    data = message.get("data")
    if isinstance(data, dict) and _is_kind(message.get("type")):
        return {**data, "type": message["type"]}
    return message


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, str) and kind in _ROLES


def _entries(fields: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    lists = (fields.get(name) for name in names)
    entries = (entry for found in lists if isinstance(found, list) for entry in found)
    return [entry for entry in entries if isinstance(entry, dict)]


def _call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("args")
    text = arguments if isinstance(arguments, str) else _json(arguments)
    function = {"name": call.get("name"), "arguments": text}
    return {"id": call.get("id"), "type": "function", "function": function}


def _json(arguments: Any) -> str:
    # an agent may call its tools with values of its own, such as dates
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False, default=str)
