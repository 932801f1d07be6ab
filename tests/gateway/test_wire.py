from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.errors import GatewayError
from toolgauge.gateway.faults import Answer
from toolgauge.gateway.gateway import Reply
from toolgauge.gateway.wire import (
    check_parameters,
    read_reply,
    read_usage,
    read_vectors,
    vectors_of,
)
from toolgauge.model.trial import Usage


def answer(body: Any, status: int = 200) -> Answer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, {}, data, 0.0)


def reply(body: Any) -> Reply:
    return read_reply(answer(body), latency_ms=3.0, tool_choice_sent="auto")


def test_the_first_choice_is_the_reply() -> None:
    found = reply(
        {
            "choices": [
                {"finish_reason": "stop", "message": {"content": "a"}},
                {"finish_reason": "length", "message": {"content": "b"}},
            ]
        }
    )
    assert found == Reply(({"content": "a"},), "stop", Usage(), 3.0, "auto")


@pytest.mark.parametrize("finish", [None, 3, {"a": 1}])
def test_a_finish_reason_that_is_no_text_is_unknown(finish: Any) -> None:
    assert reply({"choices": [{"finish_reason": finish, "message": {}}]}).finish_reason is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        {},
        {"choices": None},
        {"choices": "x"},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"message": "text"}]},
    ],
)
def test_what_is_no_chat_completion_is_bad_json(body: Any) -> None:
    with pytest.raises(GatewayError) as caught:
        reply(body)
    assert (caught.value.fault, caught.value.status) == ("bad_json", 200)


def test_an_error_beside_a_choice_of_null_is_still_a_reply() -> None:
    assert reply({"error": None, "choices": []}).messages == ()


def test_an_error_within_a_choice_is_an_error() -> None:
    broken = {"message": {"content": "half"}, "error": {"message": "gone", "code": 502}}
    with pytest.raises(GatewayError, match="gone") as caught:
        reply({"choices": [broken]})
    assert (caught.value.fault, caught.value.status) == ("server", 502)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 0}, Usage(3, 0)),
        ({"prompt_tokens": 3}, Usage(3, None)),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": "3", "completion_tokens": 1.5}, Usage()),
        ({}, Usage()),
        (None, Usage()),
        ([], Usage()),
    ],
)
def test_tokens_that_are_not_stated_are_unknown(usage: Any, expected: Usage) -> None:
    assert read_usage(usage) == expected


@given(st.permutations(range(6)))
def test_vectors_come_in_the_order_of_their_index(order: list[int]) -> None:
    data = [{"index": n, "embedding": [n]} for n in order]
    assert read_vectors(answer({"data": data}), 6) == tuple((float(n),) for n in range(6))


def test_vectors_without_an_index_keep_their_order() -> None:
    assert vectors_of([{"embedding": [2]}, {"embedding": [1]}], 2) == ((2.0,), (1.0,))


@pytest.mark.parametrize(
    "data",
    [
        None,
        3,
        [1, 2],
        [{"embedding": [1.0]}],
        [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}],
        [{"embedding": []}, {"embedding": []}],
        [{"embedding": "AAAA"}, {"embedding": "AAAA"}],
        [{"embedding": [None]}, {"embedding": [1.0]}],
        [{"index": "b", "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
    ],
)
def test_what_is_no_list_of_equal_vectors_is_bad_json(data: Any) -> None:
    with pytest.raises(GatewayError) as caught:
        read_vectors(answer({"data": data}), 2)
    assert caught.value.fault == "bad_json"


def test_parameters_of_ones_own_are_accepted() -> None:
    check_parameters("mine", {"temperature": 0, "top_p": 1})


def test_every_parameter_that_cannot_be_set_is_named() -> None:
    with pytest.raises(GatewayError, match=r"mine: messages, model cannot be set") as caught:
        check_parameters("mine", {"model": "x", "messages": [], "seed": 1})
    assert caught.value.fault == "setup"
