from __future__ import annotations

import json
import ssl
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.fault_server import RETRY_DATE
from toolgauge.errors import GatewayError, GatewayFault
from toolgauge.gateway.faults import (
    Answer,
    error_of_answer,
    error_of_transport,
    explaining,
    fault_of,
    redact,
    retry_after_s,
)

NOW_S = 1_700_000_000.0


def refusal(status: int, body: Any, headers: dict[str, str] | None = None) -> GatewayError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return error_of_answer(Answer(status, headers or {}, data, NOW_S))


@pytest.mark.parametrize(
    ("status", "text", "fault"),
    [
        (401, "no", "auth"),
        (402, "pay", "quota"),
        (403, "no", "auth"),
        (403, "insufficient balance", "quota"),
        (404, "no such model", "not_found"),
        (404, "No endpoints found that support tool use", "tools_unsupported"),
        (408, "", "timeout"),
        (413, "too large", "bad_request"),
        (429, "slow down", "rate_limit"),
        # Gemini's word for a limit per minute; it passes
        (429, "You exceeded your current quota, please check your plan", "rate_limit"),
        (429, "insufficient_quota", "quota"),
        (500, "", "server"),
        (500, "tools param requires --jinja flag", "tools_unsupported"),
        (500, "tool_choice", "server"),
        (529, "overloaded", "server"),
        (301, "", "setup"),
        (200, "", "server"),
        (400, "temperature: too high", "bad_request"),
        (400, "This model's maximum context length is 8192 tokens", "context_window"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "context_window"),
        (400, "filtered due to Azure's content management policy", "content_filter"),
        (400, "Unknown parameter: 'foo'", "unsupported_param"),
        (400, "extra_forbidden", "unsupported_param"),
    ],
)
def test_status_and_text_make_the_class(status: int, text: str, fault: GatewayFault) -> None:
    assert fault_of(status, text) == fault


@pytest.mark.parametrize(
    "text",
    [
        "Invalid value for 'tool_choice'",
        "deepseek-reasoner does not support this tool_choice",
        "This model does not support tool choice 'required'",
        "Tool choice 'required' is not supported",
        "Unrecognized request argument supplied: tool_choice",
        "Thinking may not be enabled when tool_choice forces tool use.",
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_that_names_tool_choice_is_one_of_tool_choice(status: int, text: str) -> None:
    assert fault_of(status, text) == "tool_choice_rejected"


@pytest.mark.parametrize("status", [401, 403, 404, 408, 409, 429, 500, 503])
def test_no_other_status_ever_means_a_refused_tool_choice(status: int) -> None:
    assert fault_of(status, "tool_choice is not supported") != "tool_choice_rejected"


@pytest.mark.parametrize(
    "text",
    [
        "registry.ollama.ai/library/m does not support tools",
        "This model doesn't support function calling",
        "Tool use is not supported by this model",
        "Function calling is not enabled for this model",
        "`tools` is not supported in this model",
        "The 'tools' parameter is not supported",
        "Unrecognized request arguments supplied: tool_choice, tools",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "litellm.UnsupportedParamsError: x does not support parameters: tools",
    ],
)
def test_a_refusal_of_tools_is_told_from_one_of_tool_choice(text: str) -> None:
    assert fault_of(400, text) == "tools_unsupported"


def test_a_model_that_failed_to_call_is_no_reason_to_change_the_tool_choice() -> None:
    error = refusal(
        400,
        {
            "error": {
                "message": "Tool choice is required, but model did not call a tool",
                "code": "tool_use_failed",
                "failed_generation": "tool_choice",
            }
        },
    )
    assert error.fault == "bad_request"


def test_a_request_that_is_echoed_in_a_report_is_not_searched() -> None:
    report = {
        "detail": [
            {
                "loc": ["body", "messages", 0],
                "msg": "Field required",
                "input": {"tool_choice": "required", "tools": []},
            }
        ]
    }
    error = refusal(422, report)
    assert error.fault == "bad_request"
    assert str(error) == "HTTP 422: body.messages.0: Field required"


@pytest.mark.parametrize(
    ("code", "fault", "status"),
    [
        (429, "rate_limit", 429),
        ("429", "rate_limit", 429),
        ("rate_limit_exceeded", "rate_limit", 429),
        ("insufficient_quota", "quota", 429),
        ("invalid_api_key", "auth", 401),
        ("overloaded_error", "server", 529),
        (7, "server", 200),
        (None, "server", 200),
    ],
)
def test_an_error_inside_a_success_is_classified_by_its_code(
    code: Any, fault: GatewayFault, status: int
) -> None:
    error = refusal(200, {"error": {"message": "m", "code": code}})
    assert (error.fault, error.status) == (fault, status)


def test_the_code_of_a_plain_error_may_stand_beside_it() -> None:
    assert refusal(200, {"error": "m", "code": 429}).fault == "rate_limit"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("0", 0.0),
        ("-3", None),
        ("soon", None),
        ("", None),
        ("1e9", None),
        ("Wed, 15 Nov 2023 00:00:00 GMT", 1_700_006_400.0 - NOW_S),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value}, NOW_S) == seconds


