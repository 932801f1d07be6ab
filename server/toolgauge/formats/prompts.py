"""What a case asks, as other systems write it: one list of messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgauge.model.case import Case
from toolgauge.model.tools import Message


def conversation(messages: Sequence[Message]) -> dict[str, Any]:
    """Return ``prompt`` or ``messages`` of a case: a prompt where one text of a user is all.

    >>> conversation([{"role": "user", "content": "Hi"}])
    {'prompt': 'Hi'}
    """
    only = messages[0] if len(messages) == 1 else {}
    is_prompt = only.keys() == {"role", "content"} and only["role"] == "user"
    if is_prompt and isinstance(only["content"], str):
        return {"prompt": only["content"]}
    return {"messages": list(messages)}


def messages_sent(case: Case) -> list[Message]:
    """Return the conversation of a case as a model gets it, system prompt first."""
    prompt = case.suite_system_prompt if case.system_prompt is None else case.system_prompt
    system: list[Message] = [{"role": "system", "content": prompt}] if prompt else []
    return [*system, *case.messages]
