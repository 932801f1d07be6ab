"""Whether requests and responses are what GitHub's own description says."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft7Validator

API = json.loads((Path(__file__).parent / "vendor" / "github_api.json").read_text())


def resource_of(method: str, path: str) -> tuple[str, dict[str, str]] | None:
    """Return the resource that a path is one of, and the values of its parameters."""
    for name in API["resources"]:
        verb, _, template = name.partition(" ")
        if verb == method and (found := _pattern(template).fullmatch(path)):
            return name, {key: unquote(value) for key, value in found.groupdict().items()}
    return None


def example(name: str, status: int = 200) -> Any:
    """Return the description's own example of an answer."""
    content = API["resources"][name]["responses"][str(status)]["content"]["application/json"]
    return json.loads(json.dumps(next(iter(content["examples"].values()))["value"]))


def wrong_request(name: str, query: dict[str, str], body: Any) -> list[str]:
    resource = API["resources"][name]
    known = {one["name"]: one["schema"] for one in resource["parameters"] if one["in"] == "query"}
    found = [f"{name}: no parameter {key!r}" for key in query if key not in known]
    for key, value in query.items():
        number = value.isdecimal() and known.get(key, {}).get("type") == "integer"
        found += _wrong(known.get(key, {}), int(value) if number else value, f"{name} ?{key}")
    if "requestBody" in resource:
        schema = resource["requestBody"]["content"]["application/json"]["schema"]
        return found + _wrong(schema, body, f"{name} body")
    return found + ([f"{name}: takes no body"] if body is not None else [])


def wrong_response(name: str, status: int, body: Any) -> list[str]:
    answers = API["resources"][name]["responses"]
    if str(status) not in answers:
        # limits and outages are described once for all resources
        return [] if status in {401, 403, 404, 429, 500, 502, 503} else [f"{name}: never {status}"]
    content = answers[str(status)].get("content", {}).get("application/json")
    if content is None or not isinstance(body, (dict, list)):
        return []
    return _wrong(content["schema"], body, f"{name} -> {status}")


def _wrong(schema: dict[str, Any], value: Any, where: str) -> list[str]:
    return [
        f"{where}: {error.message[:200]}" for error in _validator(_key(schema)).iter_errors(value)
    ]


def _key(schema: dict[str, Any]) -> str:
    return json.dumps(schema, sort_keys=True)


@cache
def _validator(schema: str) -> Draft7Validator:
    return Draft7Validator(
        {"allOf": [json.loads(schema)], "components": {"schemas": API["schemas"]}}
    )


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    several = {"path", "basehead"}
    return re.compile(
        "".join(
            (
                f"(?P<{part}>{'.+' if part in several else '[^/]+'})"
                if number % 2
                else re.escape(part)
            )
            for number, part in enumerate(parts)
        )
    )
