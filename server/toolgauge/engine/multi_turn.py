"""The conversation loop: tool calls are answered with mocks until the model is done."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from toolgauge.engine.single_turn import Conversation
from toolgauge.gateway.extract import trajectory
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.model import mocks
from toolgauge.model.case import Case
from toolgauge.model.tools import Message, ToolCall

Ask = Callable[[Request], Awaitable[Reply]]


class ConversationLost(Exception):
    """A later request of a conversation failed; ``so_far`` is what was had before."""

    def __init__(self, so_far: Conversation) -> None:
        self.so_far = so_far
        super().__init__("a request in the middle of the conversation failed")


async def converse(case: Case, first: Request, ask: Ask) -> Conversation:
    """Return the whole conversation of one trial.

    A single-turn case is one request. Otherwise the loop ends when the model calls
    nothing, when the expected tool was called (multi-turn by ``expected_tool``), or
    after ``max_rounds`` requests. A whole reply (a recording, an agent) is the
    conversation.

    Raises:
        ConversationLost: from the ``GatewayError`` of a request after the first.
        GatewayError: the first request failed.
    """
    names = [tool.name for tool in case.tools]
    done = Conversation()
    request = first
    earlier: tuple[ToolCall, ...] = ()
    for turn in range(case.max_rounds if case.runs_a_conversation else 1):
        try:
            reply = await ask(request)
        except Exception as error:
            if turn == 0:
                raise
            raise ConversationLost(done) from error
        done = done.extended(reply)
        calls = trajectory(reply.messages, names).calls
        if reply.is_whole or not calls or not case.runs_a_conversation:
            break
        if _goal_was_called(case, calls) or turn + 1 == case.max_rounds:
            break
        echo, answers = _answers(case, reply.messages[0], calls, earlier)
        earlier += calls
        done = replace(done, messages=done.messages + answers)
        request = replace(
            request,
            messages=(*request.messages, echo, *answers),
            tool_choice=case.later_tool_choice,
            turn=turn + 1,
        )
    return done


def _goal_was_called(case: Case, calls: Sequence[ToolCall]) -> bool:
    if case.goal is None:
        return False
    wanted = {name.casefold() for name in case.goal.tools}
    return any(call.name.casefold() in wanted for call in calls)


def _answers(
    case: Case, message: Message, calls: Sequence[ToolCall], earlier: tuple[ToolCall, ...]
) -> tuple[Message, tuple[Message, ...]]:
    """Return the assistant message as it is sent back, and one answer per call."""
    texts = []
    for number, call in enumerate(calls):
        result = mocks.answer(case.mock_responses, (*earlier, *calls[:number]), call)
        texts.append(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False))
    native = message.get("tool_calls")
    if not isinstance(native, list) or len(native) != len(calls):
        # calls that were read from text have no ids to answer to
        echo = {"role": "assistant", "content": message.get("content")}
        body = "\n".join(f"<tool_response>{text}</tool_response>" for text in texts)
        return echo, ({"role": "user", "content": body},)
    ids = [_call_id(entry, len(earlier) + number) for number, entry in enumerate(native)]
    echo = {
        "role": "assistant",
        "content": message.get("content"),
        "tool_calls": [_sent_back(call_id, call) for call_id, call in zip(ids, calls, strict=True)],
    }
    return echo, tuple(
        {"role": "tool", "tool_call_id": call_id, "content": text}
        for call_id, text in zip(ids, texts, strict=True)
    )


def _call_id(entry: Any, number: int) -> str:
    given = entry.get("id") if isinstance(entry, dict) else None
    return given if isinstance(given, str) and given else f"call_{number}"


def _sent_back(call_id: str, call: ToolCall) -> dict[str, Any]:
    arguments = call.arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": call.name, "arguments": text},
    }
