"""The tools as a page for people, made from what agents are told of them.

``python -m toolgauge.mcp_server.tool_docs FILE`` writes it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import anyio
from mcp.types import Tool, ToolAnnotations

from toolgauge.mcp_server.app import TOOLSETS, ServerOptions, make_server
from toolgauge.settings import Settings

_USAGE = "usage: python -m toolgauge.mcp_server.tool_docs FILE\n"
_HEAD = """\
# Tools of the MCP server

Made from the tools themselves (`make schemas`). Toolsets are chosen by `--toolsets`; with
`--read-only` those tools alone are served that read only. Every result has at most 10,000
characters: its `clipped` says what was shortened, and its `resource` where all of it is.
"""
_ABOVE_ALL = ("clipped", "resource")
_PLURALS = {"string": "strings", "object": "objects", "integer": "integers", "number": "numbers"}
_OPEN_BOUNDS = (
    ("minimum", "{} or more"),
    ("exclusiveMinimum", "more than {}"),
    ("minItems", "{} or more"),
    ("minLength", "{} or more characters"),
)
_CLOSED_BOUNDS = (("minimum", "maximum"), ("minItems", "maxItems"))


def tools_markdown(tools: Iterable[Tool]) -> str:
    """Return the page: every tool by its toolset, with arguments, effects and its result."""
    by_name = {tool.name: tool for tool in tools}
    sections = [_HEAD]
    for toolset, entries in TOOLSETS.items():
        sections.append(f"## {toolset}\n")
        sections += [_section(by_name[entry.function.__name__]) for entry in entries]
    return "\n".join(sections)


def main(arguments: list[str]) -> int:
    """Write the page into a file; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write(_USAGE)
        return 2
    tools = anyio.run(make_server(ServerOptions(Settings({}))).list_tools)
    Path(arguments[0]).write_text(tools_markdown(tools), encoding="utf-8")
    return 0


def _section(tool: Tool) -> str:
    parts = [
        f"### `{tool.name}`",
        f"{tool.title}: {_effects(tool.annotations or ToolAnnotations())}.",
        (tool.description or "").replace("``", "`"),
        _arguments(tool.input_schema) or "Takes no arguments.",
        _result(tool.output_schema or {}),
    ]
    return "\n\n".join(parts) + "\n"


def _effects(hints: ToolAnnotations) -> str:
    said = ["reads only" if hints.read_only_hint else "writes"]
    if hints.destructive_hint:
        said.append("**deletes for good**")
    if not hints.read_only_hint and hints.idempotent_hint:
        said.append("a second call changes nothing more")
    if hints.open_world_hint:
        said.append("**reaches other systems**")
    return ", ".join(said)


def _arguments(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        f"| `{name}` | {_type(field)} | {_default(field, is_required=name in required)} "
        f"| {_cell(field.get('description', ''))} |"
        for name, field in schema.get("properties", {}).items()
    ]
    head = ["| argument | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


def _default(field: Mapping[str, Any], *, is_required: bool) -> str:
    if is_required:
        return "required"
    default = field.get("default")
    return "" if default is None else f"`{json.dumps(default, ensure_ascii=False)}`"


def _type(field: Mapping[str, Any]) -> str:
    if "anyOf" in field:
        kinds = [_type(one) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(kinds)
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    kind = field["type"]
    if kind == "array":
        kind = f"list of {_PLURALS[field['items']['type']]}"
    return ", ".join([kind, *_bounds(field)])


def _bounds(field: Mapping[str, Any]) -> list[str]:
    for low, high in _CLOSED_BOUNDS:
        if low in field and high in field:
            return [f"{field[low]} to {field[high]}"]
    return [said.format(field[name]) for name, said in _OPEN_BOUNDS if name in field]


def _result(schema: Mapping[str, Any]) -> str:
    about = " ".join(schema.get("description", "").replace("``", "`").split())
    fields = [f"`{name}`" for name in schema.get("properties", {}) if name not in _ABOVE_ALL]
    return " ".join(filter(None, [f"Returns {', '.join(fields)}.", about]))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
