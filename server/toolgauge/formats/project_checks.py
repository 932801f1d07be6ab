"""Checks across the fields of a project file, on its raw data; keys above all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolgauge.formats.places import Found, Loc, as_list, as_object

KEYS_ELSEWHERE = (
    "a committed file must not hold keys; put it into an environment variable and name that "
    "in `api_key_env`"
)
_MOVE_IT = (
    "a committed file must not hold secrets; put it into an environment variable and write ${NAME}"
)
_KEY_NAME = re.compile(
    r"(.*_)?(api_?key|access_?key|secret_?key|private_?key|secret|password|passwd|credentials?"
    r"|authorization|bearer|(access|auth|api|bearer|session|refresh)_?token)|key|token"
)
_SECRET_NAME = re.compile(r"(.*_)?(\w*key|\w*token|secret|password|passwd|authorization|cookie)")
_REFERENCE = re.compile(r"\$\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = frozenset({"model", "messages", "tools", "tool_choice", "stream"})


def is_key_name(field: str) -> bool:
    """Return whether a field of that name would hold a key.

    >>> is_key_name("api_key"), is_key_name("x-api-key"), is_key_name("max_tokens")
    (True, True, False)
    """
    return _KEY_NAME.fullmatch(_plain(field)) is not None


def find_contradictions(
    project: dict[str, Any], usual_parameters: frozenset[str]
) -> Iterator[Found]:
    """Yield keys that stand in the file, and what is wrong across fields."""
    for name, target in as_object(project.get("targets")).items():
        yield from _target(as_object(target), ("targets", name), usual_parameters)
    for name, server in as_object(project.get("mcp_servers")).items():
        if isinstance(server, dict):
            yield from _server(server, ("mcp_servers", name))


def _target(target: dict[str, Any], loc: Loc, usual_parameters: frozenset[str]) -> Iterator[Found]:
    for field in target:
        if is_key_name(field):
            yield Found((*loc, field), KEYS_ELSEWHERE)
    parameters = as_object(target.get("parameters"))
    yield from _keys_within(parameters, (*loc, "parameters"))
    for field in parameters:
        where: Loc = (*loc, "parameters", field)
        if field in _OURS:
            yield Found(where, "is for toolgauge to send; remove it")
        elif field in usual_parameters and target.get(field) is not None:
            yield Found(where, f"is stated as `{field}` of the target too; keep one of them")


def _keys_within(value: Any, loc: Loc) -> Iterator[Found]:
    for field, inner in as_object(value).items():
        if is_key_name(field):
            yield Found((*loc, field), KEYS_ELSEWHERE)
        else:
            yield from _keys_within(inner, (*loc, field))


def _server(server: dict[str, Any], loc: Loc) -> Iterator[Found]:
    has_command, has_url = (server.get(field) is not None for field in ("command", "url"))
    if has_command == has_url:
        said = "both; keep one" if has_command else "neither"
        yield Found(loc, f"needs a `command` to start or a `url` to connect to, and states {said}")
        return
    kind, others = ("command", ("headers",)) if has_command else ("url", ("args", "env"))
    for field in others:
        if server.get(field):
            yield Found((*loc, field), f"does not go with `{kind}`; remove it")
    for field in ("env", "headers"):
        for name, value in as_object(server.get(field)).items():
            yield from _secret(name, value, (*loc, field, name))
    yield from _references(server, loc)


def _secret(name: str, value: Any, loc: Loc) -> Iterator[Found]:
    is_literal = isinstance(value, str) and value and not _REFERENCE.search(value)
    if is_literal and _SECRET_NAME.fullmatch(_plain(name)):
        yield Found(loc, _MOVE_IT)


def _references(server: dict[str, Any], loc: Loc) -> Iterator[Found]:
    """Yield values in which ``${…}`` does not name a variable."""
    values: list[tuple[Loc, Any]] = [((*loc, field), server.get(field)) for field in ("url",)]
    values += [((*loc, "args", at), arg) for at, arg in enumerate(as_list(server.get("args")))]
    for field in ("env", "headers"):
        named = as_object(server.get(field)).items()
        values += [((*loc, field, name), value) for name, value in named]
    for where, value in values:
        if not isinstance(value, str):
            continue
        names = _REFERENCE.findall(value)
        if value.count("${") != len(names) or not all(map(_NAME.fullmatch, names)):
            yield Found(where, "has a `${` that names no variable; write ${NAME}")


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")
