from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.gateway.complaint import Complaint, complaint_of

PARTS = ["error", "message", "code", "detail", "metadata", "raw", "loc", "msg"]


def complaint(body: Any) -> Complaint:
    return complaint_of(body if isinstance(body, bytes) else json.dumps(body).encode())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "m"}}, "m"),
        ({"error": "m"}, "m"),
        ({"message": "m"}, "m"),
        ({"detail": "m"}, "m"),
        ({"detail": [{"loc": ["body", 0], "msg": "m"}, "?", {"msg": "n"}]}, "body.0: m; None: n"),
        ({"msg": "m"}, "m"),
        ([{"error": {"message": "m"}}], "m"),
        ("m", "m"),
        (b"<p>m\n\n  m</p>", "<p>m m</p>"),
        ({"error": {"message": {"a": 1}}}, '{"a": 1}'),
    ],
)
def test_the_message_is_found_in_every_known_shape(body: Any, message: str) -> None:
    assert complaint(body).message == message


@pytest.mark.parametrize("body", [b"", b"{}", b'{"error": {"code": null}}', b'{"error": {}}'])
def test_a_body_that_says_nothing_makes_an_empty_complaint(body: bytes) -> None:
    assert complaint(body) == Complaint("", "")


def test_a_long_message_is_cut() -> None:
    assert len(complaint({"message": "m" * 10_000}).message) == 500


def test_codes_are_searched_in_lower_case() -> None:
    error = {"message": "M", "code": "A_Code", "type": "A_Type", "param": "P"}
    assert complaint({"error": error}).text == "m a_code a_type p"


def test_what_an_upstream_said_is_searched_too() -> None:
    routed = {"message": "Provider returned error", "metadata": {"raw": "tool_choice: bad"}}
    assert "tool_choice" in complaint({"error": routed}).text


def test_a_request_that_is_echoed_is_not_read() -> None:
    echoed = {"loc": ["body"], "msg": "m", "input": {"tool_choice": "required"}}
    assert "tool_choice" not in complaint({"detail": [echoed]}).text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"code": 529}}, 529),
        ({"error": {"code": "429"}}, 429),
        ({"error": "m", "code": 429}, 429),
        ({"error": {"type": "authentication_error"}}, 401),
        ({"error": {"code": 7, "status": 503}}, 503),
        ({"error": {"code": 200}}, None),
        ({"error": {"code": 42900}}, None),
        ({}, None),
    ],
)
def test_a_status_is_read_from_numbers_and_known_names(body: Any, status: int | None) -> None:
    assert complaint(body).status == status


def test_a_body_too_deep_to_parse_is_text() -> None:
    assert complaint(b"[" * 100_000).message.startswith("[[[")


@given(st.binary(max_size=200))
def test_any_bytes_make_a_complaint(body: bytes) -> None:
    assert len(complaint_of(body).message) <= 500


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PARTS), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_any_json_makes_a_complaint(body: Any) -> None:
    assert len(complaint(body).message) <= 500