def test_a_date_is_measured_by_the_servers_own_clock() -> None:
    headers = {name.lower(): value for name, value in RETRY_DATE.items()}
    assert retry_after_s(headers, NOW_S) == 30.0


def test_without_the_header_nothing_was_asked_for() -> None:
    assert retry_after_s({}, NOW_S) is None


@given(st.text(max_size=40))
def test_retry_after_is_never_negative(value: str) -> None:
    wait_s = retry_after_s({"retry-after": value}, NOW_S)
    assert wait_s is None or wait_s >= 0


def chained(outer: Exception, inner: Exception) -> Exception:
    outer.__cause__ = inner
    return outer


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (TimeoutError(), "timeout"),
        (ConnectionResetError("reset"), "connection"),
        (chained(RuntimeError("wrapped"), ConnectionRefusedError("no")), "connection"),
        (chained(RuntimeError("wrapped"), TimeoutError()), "timeout"),
        (ssl.SSLError("wrong version"), "connection"),
        (chained(ConnectionError(), ssl.SSLCertVerificationError("self-signed")), "setup"),
        (json.JSONDecodeError("bad", "", 0), "bad_json"),
    ],
)
def test_an_exception_is_told_by_its_causes(error: Exception, fault: GatewayFault) -> None:
    found = error_of_transport(error)
    assert found is not None
    assert found.fault == fault


def test_the_message_is_that_of_the_cause() -> None:
    error = chained(RuntimeError("Connection error."), ConnectionResetError("reset by peer"))
    assert str(error_of_transport(error)) == "ConnectionResetError: reset by peer"


def test_an_exception_of_another_kind_is_no_failed_exchange() -> None:
    assert error_of_transport(KeyError("x")) is None


def test_a_ring_of_causes_ends() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__context__, second.__context__ = second, first
    assert error_of_transport(first) is None


def test_a_key_and_the_password_of_an_address_are_never_shown() -> None:
    text = "key sk-1 at http://user:pw@host/v1, again sk-1"
    assert redact(text, "sk-1") == "key *** at http://***@host/v1, again ***"


def test_an_error_is_given_the_targets_name_and_keeps_its_facts() -> None:
    with (
        pytest.raises(GatewayError) as caught,
        explaining("mine", ("A_KEY", "B_KEY"), "sk-1"),
    ):
        raise GatewayError("auth", "bad key sk-1", status=401, retry_after_s=2.0)

    error = caught.value
    assert str(error) == "mine: bad key *** (the key is read from A_KEY or B_KEY)"
    assert (error.fault, error.status, error.retry_after_s) == ("auth", 401, 2.0)
    assert error.__suppress_context__
