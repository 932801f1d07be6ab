"""Reads the calls of tools out of the messages that one trial produced.

Pure, and total: whatever a provider sent, the answer is a trajectory, never an
exception. Begin with ``trajectory``.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolgauge.model.tools import CallFormat, Message, ToolCall, Trajectory

_OPEN, _CLOSE, _FENCE = "<tool_call>", "</tool_call>", "```"
_decoder = json.JSONDecoder()


def trajectory(messages: Sequence[Message], tool_names: Collection[str]) -> Trajectory:
    """Return every call of a trial in order, each with the result that answered it.

    Of an assistant message (one without a role counts as one) the first form that
    yields a call is read: native ``tool_calls``; ``<tool_call>`` blocks in the text;
    one JSON object that is the whole text and names a tool of ``tool_names``. A tool
    message answers the earlier call that has its ``tool_call_id``; where no call has
    it, the first earlier call that is unanswered.

    Arguments given as text are parsed once; missing, blank and null are ``{}``. What is
    no object then is kept as it was sent, with the format ``failed``. Entries that
    cannot be read are no calls. No messages, or nothing readable: no calls.

    Source: scoring.md, section 8.
    """
    calls: list[ToolCall] = []
    ids: list[Any] = []
    answers: list[tuple[int, Message]] = []
    kept = [message for message in messages if isinstance(message, dict)]
    for message in kept:
        role = message.get("role")
        if role == "assistant" or role is None:
            for call_id, call in _calls_of(message, tool_names):
                ids.append(call_id)
                calls.append(call)
        elif role == "tool":
            answers.append((len(calls), message))
    answered = _with_results(calls, ids, answers) if answers else calls
    return Trajectory(tuple(answered), tuple(kept))


def _calls_of(message: Message, tool_names: Collection[str]) -> list[tuple[Any, ToolCall]]:
    """Return (id, call) pairs of one assistant message; calls in text have no id."""
    if native := _native(message.get("tool_calls")):
        return native
    text = text_of(message.get("content"))
    if not text or "{" not in text:
        return []
    in_blocks = [call for block in tool_call_blocks(text) if (call := _from_block(block))]
    return [(None, call) for call in in_blocks or _whole_text(text, tool_names)]


def _native(entries: Any) -> list[tuple[Any, ToolCall]]:
    found: list[tuple[Any, ToolCall]] = []
    if not isinstance(entries, list):
        return found
    for entry in entries:
        function = entry.get("function") if isinstance(entry, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(function, dict) and isinstance(name, str):
            arguments = _arguments(function.get("arguments"))
            call = _from_name(name, arguments) if "{" in name else None
            found.append((entry.get("id"), call or _call(name, arguments, "native")))
    return found


def _from_name(name: str, arguments: Any) -> ToolCall | None:
    """Return the call that a JSON object in the place of the name holds, None if it holds none."""
    inner = _object(name)
    if inner is None or not isinstance(inner.get("name"), str):
        return None
    chosen = _arguments(_inner_arguments(inner)) if arguments == {} else arguments
    return _call(inner["name"], chosen, "repaired")


def tool_call_blocks(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of all ``<tool_call>`` blocks that can be read.

    Pieces are decoded one by one rather than matched by a pattern: a closing tag inside
    of a JSON string ends no block, and the time is linear whatever the text.
    """
    for piece in text.split(_OPEN)[1:]:
        body = piece.lstrip()
        try:
            block, end = _decoder.raw_decode(body)
        except (ValueError, RecursionError):
            continue
        if isinstance(block, dict) and body[end:].lstrip().startswith(_CLOSE):
            yield block


def _from_block(block: dict[str, Any]) -> ToolCall | None:
    if isinstance(block.get("name"), str):
        is_call = "arguments" in block or "parameters" in block
        return _from_object(block) if is_call else None
    function = block.get("function")
    return _from_object(function) if isinstance(function, dict) else None


def _from_object(named: dict[str, Any]) -> ToolCall | None:
    name = named.get("name")
    if not isinstance(name, str):
        return None
    return _call(name, _arguments(_inner_arguments(named)), "repaired")


def _whole_text(text: str, tool_names: Collection[str]) -> list[ToolCall]:
    """Return the one call that is the whole text, fenced or not, as a list of at most one."""
    body = text.strip()
    if body.startswith(_FENCE) and body.endswith(_FENCE):
        language, brace, rest = body.strip("`").partition("{")
        body = brace + rest if len(language.split()) <= 1 else ""
    named = _object(body)
    if named is None or not isinstance(named.get("name"), str):
        return []
    given = _inner_arguments(named)
    arguments = _object(given) if isinstance(given, str) else given
    if not isinstance(arguments, dict):
        return []
    if named["name"].casefold() not in {name.casefold() for name in tool_names}:
        return []
    return [_call(named["name"], arguments, "repaired")]


def _inner_arguments(named: dict[str, Any]) -> Any:
    return named["arguments"] if "arguments" in named else named.get("parameters")


def _object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that ``text`` is, None where it is anything else."""
    try:
        value = json.loads(text.strip())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _arguments(sent: Any) -> Any:
    """Return an object wherever ``sent`` can be read as one, otherwise ``sent`` itself."""
    if sent is None:
        return {}
    if not isinstance(sent, str):
        return sent
    if not sent or sent.isspace():
        return {}
    try:
        value = json.loads(sent)
    # ValueError is also what an integer longer than the interpreter's limit raises
    except (ValueError, RecursionError):
        return sent
    if value is None:
        return {}
    return value if isinstance(value, dict) else sent


def _call(name: str, arguments: Any, form: CallFormat) -> ToolCall:
    return ToolCall(name, arguments, form if isinstance(arguments, dict) else "failed")


def text_of(content: Any) -> str | None:
    """Return the text of a message: content that is text, or the text parts of a list, joined.

    None where there is neither.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None


def _with_results(
    calls: list[ToolCall], ids: list[Any], answers: list[tuple[int, Message]]
) -> list[ToolCall]:
    """Return the calls with their results; an answer comes with the number of calls before it."""
    results: dict[int, Any] = {}
    by_id: dict[str, deque[int]] = {}
    known = first_open = 0
    for made, message in answers:
        for position in range(known, made):
            if isinstance(ids[position], str) and ids[position]:
                by_id.setdefault(ids[position], deque()).append(position)
        known = made
        answered_id = message.get("tool_call_id")
        candidates = by_id.get(answered_id) if isinstance(answered_id, str) else None
        if candidates:
            # some providers use an id again in a later turn: the first open call is meant
            while len(candidates) > 1 and candidates[0] in results:
                candidates.popleft()
            results[candidates[0]] = _result(message.get("content"))
            continue
        while first_open in results:
            first_open += 1
        if first_open < made:
            results[first_open] = _result(message.get("content"))
    return [
        replace(call, result=results[position], has_result=True) if position in results else call
        for position, call in enumerate(calls)
    ]


def _result(content: Any) -> Any:
    text = text_of(content)
    if text is None:
        return content
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
