"""How long the action takes on 100 cases and a recorded target: install, import, run, report.

    python benchmarks/action.py [CASES]

Runs the real steps of ``action.yml`` in bash, in a repository made for it; uv starts with
an empty cache, then with a full one. Needs uv, git and a package registry.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
STEPS = {
    one["id"]: one
    for one in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    if "id" in one
}
# the step's own module, with clocks around what it imports and around the gate
TIMED = """
import json, sys, time
begun = time.perf_counter()
from toolgauge_action import __main__ as action
imported = time.perf_counter()
spent = []
class Timed(action.Engine):
    def __call__(self, *given):
        since = time.perf_counter()
        try:
            return super().__call__(*given)
        finally:
            spent.append(time.perf_counter() - since)
action.Engine = Timed
action.main()
done = time.perf_counter()
print(json.dumps({"import": imported - begun, "run": spent[0],
    "report": done - imported - spent[0], "litellm": "litellm" in sys.modules}))
"""
TOOLS = ["search", "book", "cancel", "track", "refund"]


def main(cases: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        workspace = make_repository(place, cases)
        env = environment(place, workspace)
        print(f"{cases} cases, replayed; {os.cpu_count()} cores")
        print(f"install, empty cache  {timed_install(place, env, 'one'):6.2f} s")
        print(f"install, full cache   {timed_install(place, env, 'two'):6.2f} s")
        python = place / "temp" / "toolgauge" / "venv" / "bin" / "python"
        seconds = [timed_run(python, workspace, env) for _ in range(3)]
        for phase in ("import", "run", "report"):
            print(f"{phase:<20}  {min(one[phase] for one in seconds):6.2f} s")
        print(f"litellm imported      {any(one['litellm'] for one in seconds)}")


def timed_install(place: Path, env: dict[str, str], name: str) -> float:
    outputs = place / f"output-{name}"
    since = time.perf_counter()
    bash(STEPS["install"]["run"], env | STEPS["install"]["env"] | {"GITHUB_OUTPUT": str(outputs)})
    return time.perf_counter() - since


def timed_run(python: Path, workspace: Path, env: dict[str, str]) -> dict[str, float]:
    done = subprocess.run(
        [python, "-I", "-X", "utf8", "-c", TIMED],
        cwd=workspace,
        env=env,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    outputs = Path(env["GITHUB_OUTPUT"]).read_text()
    assert "\npass\n" in outputs, outputs
    return json.loads(done.stdout.splitlines()[-1])


def make_repository(place: Path, cases: int) -> Path:
    workspace = place / "workspace"
    (workspace / "evals").mkdir(parents=True)
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}},
                    "required": ["id"],
                },
            },
        }
        for name in TOOLS
    ]
    asked = [
        {
            "id": f"case-{n}",
            "prompt": f"Please {TOOLS[n % 5]} {n}",
            "expected_tool": TOOLS[n % 5],
            "expected_params": {"id": str(n)},
        }
        for n in range(cases)
    ]
    suite = {"name": "desk", "tools": tools, "test_cases": asked}
    (workspace / "evals" / "desk.json").write_text(json.dumps(suite))
    (workspace / "evals" / "answers.jsonl").write_text("\n".join(map(recorded, asked)))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Begin"]):
        git(workspace, *command)
    return workspace


def recorded(case: dict[str, object]) -> str:
    function = {"name": case["expected_tool"], "arguments": json.dumps(case["expected_params"])}
    call = {"id": "1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return json.dumps(
        {"case_id": case["id"], "target": "recorded", "repeat": 0, "messages": [message]}
    )


def environment(place: Path, workspace: Path) -> dict[str, str]:
    temp = place / "temp"
    temp.mkdir()
    sha = git(workspace, "rev-parse", "HEAD")
    event = place / "event.json"
    event.write_text(json.dumps({"before": sha, "repository": {"id": 1, "default_branch": "main"}}))
    kept = {
        name: os.environ[name] for name in os.environ if not name.startswith(("GITHUB_", "INPUT_"))
    }
    return kept | {
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_OUTPUT": str(place / "output"),
        "GITHUB_REPOSITORY": "octo/desk",
        "GITHUB_RUN_ID": "1",
        "GITHUB_SHA": sha,
        "GITHUB_STEP_SUMMARY": str(place / "summary"),
        "GITHUB_WORKSPACE": str(workspace),
        "INPUT_BASELINE": "rerun",
        "INPUT_MODEL": "replay/evals/answers.jsonl",
        "RUNNER_OS": "Linux",
        "RUNNER_TEMP": str(temp),
        "UV_CACHE_DIR": str(place / "cache"),
    }


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(
        ["git", "-C", folder, *who, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def bash(script: str, env: dict[str, str]) -> None:
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], env=env, check=True
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
