from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from serving import serving
from toolgauge.errors import UsageError
from toolgauge.formats.mcp_tools import MAX_TOOLS, Address, ListedTools, Program, list_tools

pytestmark = pytest.mark.anyio
PROGRAM = Path(__file__).with_name("mcp_server_program.py")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def tool(name: Any, **fields: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}.", "inputSchema": CITY} | fields


def program(tmp_path: Path, *pages: dict[str, Any]) -> Program:
    file = tmp_path / "pages.json"
    file.write_text(json.dumps(pages))
    return Program(sys.executable, (str(PROGRAM), str(file)))


async def listed(tmp_path: Path, *tools: Any) -> ListedTools:
    return await list_tools(program(tmp_path, {"tools": list(tools)}), name="plain")


def names(found: ListedTools) -> list[str]:
    return [one.name for one in found.tools]


def weather_server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("weather", version="1")

    @server.tool()
    async def get_weather(city: str) -> str:
        """Current weather of a city."""
        return city

    return server


async def test_every_page_of_a_program_is_read_in_order(tmp_path: Path) -> None:
    pages = (
        {"tools": [tool("a"), tool("b")], "nextCursor": "1"},
        {"tools": [tool("c")], "nextCursor": "2"},
        {"tools": [tool("d")]},
    )
    found = await list_tools(program(tmp_path, *pages), name="plain")
    assert names(found) == ["a", "b", "c", "d"]
    assert found.tools[0].description == "Does a."
    assert found.tools[0].parameters == CITY
    assert found.warnings == ()


async def test_sloppy_tools_are_mended_or_left_out_with_a_warning(tmp_path: Path) -> None:
    found = await listed(
        tmp_path,
        tool("empty", inputSchema={}),
        tool("none", inputSchema=None),
        tool("array", inputSchema={"type": "array"}),
        tool("odd", inputSchema={"type": "object", "properties": []}),
        tool("silent", description=None),
        tool("extra", outputSchema={"type": 7}, annotations="?", icons=3),
        tool("extra"),
        tool(None),
        "no tool",
    )
    assert names(found) == ["empty", "none", "array", "odd", "silent", "extra"]
    assert all(one.parameters["type"] == "object" for one in found.tools)
    for mention in ("'empty' lacks its type", "'none' has no schema", "'silent' has no desc"):
        assert any(mention in warning for warning in found.warnings)
    assert sum("without a name" in warning for warning in found.warnings) == 2
    assert any("'extra' is listed twice" in warning for warning in found.warnings)


async def test_a_tool_that_is_too_large_or_too_deep_is_left_out(tmp_path: Path) -> None:
    deep: dict[str, Any] = {}
    for _ in range(40):
        deep = {"type": "object", "properties": {"x": deep}}
    large = tool("large", description="x" * 300_000)
    found = await listed(tmp_path, large, tool("deep", inputSchema=deep), tool("fine"))
    assert names(found) == ["fine"]
    assert len(found.warnings) == 2


async def test_a_server_that_never_ends_is_read_to_the_limit(tmp_path: Path) -> None:
    endless = {"tools": [tool("a")], "nextCursor": "0"}
    repeating = await list_tools(program(tmp_path, endless), name="plain")
    many = await listed(tmp_path, *(tool(f"tool{n}") for n in range(MAX_TOOLS + 5)))
    assert names(repeating) == ["a"]
    assert any("repeats a page" in warning for warning in repeating.warnings)
    assert len(many.tools) == MAX_TOOLS
    assert any("the rest was left out" in warning for warning in many.warnings)


async def test_a_server_that_does_not_answer_is_given_up() -> None:
    silent = Program(sys.executable, ("-c", "import sys; sys.stdin.read()"))
    with pytest.raises(UsageError, match=r"'quiet' did not answer within 0\.5 s"):
        await list_tools(silent, name="quiet", timeout_s=0.5)


@pytest.mark.parametrize(
    "server",
    [
        Program("no-such-program-anywhere"),
        Program(sys.executable, ("-c", "print('not the protocol')")),
        Address("http://127.0.0.1:9/mcp"),
        Address("http://127.0.0.1:9/sse", is_sse=True),
    ],
)
async def test_a_server_that_cannot_be_reached_is_a_usage_error(server: Any) -> None:
    with pytest.raises(UsageError, match="MCP server 'broken' cannot be read"):
        await list_tools(server, name="broken")


async def test_an_answer_that_is_no_list_of_tools_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the protocol"):
        await list_tools(program(tmp_path, {"tools": 3}), name="plain")


async def test_streamable_http_and_sse_are_read_too() -> None:
    http, sse = weather_server().streamable_http_app(), weather_server().sse_app()
    async with serving(http) as base:
        by_http = await list_tools(Address(f"{base}/mcp"), name="weather")
    async with serving(sse) as base:
        by_sse = await list_tools(Address(f"{base}/sse", is_sse=True), name="weather")
    assert names(by_http) == names(by_sse) == ["get_weather"]
    assert by_http.tools[0].description == "Current weather of a city."


async def test_stated_headers_are_sent_and_a_refusal_is_told() -> None:
    seen: list[str | None] = []

    async def refuse(request: Any) -> PlainTextResponse:
        seen.append(request.headers.get("authorization"))
        return PlainTextResponse("no", 401)

    app = Starlette(routes=[Route("/mcp", refuse, methods=["POST", "GET", "DELETE"])])
    async with serving(app) as base:
        address = Address(f"{base}/mcp", {"Authorization": "Bearer secret"})
        with pytest.raises(UsageError, match="cannot be read") as refused:
            await list_tools(address, name="closed")
    assert "Bearer secret" in seen
    assert "secret" not in str(refused.value)
