from __future__ import annotations

from collections.abc import Callable

import pytest

from toolgauge.errors import GatewayError
from toolgauge.gateway.providers import (
    PLACEHOLDER_KEY,
    PROVIDERS,
    base_of,
    key_of,
    speaks_chat_completions,
)
from toolgauge.model.target import Target


def target(
    model: str = "openai/m", *, api_base: str | None = None, api_key_env: str | None = None
) -> Target:
    return Target(name="mine", model=model, api_base=api_base, api_key_env=api_key_env)


def environment(**values: str) -> Callable[[str], str | None]:
    return values.get


def test_the_variable_that_is_named_wins_over_the_usual_one() -> None:
    read_key = environment(OPENAI_API_KEY="usual", MINE="own")
    assert key_of(target(api_key_env="MINE"), read_key) == "own"


def test_a_named_variable_that_is_empty_is_not_replaced_by_the_usual_one() -> None:
    read_key = environment(OPENAI_API_KEY="usual", MINE=" ")
    with pytest.raises(GatewayError, match="mine: set MINE") as caught:
        key_of(target(api_key_env="MINE"), read_key)
    assert caught.value.fault == "setup"


def test_the_first_usual_variable_that_is_set_wins() -> None:
    gemini = target("gemini/m")
    assert key_of(gemini, environment(GOOGLE_API_KEY="b")) == "b"
    assert key_of(gemini, environment(GEMINI_API_KEY="a", GOOGLE_API_KEY="b")) == "a"


def test_blanks_around_a_key_are_no_part_of_it() -> None:
    assert key_of(target(), environment(OPENAI_API_KEY=" sk-1\n")) == "sk-1"


def test_without_a_key_the_variables_to_set_are_named() -> None:
    with pytest.raises(GatewayError, match="set GEMINI_API_KEY or GOOGLE_API_KEY to its key"):
        key_of(target("gemini/m"), environment())


def test_a_server_of_ones_own_needs_no_key() -> None:
    assert key_of(target(api_base="http://localhost/v1"), environment()) == PLACEHOLDER_KEY


@pytest.mark.parametrize("api_base", [None, "http://localhost/v1"])
def test_credentials_of_a_provider_of_no_table_are_not_ours_to_find(api_base: str | None) -> None:
    assert key_of(target("bedrock/m", api_base=api_base), environment()) is None


def test_the_address_of_a_target_wins_over_the_usual_one() -> None:
    assert base_of(target(api_base="http://localhost/v1/")) == "http://localhost/v1"
    assert base_of(target()) == "https://api.openai.com/v1"


@pytest.mark.parametrize("model", ["hosted_vllm/m", "sglang/m"])
def test_where_no_address_is_known_one_must_be_set(model: str) -> None:
    with pytest.raises(GatewayError, match="mine: set api_base") as caught:
        base_of(target(model))
    assert caught.value.fault == "setup"


@pytest.mark.parametrize(
    "api_base", ["localhost:8000/v1", "ftp://host/v1", "http://", "http://[::1", "http://h:99999"]
)
def test_an_address_that_is_none_is_shown(api_base: str) -> None:
    with pytest.raises(GatewayError, match="is no http") as caught:
        base_of(target(api_base=api_base))
    assert caught.value.fault == "setup"


@pytest.mark.parametrize(
    ("model", "api_base", "expected"),
    [
        ("openai/m", None, True),
        ("openai/m", "http://localhost/v1", True),
        ("hosted_vllm/m", "http://localhost/v1", True),
        ("hosted_vllm/m", None, False),
        ("anthropic/m", None, False),
        ("anthropic/m", "http://localhost", False),
        ("bedrock/m", None, False),
    ],
)
def test_a_target_can_be_asked_directly_where_protocol_and_address_are_known(
    model: str, api_base: str | None, *, expected: bool
) -> None:
    assert speaks_chat_completions(target(model, api_base=api_base)) is expected


def test_every_address_of_the_table_is_one_over_tls() -> None:
    bases = [known.base for known in PROVIDERS.values() if known.base]
    assert bases
    assert all(base.startswith("https://") and not base.endswith("/") for base in bases)
