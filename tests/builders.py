"""Builders of what tests are about; every field has a sensible default."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import Any

from toolgauge.engine.plan import Parts
from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.model.events import Event
from toolgauge.model.suite import Suite, SuiteDocument, resolve
from toolgauge.model.tools import Message
from toolgauge.model.trial import Trial, Usage

WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "units": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def suite(*cases: dict[str, Any], **fields: Any) -> Suite:
    """Return a resolved suite; without cases, one that asks for the weather in Paris."""
    paris = {
        "id": "paris",
        "prompt": "Weather in Paris?",
        "expected_tool": "get_weather",
        "expected_params": {"city": "Paris"},
    }
    document = {"name": "weather", "tools": [WEATHER_TOOL], "test_cases": list(cases) or [paris]}
    return resolve(SuiteDocument.model_validate(document | fields))


def called(name: str, _id: str = "call_1", **arguments: Any) -> Message:
    """Return an assistant message with one native call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": _id, "type": "function", "function": function}],
    }


def said(text: str) -> Message:
    """Return an assistant message without a call."""
    return {"role": "assistant", "content": text}


def reply(message: Message | None = None, **fields: Any) -> Reply:
    """Return a reply; by default the right answer to ``suite()``'s only case."""
    message = message or called("get_weather", city="Paris")
    given = {"usage": Usage(10, 5), "latency_ms": 1.0, "tool_choice_sent": "required"} | fields
    return Reply((message,), **given)


class FakeGateway:
    """Answers with what a function makes of each request; keeps the requests."""

    def __init__(self, answer: Callable[[Request], Any] = lambda _: reply()) -> None:
        self._answer = answer
        self.requests: list[Request] = []
        self.embedded: list[tuple[str, ...]] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        answer = self._answer(request)
        if hasattr(answer, "__await__"):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        assert model
        self.embedded.append(texts)
        return tuple((float(len(text)), 1.0) for text in texts)

    async def aclose(self) -> None:
        """Hold nothing."""


class Kept:
    """What a run handed out: trials to its sink, events to its listener."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []
        self.events: list[Event] = []

    async def sink(self, *trials: Trial) -> None:
        self.trials.extend(trials)

    async def emit(self, event: Event) -> None:
        self.events.append(event)

    def parts(self, gateway: Gateway) -> Parts:
        return Parts(
            gateway=gateway,
            sink=self.sink,
            emit=self.emit,
            cost_of=lambda _target, _usage: None,
            clock=time.monotonic,
            rng=random.Random(0),
        )
