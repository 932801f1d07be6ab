from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml

from toolgauge.errors import InvalidFile, MissingSetting, UsageError
from toolgauge.formats.mcp_tools import Address, ListedTools, Program
from toolgauge.model.suite import SuiteDocument
from toolgauge.model.tools import ToolSpec
from toolgauge.service import imports
from toolgauge.service.permissions import Permissions
from toolgauge.service.project import Project, open_project
from toolgauge.service.tool_suites import loaded_with
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
    allowed = {"TOOLGAUGE_MCP_ENV": "VERSION, FAR_KEY"}
    settings = Settings({"VERSION": "7", "FAR_KEY": "secret"} | allowed)
    plain = imports.named_server("plain", settings)
    assert plain.env == {"PLAIN_VERSION": "7"}
    assert plain.cwd == project
    far = imports.named_server("far", settings)
    headers = {"X-Api-Key": "secret"}
    assert far == Address("https://far.example/sse", headers, is_sse=True, secrets=("secret",))
    assert "secret" not in repr(far)


@pytest.mark.usefixtures("project")
def test_an_unknown_server_and_an_unset_variable_are_told() -> None:
    with pytest.raises(UsageError, match=r"no MCP server 'zz' in \.toolgauge\.yml \(there: far"):
        imports.named_server("zz", Settings({}))
    with pytest.raises(MissingSetting, match="needs FAR_KEY"):
        imports.named_server("far", Settings({"TOOLGAUGE_MCP_ENV": "FAR_KEY"}))


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("allowed", [{}, {"TOOLGAUGE_MCP_ENV": "FAR"}])
def test_a_project_file_gets_no_variable_that_nobody_allowed(allowed: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="TOOLGAUGE_MCP_ENV=FAR_KEY") as refused:
        imports.named_server("far", Settings({"FAR_KEY": "secret"} | allowed))
    assert "secret" not in str(refused.value)


def test_the_project_that_was_opened_is_asked_and_no_other(tmp_path: Path) -> None:
    other = tmp_path / "other.yml"
    other.write_text(yaml.safe_dump({"mcp_servers": {"mine": {"command": "mine"}}}))
    found = imports.named_server("mine", Settings({}), open_project(other))
    assert found == Program("mine", cwd=tmp_path)
    with pytest.raises(UsageError, match="no MCP server 'mine'"):
        imports.named_server("mine", Settings({}), Project())


def test_secrets_come_from_variables_and_are_never_shown() -> None:
    settings = Settings({"TOKEN": "s3cret", "FULL": "Basic abc", "EMPTY": ""})
    address = Address("http://x/mcp")
    sent = imports.with_variables(address, {"Authorization": "TOKEN", "X-Key": "FULL"}, settings)
    assert sent.headers == {"Authorization": "Bearer s3cret", "X-Key": "Basic abc"}
    basic = imports.with_variables(address, {"authorization": "FULL"}, settings)
    assert basic.headers == {"authorization": "Basic abc"}
    started = imports.with_variables(Program("a"), {"TOKEN": "TOKEN"}, settings)
    assert (started.env, started.secrets) == ({"TOKEN": "s3cret"}, ("s3cret",))
    for given in ("sk_live_0123", "EMPTY"):
        with pytest.raises(MissingSetting, match=r"Authorization: .* not set") as refused:
            imports.with_variables(address, {"Authorization": given}, settings)
        assert given not in str(refused.value)


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


def test_imported_tools_are_checked_against_the_cases() -> None:
    document = SuiteDocument.model_validate({"name": "weather", "test_cases": [CASE]})
    spec = {"type": "function", "function": {"name": "get_weather", "description": "Weather."}}
    loaded = loaded_with(document, ListedTools((ToolSpec.model_validate(spec),), ()))
    assert [tool.name for tool in loaded.document.tools] == ["get_weather"]
    listed = ListedTools((ToolSpec.model_validate(spec),), ())
    drafts = loaded_with(document, listed, draft_cases=True).document
    assert [case.id for case in drafts.test_cases] == ["paris", "draft-get_weather"]
    assert loaded_with(drafts, listed, draft_cases=True).document == drafts


@pytest.mark.anyio
async def test_a_broken_dataset_is_told_without_the_place_it_was_kept_at() -> None:
    with pytest.raises(InvalidFile) as refused:
        await imports.import_content("suite", '{"name": "x"}', ".json")
    assert refused.value.file == "the suite content"
    with pytest.raises(UsageError, match="a dataset is"):
        await imports.import_content("suite", "{}", "../../x")
