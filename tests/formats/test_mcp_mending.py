from __future__ import annotations

import time
from typing import Any

from toolgauge.formats.mcp_mending import MOST_WARNINGS, Mender


def tool(name: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": "Does it.", "inputSchema": schema}


def test_schemas_that_would_take_long_to_check_are_opened_together() -> None:
    mender, begun = Mender(), time.monotonic()
    heavy = {f"p{n}": {"anyOf": [{"$ref": "#"}, {"type": "null"}]} for n in range(500)}
    mender.mended([tool(f"heavy{n}", **heavy) for n in range(50)])
    mender.mended([tool("plain", **{f"p{n}": {"type": "string"} for n in range(500)})])
    opened = [name for name, one in mender.tools.items() if not one.parameters["properties"]]
    assert 40 < len(opened) < 50
    assert "plain" not in opened
    assert len(mender.warnings) == len(opened)
    assert time.monotonic() - begun < 5


def test_there_are_only_so_many_warnings_and_each_is_one_short_line() -> None:
    mender = Mender()
    mender.mended([{"name": f"{n}\x1b[2J\n" + "x" * 5000} for n in range(200)])
    assert len(mender.warnings) == MOST_WARNINGS
    assert all(one.isprintable() and len(one) < 400 for one in mender.warnings)


def test_what_is_no_json_is_left_out() -> None:
    mender = Mender()
    mender.mended([tool("odd", x={"default": float("nan")}), tool("fine")])
    assert list(mender.tools) == ["fine"]
