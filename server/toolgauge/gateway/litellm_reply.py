"""What litellm says of a provider whose raw answer is in a language of its own.

Pure; imports no litellm: its objects are read by their attributes. Used by
``litellm_gateway`` where it has no raw chat completion to read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from toolgauge.errors import GatewayError, GatewayFault
from toolgauge.gateway.faults import error_of_transport, fault_of, retry_after_s
from toolgauge.gateway.gateway import Reply
from toolgauge.gateway.wire import read_usage
from toolgauge.model.trial import ToolChoice, Usage

_FAULT_OF_KIND: dict[str, GatewayFault] = {
    "AuthenticationError": "auth",
    "ContentPolicyViolationError": "content_filter",
    "ContextWindowExceededError": "context_window",
    "LiteLLMUnknownProvider": "setup",
    "ModuleNotFoundError": "setup",
    "Timeout": "timeout",
}
# litellm gives these the status of a broken server, or none
_NOT_SET_UP = re.compile(
    r"LLM Provider NOT provided|missing credentials|api_key\W.{0,40} must be set", re.IGNORECASE
)
_CHOICES: dict[str, ToolChoice] = {
    "required": "required",
    "any": "required",
    "auto": "auto",
    "none": "none",
}


def normalised_reply(response: Any, *, latency_ms: float, sent: ToolChoice | None) -> Reply:
    """Return litellm's version of a reply; its message is OpenAI's shape, not the provider's.

    litellm writes 0 tokens where the provider stated none; no prompt has 0 tokens, so
    that is unknown usage here.
    """
    choices = response.choices[:1]
    usage = getattr(response, "usage", None)
    stated = read_usage(usage.model_dump()) if usage else Usage()
    return Reply(
        messages=tuple(choice.message.model_dump(exclude_none=True) for choice in choices),
        finish_reason=choices[0].finish_reason if choices else None,
        usage=stated if stated.input_tokens else Usage(),
        latency_ms=latency_ms,
        tool_choice_sent=sent,
    )


def error_of_exception(error: Exception, now_s: float) -> GatewayError:
    """Return the error that an exception of litellm means, where no HTTP answer was kept.

    Parameters that litellm refuses to send are told apart like a provider's refusal: a
    ``tool_choice`` that its table does not allow is ``tool_choice_rejected``.
    """
    kind = type(error).__name__
    said = str(getattr(error, "message", "") or error) or kind
    if kind == "UnsupportedParamsError":
        refusal = fault_of(400, said)
        is_about_tools = refusal in {"tool_choice_rejected", "tools_unsupported"}
        return GatewayError(refusal if is_about_tools else "unsupported_param", said)
    if _NOT_SET_UP.search(said):
        return GatewayError("setup", said)
    if fault := _FAULT_OF_KIND.get(kind):
        return GatewayError(fault, said, status=_status_of(error) if fault == "auth" else None)
    if failed := error_of_transport(error):
        return failed
    status = _status_of(error)
    if status is None or kind == "APIConnectionError":
        # with no transport failure behind it: litellm itself could not go on
        return GatewayError("other", f"{kind}: {said}")
    headers = getattr(error, "litellm_response_headers", None) or {}
    wait_s = retry_after_s({str(k).lower(): str(v) for k, v in headers.items()}, now_s)
    return GatewayError(fault_of(status, said), said, status=status, retry_after_s=wait_s)


def _status_of(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def tool_choice_in(request: bytes | str | Mapping[str, Any]) -> ToolChoice | None:
    """Return the tool choice that a request body carries; None where it carries none.

    Read in the languages of OpenAI (``tool_choice: "required"``), Anthropic
    (``{"type": "any"}``), Gemini (``toolConfig.functionCallingConfig.mode``) and
    Bedrock (``toolConfig.toolChoice``).
    """
    body = _parsed(request)
    choice = body.get("tool_choice")
    if isinstance(choice, Mapping):
        choice = choice.get("type")
    config = body.get("toolConfig") or body.get("tool_config")
    if choice is None and isinstance(config, Mapping):
        calling = config.get("functionCallingConfig") or config.get("function_calling_config")
        choice = calling.get("mode") if isinstance(calling, Mapping) else None
        choice = choice or next(iter(config.get("toolChoice") or ()), None)
    return _CHOICES.get(choice.lower()) if isinstance(choice, str) else None


def _parsed(request: bytes | str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(request, Mapping):
        return request
    try:
        body = json.loads(request)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
