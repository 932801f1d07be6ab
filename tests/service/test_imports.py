from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolgauge.errors import InvalidFile, MissingSetting, UsageError
from toolgauge.formats.mcp_tools import Address, ListedTools, Program
from toolgauge.model.suite import SuiteDocument
from toolgauge.model.tools import ToolSpec
from toolgauge.service import imports
from toolgauge.service.permissions import Permissions
from toolgauge.settings import Settings

PROGRAM = Path(__file__).parents[1] / "formats" / "mcp_server_program.py"
TOOL = {"name": "get_weather", "description": "Weather.", "inputSchema": {"type": "object"}}
CASE = {"id": "paris", "prompt": "Weather in Paris?", "expected_tool": "get_weather"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a project file whose server lists one tool."""
    (tmp_path / "pages.json").write_text(json.dumps([{"tools": [TOOL]}]))
    servers = {
        "plain": {
            "command": sys.executable,
            "args": [str(PROGRAM), "pages.json"],
            "env": {"PLAIN_VERSION": "${VERSION}"},
        },
        "far": {"url": "https://far.example/sse", "headers": {"X-Api-Key": "${FAR_KEY}"}},
    }
    (tmp_path / ".toolgauge.yml").write_text(yaml.safe_dump({"mcp_servers": servers}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_servers_of_the_project_are_found_with_their_variables(project: Path) -> None:
    settings = Settings({"VERSION": "7", "FAR_KEY": "secret"})
    plain = imports.named_server("plain", settings)
    assert plain.env == {"PLAIN_VERSION": "7"}
    assert plain.cwd == project
    far = imports.named_server("far", settings)
    assert far == Address("https://far.example/sse", {"X-Api-Key": "secret"}, is_sse=True)


@pytest.mark.usefixtures("project")
def test_an_unknown_server_and_an_unset_variable_are_told() -> None:
    with pytest.raises(UsageError, match=r"no MCP server 'zz' in \.toolgauge\.yml \(there: far"):
        imports.named_server("zz", Settings({}))
    with pytest.raises(MissingSetting, match="needs FAR_KEY"):
        imports.named_server("far", Settings({}))


def test_only_what_is_allowed_is_reached_or_started() -> None:
    allowed = Permissions(urls=True, commands=True)
    assert imports.free_server("http://x/mcp", (), allowed) == Address("http://x/mcp")
    assert imports.free_server(None, ("a", "b"), allowed) == Program("a", ("b",))
    with pytest.raises(UsageError, match="starts with http"):
        imports.free_server("file:///etc/passwd", (), allowed)
    with pytest.raises(UsageError, match="addresses are not allowed"):
        imports.free_server("http://x/mcp", (), Permissions())
    with pytest.raises(UsageError, match="commands are not allowed"):
        imports.free_server(None, ("a",), Permissions())


@pytest.mark.anyio
@pytest.mark.usefixtures("project")
async def test_tools_of_a_server_take_the_place_of_its_name() -> None:
    body: dict[str, Any] = {
        "name": "weather",
        "tools": [{"mcp": "plain"}],
        "test_cases": [CASE, CASE | {"id": "own", "tools": [{"mcp": "plain"}]}],
    }
    document = SuiteDocument.model_validate(body)
    filled = await imports.with_server_tools(document, Settings({"VERSION": "1"}))
    assert [tool.name for tool in filled.tools] == ["get_weather"]
    assert [tool.name for tool in filled.test_cases[1].tools or ()] == ["get_weather"]
    assert (
        SuiteDocument.model_validate(filled.model_dump(mode="json", exclude_unset=True)) == filled
    )


def test_imported_tools_are_checked_against_the_cases() -> None:
    document = SuiteDocument.model_validate({"name": "weather", "test_cases": [CASE]})
    spec = {"type": "function", "function": {"name": "get_weather", "description": "Weather."}}
    loaded = imports.loaded_with(document, ListedTools((ToolSpec.model_validate(spec),), ()))
    assert [tool.name for tool in loaded.document.tools] == ["get_weather"]


@pytest.mark.anyio
async def test_a_broken_dataset_is_told_without_the_place_it_was_kept_at() -> None:
    with pytest.raises(InvalidFile) as refused:
        await imports.import_content("suite", '{"name": "x"}', ".json")
    assert refused.value.file == "the suite content"
    with pytest.raises(UsageError, match="a dataset is"):
        await imports.import_content("suite", "{}", "../../x")
