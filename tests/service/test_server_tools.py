from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from toolgauge.errors import UsageError
from toolgauge.formats.project_file import McpServerDocument
from toolgauge.formats.suite_file import LoadedSuite, parse_suite
from toolgauge.service.project import Project
from toolgauge.service.server_tools import with_server_tools
from toolgauge.service.suites import server_names
from toolgauge.settings import Settings

pytestmark = pytest.mark.anyio
PROGRAM = Path(__file__).parents[1] / "formats" / "mcp_server_program.py"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
OWN = {"type": "function", "function": {"name": "own"}}
CASE = {"id": "paris", "prompt": "Weather in Paris?", "expected_tool": "get_weather"}


@pytest.fixture
def project(tmp_path: Path) -> Any:
    """A project whose server ``plain`` lists these tools."""

    def of(*tools: dict[str, Any]) -> Project:
        (tmp_path / "pages.json").write_text(json.dumps([{"tools": tools}]))
        stated = McpServerDocument(command=sys.executable, args=[str(PROGRAM), "pages.json"])
        return Project(mcp_servers={"plain": stated}, folder=tmp_path)

    return of


def suite(*tools: Any, **case: Any) -> LoadedSuite:
    body = {"name": "weather", "tools": list(tools), "test_cases": [CASE, CASE | case]}
    return parse_suite(body, file="weather.yaml")


async def test_tools_of_a_server_take_the_place_of_its_name(project: Any) -> None:
    here = project({"name": "get_weather", "description": "Weather.", "inputSchema": SCHEMA})
    loaded = suite(OWN, {"mcp": "plain"}, id="own", tools=[{"mcp": "plain"}])
    plain = suite(OWN, id="b")
    (filled, same) = await with_server_tools([loaded, plain], here, Settings({}))
    assert [tool.name for tool in filled.document.tools] == ["own", "get_weather"]
    assert [tool.name for tool in filled.document.test_cases[1].tools or ()] == ["get_weather"]
    assert filled.document.tools[1].parameters == SCHEMA
    assert server_names(loaded.document) == ("plain",)
    assert server_names(filled.document) == ()
    assert same is plain
    assert filled.warnings == ()


async def test_what_is_odd_shows_once_the_tools_are_known(project: Any) -> None:
    here = project({"name": "get_wether", "inputSchema": {"properties": {"a": {"type": "int"}}}})
    (filled,) = await with_server_tools([suite({"mcp": "plain"}, id="b")], here, Settings({}))
    told = [str(one) for one in filled.warnings]
    assert "MCP server 'plain': tool 'get_wether' has no description" in told[0]
    assert any("is no JSON Schema" in one for one in told)
    assert any("'get_weather' is not among the tools; did you mean" in one for one in told)
    assert filled.document.tools[0].parameters == {"type": "object"}


async def test_a_server_that_the_project_does_not_name_is_never_reached(project: Any) -> None:
    with pytest.raises(UsageError, match="no MCP server 'other'"):
        await with_server_tools([suite({"mcp": "other"}, id="b")], project(), Settings({}))
