"""A runner that runs the steps of the real ``action.yml``, one after another.

``run`` steps are started as the runner starts them, in bash; ``uses`` steps are stood in
for. Everything that they write is read as the runner reads it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from action.expressions import fill, is_true
from action.github_double import REPOSITORY, WORKFLOW, GitHubDouble
from action.runner_log import MOST_SUMMARY, StepLog, read_log, read_pairs

ROOT = Path(__file__).parents[2]
TOKEN = "ghs_simulatedtoken0123456789abcdef"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
# uv itself would ask a registry: its stand-in checks what it is asked and lends the tests' packages
UV = f"""#!/usr/bin/env bash
set -euo pipefail
case "$1" in
  venv) exec {sys.executable} -I -m venv --without-pip --system-site-packages "${{!#}}" ;;
  pip)
    [[ " $* " == *" --require-hashes "* && -f "${{!#}}" && "$UV_NO_CONFIG" == 1 ]] || exit 9
    python=""
    while [ $# -gt 0 ]; do if [ "$1" = --python ]; then python=$2; fi; shift; done
    site=$("$python" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' '{sysconfig.get_path("purelib")}' > "$site/lent.pth" ;;
  *) exit 9 ;;
esac
"""
# git itself, with a note of the environment that it was given
GIT = """#!/usr/bin/env bash
env > "{children}/$$"
exec {git} "$@"
"""


@dataclass
class Job:
    """What one run of the action left behind."""

    exit_code: int
    outputs: dict[str, str]
    summary: str
    logs: list[StepLog]
    raw: str
    artifacts: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @property
    def annotations(self) -> list[dict[str, str]]:
        return [one for log in self.logs for one in log.annotations]

    @property
    def report(self) -> Any:
        return json.loads(next(iter(self.artifacts.values()))["report.json"])


class Runner:
    """One machine, with a temporary folder of its own. ``env`` is what the workflow gives.

    ``children`` holds the environments that git was started with.
    """

    def __init__(self, temp: Path, github: GitHubDouble, **env: str) -> None:
        self.temp = temp
        self.github = github
        self.env = env
        self._next_run = iter(range(5000, 6000))
        self._tools = temp / "tools"
        self._tools.mkdir(parents=True)
        self.children = temp / "children"
        self.children.mkdir()
        self._put("uv", UV)
        self._put("git", GIT.format(git=shutil.which("git"), children=self.children))

    def _put(self, name: str, script: str) -> None:
        (self._tools / name).write_text(script)
        (self._tools / name).chmod(0o755)

    def run(
        self, workspace: Path, event_name: str, event: dict[str, Any], *, sha: str, **inputs: str
    ) -> Job:
        """Return what becomes of the action under an event; ``inputs`` by their Python names."""
        folder = self.temp / f"job-{next(self._next_run)}"
        files = folder / "runner"
        files.mkdir(parents=True)
        (files / "event.json").write_text(json.dumps(event))
        env = self._environment(folder, workspace, event_name, sha)
        steps = _Steps(self, folder, env, inputs=_inputs(inputs), cwd=workspace)
        return steps.run()

    def _environment(self, folder: Path, workspace: Path, event: str, sha: str) -> dict[str, str]:
        temp = folder / "temp"
        temp.mkdir()
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_ACTOR": "octocat",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(folder / "runner" / "event.json"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": folder.name.removeprefix("job-"),
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": sha,
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/{WORKFLOW}@refs/heads/main",
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(temp),
            "ACTIONS_RUNTIME_TOKEN": "runtime-token-0123456789",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "oidc-token-0123456789",
            **self.env,
        }


def _inputs(given: dict[str, str]) -> dict[str, str]:
    named = {name.replace("_", "-"): value for name, value in given.items()}
    assert set(named) <= set(ACTION["inputs"]), "the action has no such input"
    defaults = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
    assert all(isinstance(value, str) for value in defaults.values()), "inputs are strings"
    return {name: fill(value, {"token": TOKEN}) for name, value in (defaults | named).items()}


class _Steps:
    def __init__(
        self,
        runner: Runner,
        folder: Path,
        env: dict[str, str],
        *,
        inputs: dict[str, str],
        cwd: Path,
    ) -> None:
        self.runner, self.folder, self.env, self.cwd = runner, folder, env, cwd
        self.context: dict[str, Any] = {
            "inputs": inputs,
            "steps": {},
            "token": TOKEN,
            "success": True,
        }
        self.job = Job(0, {}, "", [], "")

    def run(self) -> Job:
        for number, step in enumerate(ACTION["runs"]["steps"]):
            if is_true(step.get("if", "'true'"), self.context):
                code = self._uses(step) if "uses" in step else self._bash(step, number)
                if code:
                    self.context["success"] = False
                    self.job.exit_code = self.job.exit_code or code
        self.job.outputs = {
            name: fill(one["value"], self.context) for name, one in ACTION["outputs"].items()
        }
        return self.job

    def _uses(self, step: dict[str, Any]) -> int:
        given = {key: fill(str(value), self.context) for key, value in step["with"].items()}
        name = step["uses"].partition("@")[0]
        if name == "astral-sh/setup-uv":
            self.env["PATH"] = f"{self.runner._tools}:{self.env['PATH']}"
        elif name == "actions/upload-artifact":
            folder = Path(given["path"])
            self.job.artifacts[given["name"]] = {
                str(path.relative_to(folder)): path.read_bytes()
                for path in folder.rglob("*")
                if path.is_file()
            }
        else:
            raise AssertionError(f"no stand-in for {name}")
        return 0

    def _bash(self, step: dict[str, Any], number: int) -> int:
        assert "${{" not in step["run"], "expressions in scripts are injections"
        files = {
            name: self.folder / "runner" / f"{name}-{number}"
            for name in ("output", "summary", "env", "path", "state")
        }
        for file in files.values():
            file.touch()
        script = self.folder / "runner" / f"step-{number}.sh"
        script.write_text(step["run"])
        env = self.env | {
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "GITHUB_ENV": str(files["env"]),
            "GITHUB_PATH": str(files["path"]),
            "GITHUB_STATE": str(files["state"]),
            **{key: fill(str(value), self.context) for key, value in step.get("env", {}).items()},
        }
        cwd = self.cwd / fill(step.get("working-directory", "."), self.context)
        done = subprocess.run(
            [shutil.which("bash"), "--noprofile", "--norc", "-eo", "pipefail", script],
            env=env,
            cwd=cwd,
            check=False,
            timeout=180,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        output = done.stdout.decode(errors="surrogateescape")
        log = read_log(output)
        self.job.raw += output
        self.job.logs.append(log)
        assert files["env"].read_bytes() == files["path"].read_bytes() == b""
        outputs = read_pairs(files["output"].read_text()) | log.outputs
        self.context["steps"][step.get("id", str(number))] = outputs
        summary = files["summary"].read_bytes()
        self.job.summary += summary.decode() if len(summary) <= MOST_SUMMARY else ""
        return done.returncode
