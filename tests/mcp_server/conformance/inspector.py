"""The Inspector's command line as a client of ours: over stdio and HTTP, in both eras."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_server.conformance.node import INSPECTOR, run
from mcp_server.conformance.product import TOOLGAUGE, serving_product
from mcp_server.conformance.scenarios import Tell, Verdict

TOKEN = "only-for-this-hour"
OK, NO_TOKEN, TOOL_ERROR = 0, 3, 5
"""What the Inspector exits with."""

LIST = ("--method", "tools/list")
PORTABLE = (*LIST, "--strict")
"""Exits with 6 where some host could not read a schema."""

CALL = ("--method", "tools/call", "--tool-name")


@dataclass(frozen=True, slots=True)
class Inspection:
    """One call of the Inspector: what it should exit with, and a word its output should have."""

    name: str
    arguments: tuple[str, ...]
    code: int = OK
    word: str = ""


async def inspections(home: Path, tell: Tell) -> None:
    """Run all, in both eras."""
    database = f"sqlite:///{home}/inspector.db"
    stdio = (*TOOLGAUGE, "mcp", "--database", database)
    async with serving_product(home, tokens=f"inspector:{TOKEN}") as url:
        for era in ("legacy", "modern"):
            tell(await _inspected(era, stdio, (url, "--transport", "http"), home))


async def _inspected(
    era: str, stdio: tuple[str, ...], http: tuple[str, ...], home: Path
) -> Verdict:
    known = ("--header", f"Authorization: Bearer {TOKEN}")
    suites = (*CALL, "list_suites", "--tool-args-json", json.dumps({"limit": 1}))
    unknown_run = (*CALL, "get_run", "--tool-args-json", json.dumps({"run_id": "zz"}))
    wrong: list[str] = []
    cases = [
        Inspection("list, stdio", (*stdio, *LIST), OK, "start_run"),
        Inspection("portable schemas, stdio", (*stdio, *PORTABLE), OK, "start_run"),
        Inspection("call, stdio", (*stdio, *suites), OK, '"total"'),
        Inspection("tool error, stdio", (*stdio, *unknown_run), TOOL_ERROR, "No run 'zz'"),
        Inspection("list, HTTP", (*http, *known, *LIST), OK, "start_run"),
        Inspection("portable schemas, HTTP", (*http, *known, *PORTABLE), OK, "start_run"),
        Inspection("call, HTTP", (*http, *known, *suites), OK, '"total"'),
        Inspection("tool error, HTTP", (*http, *known, *unknown_run), TOOL_ERROR, "No run 'zz'"),
        Inspection("no token", (*http, *LIST), NO_TOKEN),
    ]
    for case in cases:
        options = ("--protocol-era", era, "--format", "json", "-q")
        code, output, errors = await run(INSPECTOR, "--cli", *case.arguments, *options, home=home)
        if code != case.code or case.word not in json.dumps(_read(output)):
            wrong.append(f"{case.name}: exit code {code}, not {case.code}\n{output}{errors}")
    passed = len(cases) - len(wrong)
    return Verdict(f"Inspector, {era}", passed, len(wrong), not wrong, "\n".join(wrong))


def _read(output: str) -> Any:
    return json.loads(output) if output.strip() else None
