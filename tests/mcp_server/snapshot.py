"""The reviewed list of tools; ``python tests/mcp_server/snapshot.py`` writes it anew."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
from mcp.types import Tool

from toolgauge.mcp_server.app import ServerOptions, make_server
from toolgauge.settings import Settings


def snapshot(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return what a reviewer reads of each tool; results by the names of their fields."""
    return [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "annotations": tool.annotations.model_dump(exclude_none=True),
            "input": tool.input_schema,
            "output": sorted(tool.output_schema["properties"]),
        }
        for tool in tools
    ]


def main() -> None:
    tools = anyio.run(make_server(ServerOptions(Settings({}))).list_tools)
    text = json.dumps(snapshot(tools), indent=2, ensure_ascii=False) + "\n"
    Path(__file__).with_name("tools_list.json").write_text(text)


if __name__ == "__main__":
    main()
