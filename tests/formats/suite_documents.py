"""Builders of suite documents as plain data, and what loading says of them."""

from __future__ import annotations

from typing import Any

from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.suite_file import parse_suite

CASE: dict[str, Any] = {
    "id": "paris",
    "prompt": "Weather in Paris?",
    "expected_tool": "get_weather",
    "expected_params": {"city": "Paris"},
}
BARE: dict[str, Any] = {"id": "bare", "prompt": "Hello"}


def tool(name: str, **parameters: Any) -> dict[str, Any]:
    function: dict[str, Any] = {"name": name}
    return {"type": "function", "function": function | parameters}


TOOLS = [tool("get_weather"), tool("search"), tool("book")]


def suite(*cases: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"name": "s", "tools": TOOLS, "test_cases": list(cases) or [CASE]} | fields


def problems(data: Any) -> tuple[Problem, ...]:
    try:
        parse_suite(data, file="suite.yaml")
    except InvalidFile as error:
        return error.problems
    return ()


def paths(data: Any) -> list[str]:
    return [problem.path for problem in problems(data)]


def warnings(data: Any) -> dict[str, str]:
    found = parse_suite(data, file="suite.yaml").warnings
    return {problem.path: problem.message for problem in found}
