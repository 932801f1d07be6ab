"""Runs of the conformance suites, and what is expected of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mcp_server.conformance.fixture_app import serving_fixtures
from mcp_server.conformance.node import HERE, NEXT, RELEASED, run
from mcp_server.conformance.product import serving_product

LEGACY, MODERN = "2025-11-25", "2026-07-28"
NEEDS_INPUT_INSIDE_A_TASK = "tasks-mrtr-input"
"""Uses confirm_delete and multi_input, which ask while the task goes on; no task of ours asks."""

CHECKS_NOTHING_YET = "tasks-status-notifications"
"""The suite skips it; test_task_notices.py tests it."""

_TOTAL = re.compile(r"^Total: (\d+) passed, (\d+) failed", re.MULTILINE)
_ONE = re.compile(r"^Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings", re.MULTILINE)
_TASKS = re.compile(r"^\s+- (tasks-[a-z-]+) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one set of scenarios: how many checks passed and failed, and whether all is expected."""

    name: str
    passed: int
    failed: int
    is_expected: bool
    output: str = ""


Tell = Callable[[Verdict], None]


@dataclass(frozen=True, slots=True)
class Suites:
    """The suites, put on the server at an address."""

    url: str
    home: Path

    async def all_of(
        self, name: str, script: Path, version: str, *, expected: Path | None = None
    ) -> Verdict:
        """Run every scenario of a version of the protocol; a file names those expected to fail."""
        options = ["--suite", "all", "--spec-version", version]
        if expected:
            options += ["--expected-failures", str(expected)]
        code, output, errors = await self._asked(script, *options)
        total = _TOTAL.search(output)
        passed, failed = (int(total[1]), int(total[2])) if total else (0, 0)
        return Verdict(name, passed, failed, code == 0 and passed > 0, output + errors)

    async def of_tasks(self) -> list[str]:
        """Return the scenarios of the tasks extension, which belong to no version.

        tasks-dispatch-and-envelope is among them; it passes over confirm_delete where that
        is missing.
        """
        _, listed, _ = await run(NEXT, "list", "--server", home=self.home)
        left_out = {NEEDS_INPUT_INSIDE_A_TASK, CHECKS_NOTHING_YET}
        return sorted(set(_TASKS.findall(listed)) - left_out)

    async def one(self, name: str) -> Verdict:
        """Run one scenario, in the newest version that it knows."""
        code, output, errors = await self._asked(NEXT, "--scenario", name)
        one = _ONE.search(output)
        passed, failed = (int(one[1]), int(one[3]) + int(one[4])) if one else (0, 0)
        is_clean = code == 0 and passed > 0 and failed == 0
        return Verdict(name, passed, failed, is_clean, output + errors)

    async def _asked(self, script: Path, *options: str) -> tuple[int, str, str]:
        return await run(script, "server", "--url", self.url, *options, home=self.home)


async def bare(home: Path, tell: Tell) -> None:
    """Judge the product as it is."""
    legacy, modern = HERE / f"bare-{LEGACY}.yml", HERE / f"bare-{MODERN}.yml"
    async with serving_product(home) as url:
        suites = Suites(url, home)
        tell(await suites.all_of("bare, released", RELEASED, LEGACY, expected=legacy))
        tell(await suites.all_of(f"bare, next, {LEGACY}", NEXT, LEGACY, expected=legacy))
        tell(await suites.all_of(f"bare, next, {MODERN}", NEXT, MODERN, expected=modern))


async def with_fixtures(home: Path, tell: Tell) -> None:
    """Judge the product's app with all that the suites ask for: nothing may fail."""
    async with serving_fixtures(home) as url:
        suites = Suites(url, home)
        tell(await suites.all_of("fixtures, released", RELEASED, LEGACY))
        tell(await suites.all_of(f"fixtures, next, {LEGACY}", NEXT, LEGACY))
        tell(await suites.all_of(f"fixtures, next, {MODERN}", NEXT, MODERN))
        for name in await suites.of_tasks():
            tell(await suites.one(name))
