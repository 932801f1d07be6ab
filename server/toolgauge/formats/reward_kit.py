"""Datasets of the Reward Kit: JSON lines of ``tools``, ``messages`` and ``ground_truth``.

The last assistant message is what a model produced; what stands before it was asked.
"""

from __future__ import annotations

import json
from typing import Any

from toolgauge.formats.expected_in_order import expected_calls, openai_calls, plain_calls
from toolgauge.formats.layout import RECORDED, Entry, Layout, Outgoing, own_id
from toolgauge.formats.places import kind_of
from toolgauge.formats.prompts import conversation, messages_sent
from toolgauge.formats.records import BadRecord


def entry_of(record: dict[str, Any]) -> Entry:
    """Return a case with ``expected_calls`` in strict order, and the recorded message as a trial.

    Without a ground truth nothing may be called, as the Reward Kit has it.

    Raises:
        BadRecord: the record has no messages to ask, or its ground truth is no list of calls.
    """
    asked, produced = _split(record.get("messages"))
    tools = {"tools": record["tools"]} if "tools" in record else {}
    case = (
        own_id(record, "id")
        | conversation(asked)
        | tools
        | {"expected_calls": _expected(record.get("ground_truth")), "order": "strict"}
    )
    trial = {"target": RECORDED, "repeat": 0, "messages": produced} if produced else None
    return Entry(case, trial)


def record_of(outgoing: Outgoing) -> dict[str, Any]:
    """Return the record that says what the case says, as far as the Reward Kit can tell.

    Raises:
        BadRecord: its strict comparison would not do the case justice, or an MCP server
            has the tools.
    """
    if any("mcp" in tool for tool in outgoing.tools):
        raise BadRecord("tools", "are an MCP server's; write them into the suite")
    calls = plain_calls(outgoing.case)
    return {
        "id": outgoing.case.id,
        "tools": outgoing.tools,
        "messages": [*messages_sent(outgoing.case), *_generation(outgoing.trial)],
        "ground_truth": {"tool_calls": openai_calls(calls)},
    }


LAYOUT = Layout(entry_of, record_of)


def _split(messages: Any) -> tuple[list[Any], list[Any]]:
    if not isinstance(messages, list) or not messages:
        raise BadRecord("messages", "is required: a list of at least one message")
    for position, message in enumerate(messages):
        if not isinstance(message, dict):
            raise BadRecord(f"messages[{position}]", f"must be a message, not {kind_of(message)}")
    is_answered = messages[-1].get("role") == "assistant"
    asked, produced = (messages[:-1], messages[-1:]) if is_answered else (messages, [])
    if not asked:
        raise BadRecord("messages", "holds nothing that was asked before the assistant's message")
    return asked, produced


def _expected(ground_truth: Any) -> list[dict[str, Any]]:
    if isinstance(ground_truth, str):
        try:
            ground_truth = json.loads(ground_truth)
        except (ValueError, RecursionError):
            raise BadRecord("ground_truth", "is not valid JSON") from None
    if ground_truth is None:
        return []
    if not isinstance(ground_truth, dict):
        raise BadRecord("ground_truth", f"must be an object, not {kind_of(ground_truth)}")
    return expected_calls(ground_truth.get("tool_calls"), "ground_truth.tool_calls")


def _generation(trial: dict[str, Any] | None) -> list[Any]:
    """Return the last message that was recorded, where it is the model's."""
    messages = (trial or {}).get("messages") or []
    return messages[-1:] if messages and messages[-1].get("role") == "assistant" else []
