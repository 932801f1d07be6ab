"""What the conformance suites ask any server to have: tools, resources and prompts to read.

Names, texts and behaviour are the suites'; see the descriptions that they print of a scenario.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable
from typing import Annotated, Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
)
from pydantic import Field

Ctx = Context[Any, Any]

SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def add_contents(server: MCPServer[Any]) -> None:
    """Add all of them to a server."""
    for tool in (
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_tool_with_logging,
        test_logging_tool,
        test_tool_with_progress,
        test_error_handling,
        test_reconnection,
        test_headers,
        test_trigger_tool_change,
        test_trigger_prompt_change,
    ):
        add_tool(server, tool)
    add_tool(server, json_schema_2020_12_tool)
    # the SDK makes a schema of the function; this one cannot be said in Python
    server._tool_manager.get_tool("json_schema_2020_12_tool").parameters = SCHEMA_2020_12
    _add_resources(server)
    for prompt in (
        test_simple_prompt,
        test_prompt_with_arguments,
        test_prompt_with_embedded_resource,
        test_prompt_with_image,
    ):
        server.prompt(description=prompt.__name__)(prompt)
    # the product logs to its own log and has no protocol logging; older clients may set a level
    lowlevel = server._lowlevel_server
    lowlevel.add_request_handler("logging/setLevel", SetLevelRequestParams, _set_level)


def add_tool(server: MCPServer[Any], tool: Callable[..., Any]) -> None:
    """Add a tool under its function's name."""
    server.add_tool(tool, description=tool.__name__, structured_output=False)


def shown(*content: Any) -> CallToolResult:
    """Return a result of these blocks; strings stand for text."""
    blocks = [TextContent(type="text", text=c) if isinstance(c, str) else c for c in content]
    return CallToolResult(content=blocks)


def png() -> str:
    """Return a picture of one red pixel, in base64."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixel = chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + header + pixel + chunk(b"IEND", b"")).decode()


def wav() -> str:
    """Return a sound of no length, in base64."""
    kind = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    body = b"WAVE" + kind + struct.pack("<4sI", b"data", 0)
    return base64.b64encode(struct.pack("<4sI", b"RIFF", len(body)) + body).decode()


def embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    """Return a resource as a block of content."""
    resource = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return EmbeddedResource(type="resource", resource=resource)


def image() -> ImageContent:
    """Return the picture as a block of content."""
    return ImageContent(type="image", data=png(), mime_type="image/png")


async def test_simple_text() -> CallToolResult:
    return shown("This is a simple text response for testing.")


async def test_image_content() -> CallToolResult:
    return shown(image())


async def test_audio_content() -> CallToolResult:
    return shown(AudioContent(type="audio", data=wav(), mime_type="audio/wav"))


async def test_embedded_resource() -> CallToolResult:
    text = "This is an embedded resource content."
    return shown(embedded("test://embedded-resource", text))


async def test_multiple_content_types() -> CallToolResult:
    data = json.dumps({"test": "data", "value": 123})
    mixed = embedded("test://mixed-content-resource", data, "application/json")
    return shown("Multiple content types test:", image(), mixed)


async def test_tool_with_logging(ctx: Ctx) -> CallToolResult:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.log("info", line)
        await anyio.sleep(0.05)
    return shown("logged")


async def test_logging_tool(ctx: Ctx) -> CallToolResult:
    await ctx.log("info", "told only to whoever set a level")
    return shown("logged")


async def test_tool_with_progress(ctx: Ctx) -> CallToolResult:
    for progress in (0, 50, 100):
        await ctx.report_progress(progress, 100)
        await anyio.sleep(0.05)
    return shown("done")


async def test_error_handling() -> CallToolResult:
    raise ToolError("This tool intentionally returns an error for testing")


async def test_reconnection(ctx: Ctx) -> CallToolResult:
    await ctx.close_sse_stream()
    await anyio.sleep(0.1)
    return shown("Reconnection test completed successfully")


async def test_headers(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
) -> CallToolResult:
    return shown(region)


async def test_trigger_tool_change(ctx: Ctx) -> CallToolResult:
    await ctx.notify_tools_changed()
    return shown("told")


async def test_trigger_prompt_change(ctx: Ctx) -> CallToolResult:
    await ctx.notify_prompts_changed()
    return shown("told")


async def json_schema_2020_12_tool() -> CallToolResult:
    return shown("ok")


def _add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        """Be a text."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        """Be a picture."""
        return base64.b64decode(png())

    @server.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        """Be subscribed to."""
        return "watched"

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002 - the suite's name
        """Be one of many."""
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def test_simple_prompt() -> str:
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - as above
    resource = embedded(resourceUri, "Embedded resource content for testing.")
    return [UserMessage(resource), UserMessage("Please process the embedded resource above.")]


def test_prompt_with_image() -> list[UserMessage]:
    return [UserMessage(image()), UserMessage("Please analyze the image above.")]


async def _set_level(_: Any, __: SetLevelRequestParams) -> EmptyResult:
    return EmptyResult()
