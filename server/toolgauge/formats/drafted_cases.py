"""One drafted case per tool, from its description and schema: a start for a person to rewrite.

A draft says what the tool's author says, which is easy for any model. Its tag tells it from
cases that somebody has looked at. Descriptions and schemas are a stranger's text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from toolgauge.model.fingerprint import digest
from toolgauge.model.tools import ToolSpec
from toolgauge.report.escape import one_line

DRAFT_TAG = "draft"
_MOST_OF_A_NAME = 64
_MOST_OF_A_SENTENCE = 200
_MOST_OF_A_VALUE = 200
_MOST_PARAMETERS = 20
_DEEPEST = 5
_MOST_LOOKED_AT = 200
_SENTENCE = re.compile(r"(.+?[.!?])(\s|$)")
_OF_FORMAT = {
    "date": "2026-05-04",
    "date-time": "2026-05-04T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "PT30M",
    "email": "ada@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.org/page",
    "uuid": "00000000-0000-4000-8000-000000000001",
}


def drafted_case(tool: ToolSpec) -> dict[str, Any]:
    """Return a case, as a suite states it, that asks for one tool with its required parameters.

    Values are the schema's own (``const``, ``examples``, ``default``, ``enum``), else
    invented by its type. A parameter for which none is found is left out.
    """
    params = _params(tool.parameters)
    said = ", ".join(f"{one_line(name, 80)} {_shown(value)}" for name, value in params.items())
    prompt = f"{_purpose(tool)} Use {said}." if said else _purpose(tool)
    case: dict[str, Any] = {
        "id": f"{DRAFT_TAG}-{_short_name(tool.name)}",
        "prompt": prompt,
        "expected_tool": tool.name,
    }
    if params:
        case["expected_params"] = params
    return case | {"tags": [DRAFT_TAG]}


def placeholder_case() -> dict[str, Any]:
    """Return the case of a suite that has none yet: nothing is to be called."""
    return {
        "id": f"{DRAFT_TAG}-no-call",
        "prompt": "Thanks, that's all!",
        "expected_tool": None,
        "tags": [DRAFT_TAG],
    }


def _short_name(name: str) -> str:
    return name if len(name) <= _MOST_OF_A_NAME else f"{name[:_MOST_OF_A_NAME]}-{digest(name)[:8]}"


def _purpose(tool: ToolSpec) -> str:
    """Return the first sentence of a description on one line, else the name in words."""
    text = " ".join(tool.description.split())
    found = _SENTENCE.match(text)
    sentence = (found[1] if found else text) or re.sub(r"[\W_]+", " ", tool.name).strip()
    shown = one_line(sentence or tool.name, _MOST_OF_A_SENTENCE)
    return shown if shown.endswith((".", "!", "?", "…")) else f"{shown}."


def _params(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return {}
    params, draft = {}, _Draft(schema)
    for name in required[:_MOST_PARAMETERS]:
        if not isinstance(name, str) or not isinstance(properties.get(name), dict):
            continue
        value = draft.value(name, properties[name])
        if value is not None and len(json.dumps(value)) <= _MOST_OF_A_VALUE:
            params[name] = value
    return params


class _Draft:
    """Values by a schema; references are followed within ``root`` alone, and not far.

    A schema of a few lines may stand for a value without end, so only so much is looked at.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _MOST_LOOKED_AT

    def value(self, name: str, schema: Any, depth: int = 0) -> Any:
        """Return a value that the schema takes, None where none is found."""
        schema = self._followed(schema, depth)
        self._left -= 1
        if not isinstance(schema, dict) or depth > _DEEPEST or self._left < 0:
            return None
        stated = _stated(schema)
        if stated is not None:
            return stated
        for key in ("anyOf", "oneOf", "allOf"):
            if isinstance(schema.get(key), list):
                found = (self.value(name, one, depth + 1) for one in schema[key][:_DEEPEST])
                return next((one for one in found if one is not None), None)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), None)
        return self._of_kind(kind, name, schema, depth)

    def _of_kind(self, kind: Any, name: str, schema: dict[str, Any], depth: int) -> Any:
        match kind:
            case "string":
                return _OF_FORMAT.get(str(schema.get("format")), f"sample {_words(name)}")
            case "integer" | "number":
                return _number(schema)
            case "boolean":
                return True
            case "array":
                item = self.value(name, schema.get("items", {}), depth + 1)
                return None if item is None else [item]
            case "object":
                return self._object(schema, depth)
        return None

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any] | None:
        properties, required = schema.get("properties"), schema.get("required")
        if not isinstance(properties, dict) or not isinstance(required, list):
            return None
        names = [one for one in required[:_DEEPEST] if isinstance(one, str)]
        found = {name: self.value(name, properties.get(name), depth + 1) for name in names}
        return {name: value for name, value in found.items() if value is not None} or None

    def _followed(self, schema: Any, depth: int) -> Any:
        for _ in range(_DEEPEST - min(depth, _DEEPEST)):
            reference = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(reference, str):
                return schema
            schema = self._root if reference.startswith("#/") else None
            for part in reference.removeprefix("#/").split("/"):
                schema = schema.get(part) if isinstance(schema, Mapping) else None
        return None


def _stated(schema: Mapping[str, Any]) -> Any:
    """Return the first value that a schema itself names and that is short enough."""
    examples, choices = schema.get("examples"), schema.get("enum")
    candidates = [
        schema.get("const"),
        *(examples[:3] if isinstance(examples, list) else ()),
        schema.get("default"),
        *(choices[:3] if isinstance(choices, list) else ()),
    ]
    return next((one for one in candidates if one is not None and _is_short(one)), None)


def _is_short(value: Any) -> bool:
    return len(json.dumps(value)) <= _MOST_OF_A_VALUE


def _number(schema: Mapping[str, Any]) -> int | float:
    least, most = schema.get("minimum"), schema.get("maximum")
    for bound in (least, most):
        if isinstance(bound, int | float) and not isinstance(bound, bool) and abs(bound) < 1e15:
            return bound
    return 3


def _words(name: str) -> str:
    return one_line(re.sub(r"[\W_]+", " ", name).strip(), 40) or "text"


def _shown(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 2 * _MOST_OF_A_VALUE)
