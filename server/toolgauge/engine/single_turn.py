"""One question, one reply: the request of a case, and what a target refuses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from toolgauge.engine.limits import Patience, TrialBudget
from toolgauge.errors import GatewayError
from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.model.case import Case
from toolgauge.model.run import RunOptions
from toolgauge.model.suite import Suite
from toolgauge.model.target import Target
from toolgauge.model.tools import Message
from toolgauge.model.trial import ToolChoice, Usage


@dataclass(slots=True)
class Refusals:
    """What each target was seen to refuse in this run, so that it is tried once only."""

    tool_choice: set[str] = field(default_factory=set)
    temperature: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one trial produced. ``messages`` are the provider's own and our tool messages."""

    messages: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    latency_ms: float | None = None
    tool_choice_used: ToolChoice | None = None
    cached: bool = False

    def extended(self, reply: Reply) -> Conversation:
        """Return the conversation with one more reply in it."""
        if not self.messages:
            return Conversation(
                reply.messages,
                reply.usage,
                reply.latency_ms,
                reply.tool_choice_sent,
                cached=reply.cached,
            )
        both_known = self.latency_ms is not None and reply.latency_ms is not None
        return replace(
            self,
            messages=self.messages + reply.messages,
            usage=self.usage.plus(reply.usage),
            latency_ms=(self.latency_ms or 0) + (reply.latency_ms or 0) if both_known else None,
            cached=self.cached and reply.cached,
        )


def first_request(
    suite: Suite, case: Case, target: Target, options: RunOptions, *, repeat: int
) -> Request:
    """Return the first request of a trial.

    One system prompt is sent, the most specific: the case's, else the run's for this
    target, else the run's for all, else the target's, else the suite's. Parameters of
    the target win over the run's temperature, those over the suite's defaults.
    """
    prompt = system_prompt(case, target, options)
    system: tuple[Message, ...] = ({"role": "system", "content": prompt},) if prompt else ()
    temperature = suite.temperature if options.temperature is None else options.temperature
    parameters: dict[str, Any] = {
        "temperature": temperature,
        "max_tokens": suite.max_tokens,
    } | target.parameters
    return Request(
        target=target,
        messages=system + case.messages,
        tools=case.offered,
        tool_choice=case.tool_choice,
        parameters={name: value for name, value in parameters.items() if value is not None},
        case_id=case.id,
        repeat=repeat,
    )


def system_prompt(case: Case, target: Target, options: RunOptions) -> str | None:
    """Return the one system prompt that is sent with a case; None if there is none."""
    candidates = (
        case.system_prompt,
        options.system_prompt(target),
        target.system_prompt,
        case.suite_system_prompt,
    )
    return next((prompt for prompt in candidates if prompt is not None), None)


async def ask(
    request: Request,
    gateway: Gateway,
    *,
    patience: Patience,
    refusals: Refusals,
    budget: TrialBudget,
) -> Reply:
    """Return the reply; what the target refuses as unsupported is left out and remembered.

    ``tool_choice: required`` falls back to ``auto``, and a temperature is left out where
    the model takes none (reasoning models). Other faults never trigger this.

    Raises:
        GatewayError: the request failed for good.
    """
    name = request.target.name
    while True:
        sent = _without_refused(request, refusals)
        try:
            return await patience.send(partial(_complete, gateway, sent), budget)
        except GatewayError as fault:
            if fault.fault == "tool_choice_rejected" and sent.tool_choice == "required":
                refusals.tool_choice.add(name)
            elif _refuses_temperature(fault) and "temperature" in sent.parameters:
                refusals.temperature.add(name)
            else:
                raise


async def _complete(gateway: Gateway, request: Request, timeout_s: float) -> Reply:
    reply = await gateway.complete(replace(request, timeout_s=timeout_s))
    if not reply.messages and not reply.is_whole:
        # no answer of the model at all: the provider's failure, not a call that was not made
        raise GatewayError("bad_json", "the provider answered without a choice")
    return reply


def _refuses_temperature(fault: GatewayError) -> bool:
    return fault.fault == "unsupported_param" and "temperature" in str(fault)


def _without_refused(request: Request, refusals: Refusals) -> Request:
    name = request.target.name
    if request.tool_choice == "required" and name in refusals.tool_choice:
        request = replace(request, tool_choice="auto")
    if name in refusals.temperature:
        kept = {key: value for key, value in request.parameters.items() if key != "temperature"}
        request = replace(request, parameters=kept)
    return request
