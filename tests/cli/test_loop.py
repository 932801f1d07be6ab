from __future__ import annotations

import subprocess
import sys

import pytest

SERVE = "from toolgauge.cli.mcp import mcp; mcp()"
WORK = "from toolgauge.cli.stored import with_store; with_store(None, f)"


@pytest.mark.parametrize("work", [SERVE, WORK])
def test_what_runs_for_long_collects_garbage_though_imports_turned_it_off(
    work: str, environment: dict[str, str]
) -> None:
    code = f"import gc\nasync def f(_a, _b): pass\ngc.disable(); {work}; print(gc.isenabled())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "True\n", done.stderr
