from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import markdown_it
import pytest

from toolgauge.mcp_server import tool_docs

PAGE = Path(tool_docs.__file__).with_name("TOOLS.md")
REVIEWED = json.loads(Path(__file__).with_name("tools_list.json").read_text())


def section_of(tool: str) -> str:
    return PAGE.read_text().split(f"### `{tool}`\n", 1)[1].split("\n### ")[0]


def test_the_page_is_that_of_the_tools(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "toolgauge.mcp_server.tool_docs", str(tmp_path / "TOOLS.md")]
    subprocess.run(command, check=True, timeout=60)
    assert PAGE.read_text() == (tmp_path / "TOOLS.md").read_text(), "run: make schemas"


@pytest.mark.parametrize("tool", REVIEWED, ids=lambda tool: tool["name"])
def test_every_tool_is_told_with_its_arguments_effects_and_result(tool) -> None:
    section = section_of(tool["name"])
    arguments = tool["input"].get("properties", {})
    rows = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert rows == list(arguments)
    assert section.count("| required |") == len(tool["input"].get("required", ()))
    assert ("reads only" in section) is tool["annotations"]["read_only_hint"]
    assert ("**deletes" in section) is bool(tool["annotations"].get("destructive_hint"))
    assert ("**reaches" in section) is tool["annotations"]["open_world_hint"]
    assert all(f"`{name}`" in section for name in {*tool["output"]} - {"clipped", "resource"})


def test_the_page_renders_to_tables_and_no_code_blocks() -> None:
    html = markdown_it.MarkdownIt("commonmark").enable("table").render(PAGE.read_text())
    with_arguments = [tool for tool in REVIEWED if tool["input"].get("properties")]
    assert html.count("<table>") == len(with_arguments)
    assert "<pre>" not in html


def test_a_file_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert tool_docs.main([]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
