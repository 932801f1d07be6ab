from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from serving import serving
from toolgauge.errors import CannotMeasure, UsageError
from toolgauge.formats.mcp_mending import MAX_TOOLS
from toolgauge.formats.mcp_tools import Address, ListedTools, Program, list_tools

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
    with pytest.raises(CannotMeasure, match=r"'quiet' did not answer within 0\.5 s"):
        await list_tools(silent, name="quiet", timeout_s=0.5)


@pytest.mark.parametrize(
    ("server", "kind", "said"),
    [
        (Program("no-such-program"), UsageError, "cannot be started: No such file .*no-such-progr"),
        (Program(str(PROGRAM)), UsageError, "cannot be started: Permission denied"),
        (Program(sys.executable, ("-c", "")), CannotMeasure, "ended before it answered"),
        (Program(sys.executable, ("-c", "print(1)")), CannotMeasure, "ended before it answered"),
        (Address("http://127.0.0.1:9/mcp"), CannotMeasure, "cannot be reached"),
        (Address("http://127.0.0.1:9/sse", is_sse=True), CannotMeasure, "cannot be reached"),
        (Address("http://127.0.0.1:none/mcp"), UsageError, "cannot be read"),
    ],
)
async def test_a_server_that_cannot_be_had_is_told_in_one_line(
    server: Any, kind: type[Exception], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(kind, match=f"^MCP server 'broken' {said}") as refused:
        await list_tools(server, name="broken")
    assert "\n" not in str(refused.value)
    assert [one for one in caplog.records if one.name.startswith("mcp")] == []


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


@pytest.mark.parametrize("is_sse", [False, True])
@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, UsageError, r"refuses us \(HTTP 401\): it wants a login"),
        (404, UsageError, r"cannot be read \(HTTP 404\): nothing speaks MCP there"),
        (307, UsageError, r"cannot be read \(HTTP 307\)"),
        (503, CannotMeasure, r"failed \(HTTP 503\)"),
        (200, UsageError, "cannot be read"),
    ],
)
async def test_a_refusal_says_what_to_do_and_shows_no_secret(
    status: int, kind: type[Exception], said: str, *, is_sse: bool
) -> None:
    seen: list[str | None] = []

    async def refuse(request: Any) -> PlainTextResponse:
        seen.append(request.headers.get("authorization"))
        return PlainTextResponse("Bearer s3cret", status, {"location": "http://other.example/"})

    app = Starlette(routes=[Route("/mcp", refuse, methods=["POST", "GET", "DELETE"])])
    async with serving(app) as base:
        url = f"{base}/mcp?key=s3cret"
        address = Address(url, {"Authorization": "Bearer s3cret"}, is_sse, ("s3cret",))
        with pytest.raises(kind, match=said) as refused:
            await list_tools(address, name="closed")
    assert "Bearer s3cret" in seen
    assert "s3cret" not in str(refused.value) + repr(address)


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
async def test_an_answer_without_end_is_cut_off(encoding: str) -> None:
    async def answer(_: Any) -> StreamingResponse:
        endless = itertools.repeat(b" " * 1_000_000)
        headers = {"content-encoding": encoding}
        return StreamingResponse(endless, headers=headers, media_type="application/json")

    app = Starlette(routes=[Route("/mcp", answer, methods=["POST"])])
    async with serving(app) as base:
        with pytest.raises(UsageError, match=r"more than|compresses"):
            await list_tools(Address(f"{base}/mcp"), name="endless", timeout_s=20)


async def test_names_and_descriptions_that_are_odd_are_warned_of(tmp_path: Path) -> None:
    hidden = "Reads a file.\u200b\U000e0041\n\tAlso this."
    found = await listed(
        tmp_path, tool("a b"), tool("x" * 65), tool("hides", description=hidden), tool("fine")
    )
    assert len(found.tools) == 4
    assert len(found.warnings) == 3
    assert "providers take letters" in found.warnings[0]
    assert "'hides' holds characters that nobody sees" in found.warnings[2]
