"""What an answer says that has the shape of OpenAI's chat completions or embeddings.

Pure. Shared by the adapters that talk to providers; ``faults`` classifies the answers
that failed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolgauge.errors import GatewayError
from toolgauge.gateway.faults import Answer, error_of_answer
from toolgauge.gateway.gateway import Reply
from toolgauge.model.trial import ToolChoice, Usage

OURS = frozenset(
    {"model", "messages", "tools", "tool_choice", "stream", "api_key", "api_base", "base_url"}
)
"""What a request says itself; a target's parameters cannot."""


def check_parameters(
    target: str, parameters: Mapping[str, Any], reserved: frozenset[str] = OURS
) -> None:
    """Accept the parameters of a target, or say which of them cannot be one.

    Raises:
        GatewayError: ``setup``; a parameter would replace what the request itself says.
    """
    if wrong := sorted(reserved & parameters.keys()):
        raise GatewayError(
            "setup", f"{target}: {', '.join(wrong)} cannot be set as a parameter; remove it"
        )


def read_reply(
    answer: Answer, *, latency_ms: float | None, tool_choice_sent: ToolChoice | None
) -> Reply:
    """Return the reply in an answer: its first choice's message, untouched.

    No choices at all (``[]``) is a reply without messages; unknown usage is None.

    Raises:
        GatewayError: the answer is an error, or no chat completion (``bad_json``).
    """
    body = _object_in(answer)
    choices = body.get("choices")
    if not isinstance(choices, list):
        raise _unreadable(answer, "it has no list of choices")
    choice = choices[0] if choices else {"message": None}
    if not isinstance(choice, dict):
        raise _unreadable(answer, "its first choice is no object")
    if choice.get("error"):
        raise error_of_answer(_within(answer, choice))
    message = choice.get("message")
    if choices and not isinstance(message, dict):
        raise _unreadable(answer, "its first choice has no message")
    finish = choice.get("finish_reason")
    return Reply(
        messages=(message,) if isinstance(message, dict) else (),
        finish_reason=finish if isinstance(finish, str) else None,
        usage=read_usage(body.get("usage")),
        latency_ms=latency_ms,
        tool_choice_sent=tool_choice_sent,
    )


def read_usage(usage: Any) -> Usage:
    """Return the tokens that a ``usage`` object states; what it does not state is None."""
    stated = usage if isinstance(usage, dict) else {}
    return Usage(
        input_tokens=_count(stated.get("prompt_tokens")),
        output_tokens=_count(stated.get("completion_tokens")),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def read_vectors(answer: Answer, count: int) -> tuple[tuple[float, ...], ...]:
    """Return ``count`` vectors of one length, in the order of the texts.

    Raises:
        GatewayError: the answer is an error, or not that many such vectors (``bad_json``).
    """
    data = _object_in(answer).get("data")
    try:
        return vectors_of(data, count)
    except ValueError as error:
        raise _unreadable(answer, str(error)) from None


def vectors_of(data: Any, count: int) -> tuple[tuple[float, ...], ...]:
    """Return the vectors of an embeddings list, ordered by ``index`` where it is stated.

    Raises:
        ValueError: it is not a list of ``count`` vectors of one length.
    """
    try:
        ordered = sorted(enumerate(data), key=lambda entry: entry[1].get("index", entry[0]))
        vectors = tuple(tuple(map(float, entry["embedding"])) for _, entry in ordered)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError("it has no list of embeddings") from None
    if len(vectors) != count:
        raise ValueError(f"{count} texts were sent, {len(vectors)} vectors came back")
    if len({len(vector) for vector in vectors}) > 1 or (vectors and not vectors[0]):
        raise ValueError("its vectors differ in length or are empty")
    return vectors


def _object_in(answer: Answer) -> dict[str, Any]:
    """Parse a successful answer; an error that was sent with status 200 is an error."""
    if not 200 <= answer.status < 300:
        raise error_of_answer(answer)
    try:
        body = json.loads(answer.body)
    except (ValueError, RecursionError):
        raise _unreadable(answer, "it is not JSON") from None
    if not isinstance(body, dict):
        raise _unreadable(answer, "it is no object")
    if body.get("error") and not body.get("choices"):
        raise error_of_answer(answer)
    return body


def _within(answer: Answer, part: Mapping[str, Any]) -> Answer:
    """Return the answer as if ``part`` were its whole body."""
    return Answer(answer.status, answer.headers, json.dumps(part).encode(), answer.received_at_s)


def _unreadable(answer: Answer, why: str) -> GatewayError:
    start = " ".join(answer.body[:200].decode(errors="replace").split())
    return GatewayError(
        "bad_json",
        f"HTTP {answer.status}, but the answer cannot be read: {why}: {start}",
        status=answer.status,
    )
