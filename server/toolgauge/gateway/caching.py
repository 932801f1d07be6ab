"""A gateway that wraps a gateway and remembers its replies.

Knows nothing of where replies are kept: whoever wires it hands a ``ReplyStore`` in.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from toolgauge.errors import CannotStore, GatewayError
from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.model.fingerprint import digest
from toolgauge.model.tools import Message
from toolgauge.model.trial import ToolChoice, Usage

CacheMode = Literal["off", "read-write", "only"]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, in the parts that make the key; ``case_id`` is no part of it.

    Parameters and the repeat index are in the key, so that repeats of a sampled model
    stay independent.
    """

    model: str
    parameters: dict[str, Any]
    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...]
    tool_choice: ToolChoice
    repeat: int
    case_id: str = ""

    @property
    def parts(self) -> dict[str, Any]:
        """Everything that an answer depends on, by name."""
        return {
            "model": self.model,
            "parameters": self.parameters,
            "messages": self.messages,
            "tools": self.tools,
            "tool_choice": self.tool_choice,
            "repeat": self.repeat,
        }

    @property
    def key(self) -> str:
        """The SHA-256 of the canonical JSON of the parts, in hex."""
        return digest(self.parts)


class ReplyStore(Protocol):
    """Keeps answers, as JSON values, by the question they answer."""

    async def find(self, question: Question) -> Any:
        """Return the answer to just this question; None where there is none.

        Raises:
            CannotStore: the store cannot be read.
        """
        ...

    async def keep(self, question: Question, answer: Any) -> None:
        """Store an answer; one that is there already stays.

        Raises:
            CannotStore: the store cannot be written.
        """
        ...


def question_of(request: Request) -> Question:
    """Return what a request asks, as far as the answer depends on it."""
    return Question(
        model=request.target.model,
        parameters=request.parameters,
        messages=request.messages,
        tools=request.tools,
        tool_choice=request.tool_choice,
        repeat=request.repeat,
        case_id=request.case_id,
    )


class CachingGateway:
    """Answers from the store what it holds; asks and stores the rest, or asks nothing.

    Only successful replies with a message enter. Targets that call nobody (``builtin``,
    ``replay``) pass through in every mode.
    """

    def __init__(self, inner: Gateway, store: ReplyStore, *, mode: CacheMode) -> None:
        """Wrap ``inner``; in mode ``only`` it is never asked, in mode ``off`` always."""
        self._inner = inner
        self._store = store
        self._mode = mode

    async def complete(self, request: Request) -> Reply:
        """Return the stored reply, marked as cached and free of cost, or the inner gateway's.

        Raises:
            GatewayError: what the inner gateway raises; ``other`` in mode ``only``, where
                nothing is stored for this request.
        """
        if self._mode == "off" or request.target.is_deterministic:
            return await self._inner.complete(request)
        question = question_of(request)
        found = await self._find(question)
        if found is not None:
            return _reply(found)
        self._refuse_to_ask(f"case {request.case_id!r}, repeat {request.repeat}")
        reply = await self._inner.complete(request)
        if reply.messages:
            await self._keep(question, _as_json(reply))
        return reply

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text, asking the inner gateway for the unknown ones only.

        Raises:
            GatewayError: as in ``complete``.
        """
        if self._mode == "off":
            return await self._inner.embed(model, texts)
        questions = {text: _embedding_question(model, text) for text in texts}
        known = {text: await self._find(question) for text, question in questions.items()}
        missing = tuple(text for text, vector in known.items() if vector is None)
        if missing:
            self._refuse_to_ask(f"embeddings of {len(missing)} texts")
            for text, vector in zip(missing, await self._inner.embed(model, missing), strict=True):
                known[text] = vector
                await self._keep(questions[text], vector)
        return tuple(tuple(known[text]) for text in texts)

    async def aclose(self) -> None:
        """Close the inner gateway."""
        await self._inner.aclose()

    def _refuse_to_ask(self, what: str) -> None:
        if self._mode == "only":
            # not a fault that would make a run give its target up: the next case may be stored
            raise GatewayError(
                "other",
                f"{what}: the cache holds no reply to this request, and nobody may be asked; "
                "toolgauge cache explain says what differs from the nearest one",
            )

    async def _find(self, question: Question) -> Any:
        try:
            return await self._store.find(question)
        except CannotStore as error:
            _log.warning("the cache cannot be read: %s", error)
            return None

    async def _keep(self, question: Question, answer: Any) -> None:
        try:
            await self._store.keep(question, answer)
        except CannotStore as error:
            # the reply is paid for: better not cached than lost
            _log.warning("the cache cannot be written: %s", error)


def _embedding_question(model: str, text: str) -> Question:
    parameters = {"embedding": True}
    return Question(model, parameters, ({"content": text},), (), "none", repeat=0)


def _as_json(reply: Reply) -> dict[str, Any]:
    return {
        "messages": list(reply.messages),
        "finish_reason": reply.finish_reason,
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "latency_ms": reply.latency_ms,
        "tool_choice_sent": reply.tool_choice_sent,
    }


def _reply(answer: dict[str, Any]) -> Reply:
    """Return the reply as it came then; it costs nothing now."""
    return Reply(
        messages=tuple(answer["messages"]),
        finish_reason=answer["finish_reason"],
        usage=Usage(answer["input_tokens"], answer["output_tokens"], cost_usd=0.0),
        latency_ms=answer["latency_ms"],
        tool_choice_sent=answer["tool_choice_sent"],
        cached=True,
    )
