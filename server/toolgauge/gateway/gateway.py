"""The door to models: one protocol, one request, one reply.

An adapter sends exactly one request per call: it never retries, never waits for a
limit, never scores. It raises ``GatewayError`` with the fault's class and nothing
else; deadlines are kept by the adapter (``Request.timeout_s`` bounds the whole
exchange, not a single read).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from toolgauge.model.target import Target
from toolgauge.model.tools import Message
from toolgauge.model.trial import ToolChoice, Usage


@dataclass(frozen=True, slots=True)
class Request:
    """One request to one target.

    ``messages`` is the whole conversation, system prompt first where there is one.
    ``tools`` are OpenAI definitions as they are sent. ``parameters`` go along as they
    are (temperature, max_tokens, ...). ``case_id``, ``repeat`` and ``turn`` (requests
    already answered in this trial) say what is asked: replay finds its answer by
    them, the cache keys on ``repeat``.
    """

    target: Target
    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...]
    tool_choice: ToolChoice
    parameters: dict[str, Any] = field(default_factory=dict)
    timeout_s: float = 60.0
    case_id: str = ""
    repeat: int = 0
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the provider's own message, not a normalised one.

    ``messages`` holds one assistant message, as the provider sent it; it is empty where
    the provider answered without a choice. A recording or an agent gives everything that
    it produced (``is_whole``), and nothing more is asked of it. ``tool_choice_sent`` is
    what really went over the wire, None where nothing was sent (no tools, or the
    provider has no such field).
    """

    messages: tuple[Message, ...]
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    latency_ms: float | None = None
    tool_choice_sent: ToolChoice | None = None
    cached: bool = False
    is_whole: bool = False


class Gateway(Protocol):
    """Asks models. Adapters: ``litellm_gateway``, ``openai_http``, ``lexical``, ``replay``."""

    async def complete(self, request: Request) -> Reply:
        """Return the target's reply to one request.

        Raises:
            GatewayError: the request failed; ``fault`` says how.
        """
        ...

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return one embedding vector per text, in order, all of one length.

        Raises:
            GatewayError: the request failed; ``fault`` says how.
        """
        ...

    async def aclose(self) -> None:
        """Close connections; the gateway is not used afterwards."""
        ...
