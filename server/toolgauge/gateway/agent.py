"""Agents as targets: a Python callable that takes a conversation and carries it on.

``python:package.module:callable`` names ``async (messages, tools) -> messages``, or the
same without ``async``, which then runs in a thread of its own. An asynchronous agent must
not block: nothing else, its deadline included, gets a turn while it does.
"""

from __future__ import annotations

import inspect
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel

from toolgauge.errors import RETRYABLE_FAULTS, GatewayError, UsageError
from toolgauge.gateway.dotted_path import load_callable
from toolgauge.gateway.extract import text_of
from toolgauge.gateway.faults import fault_of, redact
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.gateway.langchain_messages import is_langchain, openai_messages
from toolgauge.model.tools import Message
from toolgauge.model.trial import Usage

PREFIX = "python:"
Agent = Callable[[list[Message], list[dict[str, Any]]], Any]

_log = logging.getLogger(__name__)
_LONGEST_MESSAGE = 500
_LOOKS_SECRET = re.compile(r"(?i)\b(?:[sprk]k-|key-|bearer\s+)[\w.*-]{8,}")


def load_agent(model: str, import_roots: Iterable[Path] = ()) -> AgentGateway:
    """Return the gateway of a target ``python:package.module:callable``.

    Raises:
        GatewayError: ``setup``, where nothing callable can be imported by that name.
    """
    try:
        return AgentGateway(load_callable(model.removeprefix(PREFIX), import_roots), model)
    except UsageError as error:
        raise GatewayError("setup", f"{model}: {error}") from error


class AgentGateway:
    """A gateway whose answers are what an agent makes of the conversation."""

    def __init__(
        self, agent: Agent, name: str, *, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._agent = agent
        self._name = name
        self._clock = clock

    async def complete(self, request: Request) -> Reply:
        """Return everything that the agent produced after the prompt.

        The agent gets copies of the messages and tools, and gives messages of OpenAI's or
        LangChain's shape, with the prompt or without it, or a state that holds them under
        ``messages``. Tokens are counted where LangChain's messages carry them.

        Raises:
            GatewayError: the agent failed (``other``, or by the HTTP status of its
                exception), gave something else (``setup``), or nothing in time (``timeout``).
        """
        messages, tools = deepcopy(list(request.messages)), deepcopy(list(request.tools))
        started = self._clock()
        given: Any = None
        with anyio.move_on_after(request.timeout_s) as deadline:
            given = await self._called(messages, tools)
        if deadline.cancelled_caught:
            raise GatewayError("timeout", f"no answer within {request.timeout_s:g} s")
        latency_ms = (self._clock() - started) * 1000
        answered = self._messages_in(given)
        produced = produced_after(request.messages, openai_messages(answered))
        usage = _usage(answered[len(answered) - len(produced) :])
        return Reply(produced, usage=usage, latency_ms=latency_ms, is_whole=True)

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return nothing: an agent makes no embeddings.

        Raises:
            GatewayError: always, with the fault ``setup``.
        """
        raise GatewayError("setup", f"an agent embeds no texts ({len(texts)} for {model!r})")

    async def aclose(self) -> None:
        """Do nothing: there is no connection to close."""

    def _messages_in(self, given: Any) -> list[Any]:
        messages = given.get("messages") if isinstance(given, dict) else given
        if not isinstance(messages, (list, tuple)):
            wrong = type(given).__name__
        elif all(isinstance(message, dict) or is_langchain(message) for message in messages):
            return list(messages)
        else:
            wrong = "a list with something else in it"
        raise GatewayError(
            "setup", f"{self._name} returned {wrong}; an agent returns a list of messages"
        )

    async def _called(self, messages: list[Message], tools: list[dict[str, Any]]) -> Any:
        try:
            if _is_async(self._agent):
                return await self._agent(messages, tools)
            given = await _in_a_thread(lambda: self._agent(messages, tools))
            return await given if inspect.isawaitable(given) else given
        except (Exception, SystemExit) as error:
            _log.info("%s failed", self._name, exc_info=error)
            raise _fault_of(error, self._name) from error


def produced_after(prompt: Sequence[Message], messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages without the prompt, where they begin with it.

    Frameworks hand back the whole conversation, or only what is new; they move the system
    prompt about, which is therefore not looked at.
    """
    asked = [_gist(message) for message in prompt if message.get("role") != "system"]
    for position, message in enumerate(messages):
        if not asked:
            return tuple(messages[position:])
        if message.get("role") == "system":
            continue
        if _gist(message) != asked.pop(0):
            return tuple(messages)
    return () if not asked else tuple(messages)


def _gist(message: Message) -> tuple[Any, str]:
    return message.get("role"), text_of(message.get("content")) or ""


def _is_async(agent: Any) -> bool:
    return inspect.iscoroutinefunction(agent) or inspect.iscoroutinefunction(
        getattr(agent, "__call__", None)  # noqa: B004 - whether it is async, not whether it is
    )


async def _in_a_thread(work: Callable[[], Any]) -> Any:
    """Return what ``work`` returns; a thread that hangs is left behind, not waited for.

    Its own thread rather than one of a pool: those are joined when the process ends.
    """
    done = anyio.Event()
    token = anyio.lowlevel.current_token()
    results: list[Any] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
            failures.append(error)
        with suppress(RuntimeError):  # nobody waits any more: the loop is gone
            anyio.from_thread.run_sync(done.set, token=token)

    threading.Thread(target=run, name="toolgauge agent", daemon=True).start()
    await done.wait()
    if failures:
        raise failures[0]
    return results[0]


def _fault_of(error: BaseException, name: str) -> GatewayError:
    """Return an agent's failure: ``other``, unless its SDK's exception says that it may pass."""
    said = " ".join(str(error).split())[:_LONGEST_MESSAGE]
    said = _LOOKS_SECRET.sub("***", redact(said, None))
    message = f"{name} failed: {type(error).__name__}" + (f": {said}" if said else "")
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return GatewayError("other", message)
    fault = fault_of(status, said)
    return GatewayError(fault if fault in RETRYABLE_FAULTS else "other", message, status=status)


def _usage(messages: Iterable[Any]) -> Usage:
    """Return the tokens that LangChain counted; unknown unless every answer has its own."""
    total: Usage | None = None
    for message in messages:
        if getattr(message, "type", None) == "ai":
            counted = getattr(message, "usage_metadata", None) or {}
            own = Usage(counted.get("input_tokens"), counted.get("output_tokens"))
            total = own if total is None else total.plus(own)
    return total or Usage()
