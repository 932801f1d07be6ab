from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.errors import MissingSetting
from toolgauge.web.auth import is_loopback, read_tokens

ANN, BOB = "a" * 20, "b" * 20


def test_tokens_say_whose_they_are() -> None:
    tokens = read_tokens(f"ann:{ANN}, bob:{BOB}")
    assert tokens.name_of(ANN) == "ann"
    assert tokens.name_of(BOB) == "bob"


def test_tokens_are_not_shown() -> None:
    assert ANN not in repr(read_tokens(f"ann:{ANN}"))


@given(st.text())
def test_what_is_no_token_is_nobodys(text: str) -> None:
    assert read_tokens(f"ann:{ANN}").name_of(text) == ("ann" if text == ANN else None)


@pytest.mark.parametrize("stated", [None, "", " , ", "ann", "ann:short", f":{ANN}", f"a b:{ANN}"])
def test_missing_and_malformed_tokens_are_refused(stated: str | None) -> None:
    with pytest.raises(MissingSetting, match="TOOLGAUGE_TOKENS"):
        read_tokens(stated)


def test_the_name_of_this_machines_user_is_not_given_to_a_token() -> None:
    with pytest.raises(MissingSetting, match="not 'local'"):
        read_tokens(f"local:{ANN}")


def test_one_token_is_not_given_to_two_names() -> None:
    with pytest.raises(MissingSetting, match="same token"):
        read_tokens(f"ann:{ANN},bob:{ANN}")


def test_only_addresses_of_this_machine_are_loopback() -> None:
    assert is_loopback("127.0.0.1")
    assert not is_loopback("0.0.0.0")  # noqa: S104 - asked about, not bound
    assert not is_loopback("127.0.0.1.example.com")
