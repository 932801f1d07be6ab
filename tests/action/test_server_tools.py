"""Suites whose tools are those of the repository's own MCP server, on GitHub."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
import yaml

from action.checkout import PROJECT
from action.desk import GOOD, SUITE, Desk
from action.runner_simulator import Job

SERVER = (PROJECT / "server.py").read_text()
WORSE = {"server.py": SERVER.replace(GOOD, "Renews.")}
CONFIG = ".toolgauge.yml"


def config(*args: str, **fields: Any) -> str:
    """Return a project file whose server ``desk`` is the program with these arguments."""
    server = {"command": sys.executable, "args": list(args)} | fields
    return yaml.safe_dump({"mcp_servers": {"desk": server}})


def suite() -> str:
    return yaml.safe_dump(
        yaml.safe_load((PROJECT / SUITE).read_text()) | {"tools": [{"mcp": "desk"}]}
    )


@pytest.fixture
def served(desk: Desk) -> Desk:
    """The sample repository, whose suite asks for the tools of its own server."""
    stated = config("server.py", env={"PASS": "${DESK_PASS}"})
    desk.origin.first = desk.origin.change("Serve", {CONFIG: stated, SUITE: suite()})
    desk.runner.env["DESK_PASS"] = "desk-pass-0123456789"
    return desk


def looking(server: str) -> str:
    """Return a server that writes its environment down before it begins."""
    look = (
        "import json, os, sys\nopen(sys.argv[1], 'a').write(json.dumps(dict(os.environ)) + '\\n')"
    )
    return server.replace("server = MCPServer", f"{look}\nserver = MCPServer")


def said(job: Job) -> str:
    return " ".join(one["message"] for one in job.annotations)


def test_a_server_gets_no_variable_that_the_workflow_does_not_allow(served: Desk) -> None:
    served.runner.env["TOOLGAUGE_MCP_ENV"] = "DESK_PASS"
    job = served.pushed()
    assert job.exit_code == 2
    assert "wants ${DESK_PASS}, which nobody allowed" in said(job)
    assert "allow-env" in said(job)


def test_a_fork_is_gated_on_its_server_but_starts_only_what_the_base_names(served: Desk) -> None:
    served.inputs["allow_env"] = "DESK_PASS"
    assert served.pushed().exit_code == 0
    script = "import os, json; open('started', 'w').write(json.dumps(dict(os.environ)))"
    files: dict[str, str | None] = {**WORSE, CONFIG: config("-c", script)}
    job = served.proposed(files, event={"fork": True})
    assert (job.exit_code, job.outputs["verdict"]) == (1, "fail")
    assert "renew" in served.github.bodies()[0]
    assert not list(served.folder.rglob("started"))


def test_a_server_that_only_the_proposal_names_is_not_started(desk: Desk) -> None:
    script = "open('started', 'w')"
    job = desk.proposed({CONFIG: config("-c", script), SUITE: suite()}, event={"fork": True})
    assert job.exit_code == 2
    assert "'desk', which the project file of the base does not name" in said(job)
    assert not list(desk.folder.rglob("started"))


def test_the_base_that_is_asked_again_lists_its_own_tools_and_hands_on_no_key(
    served: Desk,
) -> None:
    seen = served.folder.parent / "seen.jsonl"
    served.origin.first = served.origin.change(
        "Look", {CONFIG: config("server.py", str(seen)), "server.py": looking(SERVER)}
    )
    served.runner.env["OPENAI_API_KEY"] = "sk-live-0123456789"
    worse = {"server.py": looking(WORSE["server.py"])}
    job = served.proposed(worse, baseline="rerun")
    assert (job.exit_code, job.outputs["verdict"]) == (1, "fail")
    assert float(job.outputs["delta"]) < 0
    given = [json.loads(line) for line in seen.read_text().splitlines()]
    assert len(given) == 2
    assert "0123456789" not in seen.read_text()
    assert all(set(one) <= {"HOME", "PATH", "LC_CTYPE", "USER", "LOGNAME"} for one in given)
