"""Agents without a framework, good and bad."""

from __future__ import annotations

import json
from typing import Any

Messages = list[dict[str, Any]]


async def weather(messages: Messages, tools: list[dict[str, Any]]) -> Messages:
    """Call the first tool for the city that the question ends with."""
    city = messages[-1]["content"].rstrip("?").split()[-1]
    function = {"name": tools[0]["function"]["name"], "arguments": json.dumps({"city": city})}
    call = {"id": "call_1", "type": "function", "function": function}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}]


class Desk:
    """An agent that is a method of a class."""

    @staticmethod
    def silent(_messages: Messages, _tools: list[dict[str, Any]]) -> Messages:
        """Say something and call nothing."""
        return [{"role": "assistant", "content": "No."}]


NO_AGENT = 7
