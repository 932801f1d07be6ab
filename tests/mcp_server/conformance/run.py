"""Lets others' programs judge the MCP server: ``python tests/mcp_server/conformance/run.py``.

The conformance suites, released and next, in both eras, on the product as it is and on the
product's app with the suites' fixtures; then the Inspector's command line. ``npm ci`` in this
folder comes first. Prints a line per set of scenarios; exits with 1 on any surprise.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "server")]

import anyio  # noqa: E402 - after the path above, as all that follows
from mcp import MCPDeprecationWarning  # noqa: E402

from mcp_server.conformance.inspector import inspections  # noqa: E402
from mcp_server.conformance.scenarios import Verdict, bare, with_fixtures  # noqa: E402


async def main(folder: Path) -> int:
    # the suites ask for what the newest protocol leaves out, and send what must be refused
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    logging.disable(logging.WARNING)
    verdicts: list[Verdict] = []

    def tell(verdict: Verdict) -> None:
        verdicts.append(verdict)
        surprise = "" if verdict.is_expected else "  UNEXPECTED"
        counts = f"{verdict.passed:>4} passed, {verdict.failed:>3} failed"
        print(f"{verdict.name:<30} {counts}{surprise}", flush=True)

    async with anyio.create_task_group() as tasks:
        for judge in (bare, with_fixtures, inspections):
            home = folder / judge.__name__
            home.mkdir()
            tasks.start_soon(judge, home, tell)
    surprises = [verdict for verdict in verdicts if not verdict.is_expected]
    for verdict in surprises:
        print(f"\n== {verdict.name}\n{verdict.output}")
    print(f"{len(verdicts) - len(surprises)} sets as expected, {len(surprises)} not")
    return 1 if surprises else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        raise SystemExit(anyio.run(main, Path(temporary)))
