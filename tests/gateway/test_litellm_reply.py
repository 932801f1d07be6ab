from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from toolgauge.errors import GatewayFault
from toolgauge.gateway.litellm_reply import error_of_exception, normalised_reply, tool_choice_in
from toolgauge.model.trial import Usage


class Dumped:
    """Something with a ``model_dump``, as litellm's objects have it."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self.fields


def response(*choices: Any, usage: Any = None) -> Any:
    return SimpleNamespace(choices=list(choices), usage=usage)


def failure(kind: str, message: str, **facts: Any) -> Exception:
    """Return an exception as litellm raises it: told by the name of its class."""
    error: Exception = type(kind, (Exception,), facts)(message)
    return error


def test_the_first_choice_is_the_reply() -> None:
    choice = SimpleNamespace(message=Dumped(role="assistant", content="a"), finish_reason="stop")
    usage = Dumped(prompt_tokens=3, completion_tokens=4)
    reply = normalised_reply(response(choice, choice, usage=usage), latency_ms=2.0, sent="auto")
    assert reply.messages == ({"role": "assistant", "content": "a"},)
    assert (reply.finish_reason, reply.usage) == ("stop", Usage(3, 4))
    assert (reply.latency_ms, reply.tool_choice_sent) == (2.0, "auto")


def test_no_choice_is_a_reply_without_messages() -> None:
    reply = normalised_reply(response(), latency_ms=2.0, sent=None)
    assert (reply.messages, reply.finish_reason) == ((), None)


@pytest.mark.parametrize("usage", [None, Dumped(prompt_tokens=0, completion_tokens=0)])
def test_a_prompt_of_no_tokens_is_unknown_usage(usage: Any) -> None:
    assert normalised_reply(response(usage=usage), latency_ms=1.0, sent=None).usage == Usage()


@pytest.mark.parametrize(
    ("request_body", "choice"),
    [
        (b'{"tool_choice": "required"}', "required"),
        ('{"tool_choice": "auto"}', "auto"),
        ({"tool_choice": "any"}, "required"),
        ({"tool_choice": {"type": "any"}}, "required"),
        ({"tool_choice": {"type": "auto"}}, "auto"),
        ({"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}, "required"),
        ({"tool_config": {"function_calling_config": {"mode": "NONE"}}}, "none"),
        ('{"toolConfig": {"tools": [], "toolChoice": {"any": {}}}}', "required"),
        ({"toolConfig": {"toolChoice": {"auto": {}}}}, "auto"),
        ({"toolConfig": {"tools": []}}, None),
        ({"tool_choice": {"type": "tool", "name": "x"}}, None),
        ({"tool_choice": 3}, None),
        ({}, None),
        (b"", None),
        ("[1]", None),
    ],
)
def test_the_tool_choice_is_read_in_every_language(request_body: Any, choice: str | None) -> None:
    assert tool_choice_in(request_body) == choice


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (
            failure("UnsupportedParamsError", "does not support parameters: ['tool_choice']"),
            "tool_choice_rejected",
        ),
        (
            failure("UnsupportedParamsError", "does not support parameters: ['tools']"),
            "tools_unsupported",
        ),
        (
            failure("UnsupportedParamsError", "does not support parameters: ['seed']"),
            "unsupported_param",
        ),
        (failure("Timeout", "late", status_code=408), "timeout"),
        (failure("ContextWindowExceededError", "x", status_code=400), "context_window"),
        (failure("ContentPolicyViolationError", "x", status_code=400), "content_filter"),
        (failure("AuthenticationError", "x", status_code=401), "auth"),
        (failure("APIError", "forbidden", status_code=403), "auth"),
        (failure("BadRequestError", "LLM Provider NOT provided.", status_code=400), "setup"),
        (failure("APIError", "Missing credentials. Please pass", status_code=500), "setup"),
        (failure("ModuleNotFoundError", "No module named 'boto3'"), "setup"),
        (failure("RateLimitError", "slow", status_code=429), "rate_limit"),
        (failure("InternalServerError", "x", status_code=500), "server"),
        (failure("APIConnectionError", "litellm broke", status_code=500), "other"),
        (failure("KeyError", "x"), "other"),
    ],
)
def test_an_exception_of_litellm_has_the_class_of_what_it_means(
    error: Exception, fault: GatewayFault
) -> None:
    assert error_of_exception(error, 0.0).fault == fault


def test_the_headers_that_litellm_hands_on_say_when_to_come_back() -> None:
    error = failure(
        "RateLimitError", "slow", status_code=429, litellm_response_headers={"Retry-After": "7"}
    )
    found = error_of_exception(error, 0.0)
    assert (found.status, found.retry_after_s) == (429, 7.0)


def test_an_exception_without_words_is_named_by_its_class() -> None:
    assert str(error_of_exception(failure("OddError", ""), 0.0)) == "OddError: OddError"
