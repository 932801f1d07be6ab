from __future__ import annotations

from typing import Any

import pytest

from toolgauge.formats.places import path_text
from toolgauge.formats.project_checks import find_contradictions, is_key_name

USUAL = frozenset({"temperature", "max_tokens"})


def told(data: dict[str, Any]) -> dict[str, str]:
    return {path_text(item.loc): item.message for item in find_contradictions(data, USUAL)}


def target(**fields: Any) -> dict[str, Any]:
    return {"targets": {"t": {"model": "a/b"} | fields}}


def server(**fields: Any) -> dict[str, Any]:
    return {"mcp_servers": {"s": fields}}


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apikey",
        "apiKey",
        "x-api-key",
        "token",
        "key",
        "access_token",
        "auth-token",
        "password",
        "client_secret",
        "aws_secret_access_key",
        "Authorization",
        "credentials",
    ],
)
def test_names_of_keys_are_known(name: str) -> None:
    assert is_key_name(name)


@pytest.mark.parametrize(
    "name",
    ["api_key_env", "max_tokens", "tokens_per_min", "prompt_cache_key", "eos_token", "keyboard"],
)
def test_names_of_other_things_are_not(name: str) -> None:
    assert not is_key_name(name)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"api_key": "sk-1"}, "targets.t.api_key"),
        ({"parameters": {"api_key": "sk-1"}}, "targets.t.parameters.api_key"),
        (
            {"parameters": {"extra_headers": {"Authorization": "Bearer sk-1"}}},
            "targets.t.parameters.extra_headers.Authorization",
        ),
    ],
)
def test_a_key_in_a_target_is_told_without_showing_it(fields: dict[str, Any], path: str) -> None:
    ((where, message),) = told(target(**fields)).items()
    assert where == path
    assert "`api_key_env`" in message
    assert "sk-1" not in message


def test_a_parameter_is_stated_once() -> None:
    assert list(told(target(temperature=0, parameters={"temperature": 1}))) == [
        "targets.t.parameters.temperature"
    ]
    assert told(target(temperature=None, parameters={"temperature": 1, "seed": 2})) == {}


@pytest.mark.parametrize("field", ["model", "messages", "tools", "tool_choice", "stream"])
def test_parameters_leave_alone_what_a_run_sends(field: str) -> None:
    assert list(told(target(parameters={field: "x"}))) == [f"targets.t.parameters.{field}"]


def test_a_server_is_a_command_or_a_url() -> None:
    assert "states neither" in told(server(args=["x"]))["mcp_servers.s"]
    assert "states both" in told(server(command="x", url="https://x"))["mcp_servers.s"]
    assert told(server(command="x", args=["y"], env={"A": "b"})) == {}
    assert told(server(url="https://x", headers={"A": "b"}, env={})) == {}


def test_fields_of_the_other_kind_are_told() -> None:
    assert list(told(server(command="x", headers={"A": "b"}))) == ["mcp_servers.s.headers"]
    assert list(told(server(url="https://x", args=["a"], env={"A": "b"}))) == [
        "mcp_servers.s.args",
        "mcp_servers.s.env",
    ]


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "API_KEY", "DB_PASSWORD", "SECRET"])
def test_a_secret_in_an_environment_is_told_without_showing_it(name: str) -> None:
    ((where, message),) = told(server(command="x", env={name: "ghp-1"})).items()
    assert where == f"mcp_servers.s.env.{name}"
    assert "${NAME}" in message
    assert "ghp-1" not in message
    assert told(server(command="x", env={name: "${OF_MINE}"})) == {}


def test_a_secret_in_a_header_is_told() -> None:
    for name in ("Authorization", "X-Api-Key", "Cookie"):
        headers = {name: "Bearer abc"}
        assert list(told(server(url="https://x", headers=headers))) == [
            f"mcp_servers.s.headers.{name}"
        ]


def test_other_values_stand_as_they_are() -> None:
    plain = {"KEYCLOAK_URL": "https://x", "LOG_LEVEL": "debug", "TOKENIZERS_PARALLELISM": "false"}
    assert told(server(command="x", env=plain)) == {}


@pytest.mark.parametrize("value", ["${", "${}", "${1A}", "a ${A} ${B-C}", "${A"])
def test_a_reference_names_a_variable(value: str) -> None:
    for fields, path in (
        ({"command": "x", "args": [value]}, "args[0]"),
        ({"command": "x", "env": {"A": value}}, "env.A"),
        ({"url": "https://x", "headers": {"A": value}}, "headers.A"),
        ({"url": f"https://{value}"}, "url"),
    ):
        assert list(told(server(**fields))) == [f"mcp_servers.s.{path}"]


def test_wrong_types_are_for_the_model_to_tell() -> None:
    for wrong in (None, 3, "x", [1], {"t": 3}, {"t": [1]}, {"t": None}):
        assert told({"targets": wrong, "mcp_servers": wrong}) == {}
    assert told(server(command="x", args=[1], env={"TOKEN": 5}, headers=[])) == {}
