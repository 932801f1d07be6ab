"""What the README tells people to give their hosts starts our server, or reaches it."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client, StdioServerParameters

from serving import serving
from toolgauge.cli.serve import serve
from toolgauge.mcp_server.app import ServerOptions
from toolgauge.settings import Settings
from toolgauge.web.app import WebOptions, make_app
from toolgauge.web.auth import read_tokens

README = (Path(__file__).parents[2] / "README.md").read_text()
SECTION = README.split("## For agents\n", 1)[1].split("\n## ")[0]
JSON_BLOCKS = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)]
CLAUDE = [shlex.split(line) for line in SECTION.splitlines() if line.startswith("claude mcp add")]
TOKEN = "a" * 20
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def block_of(key: str) -> dict[str, Any]:
    """Return the one server of the JSON block for a host."""
    (block,) = [block for block in JSON_BLOCKS if key in block]
    assert set(block) == {key}
    ((name, server),) = block[key].items()
    assert name == "toolgauge"
    return server


def test_cursors_file_names_a_command() -> None:
    assert set(block_of("mcpServers")) == {"command", "args"}


def test_vs_codes_file_names_the_transport_too() -> None:
    server = block_of("servers")
    assert server.pop("type") == "stdio"
    assert server == block_of("mcpServers")


def test_claude_code_is_given_the_same_command() -> None:
    (local,) = [words for words in CLAUDE if "--" in words]
    split = local.index("--")
    cursor = block_of("mcpServers")
    assert local[3:split] == ["toolgauge"]
    assert local[split + 1 :] == [cursor["command"], *cursor["args"]]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_command_answers_as_our_server(tmp_path: Path, mode: str) -> None:
    server = block_of("mcpServers")
    # what an installation puts on the path under this name
    (script,) = entry_points(group="console_scripts", name=server["command"])
    code = f"import sys; from {script.module} import {script.attr}; sys.exit({script.attr}())"
    parameters = StdioServerParameters(
        command=sys.executable, args=["-c", code, *server["args"]], cwd=str(tmp_path)
    )
    async with Client(parameters, mode=mode) as client:
        assert client.server_info.name == "toolgauge"
        assert (await client.list_tools()).tools


@pytest.mark.anyio
async def test_the_address_and_the_header_reach_what_serve_serves(tmp_path: Path) -> None:
    (remote,) = [words for words in CLAUDE if "--transport" in words]
    (address,) = [word for word in remote if word.startswith("http://")]
    name, _, value = remote[remote.index("--header") + 1].partition(": ")
    parts, defaults = urlsplit(address), inspect.signature(serve).parameters
    assert remote[remote.index("--transport") + 1] == "http"
    assert (parts.hostname, parts.port) == (defaults["host"].default, defaults["port"].default)

    (stated,) = re.findall(r'TOOLGAUGE_TOKENS="(.*?)" toolgauge serve', SECTION)
    tokens = read_tokens(stated.replace("$TOKEN", TOKEN))
    options = ServerOptions(Settings({}), f"sqlite:///{tmp_path}/toolgauge.db", is_durable=False)
    headers = {
        name: value.replace("$TOKEN", TOKEN),
        "Accept": "application/json, text/event-stream",
    }
    app = make_app(options, WebOptions("127.0.0.1", tokens))
    async with serving(app) as base, httpx2.AsyncClient(headers=headers) as http:
        answer = await http.post(base + parts.path, json=INITIALIZE)
    assert answer.status_code == 200
    assert '"name":"toolgauge"' in answer.text.replace(" ", "")
