"""Payloads of events: GitHub's published examples, with what a test is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from action.github_double import FORK_ID, REPOSITORY_ID

_EXAMPLES = json.loads((Path(__file__).parent / "vendor" / "events.json").read_text())


def published(name: str, action: str = "") -> dict[str, Any]:
    event = json.loads(json.dumps(_EXAMPLES[name][action]))
    event["repository"] |= {"id": REPOSITORY_ID, "default_branch": "main"}
    return event


def pull_request(
    head: str,
    *,
    number: int = 1,
    action: str = "synchronize",
    fork: bool = False,
    branch: str = "tidy-up",
    label: str | None = None,
) -> dict[str, Any]:
    event = published("pull_request", action)
    pull = event["pull_request"] | {"number": number, "title": f"Tidy up {branch}"}
    pull["head"] |= {"sha": head, "ref": branch}
    pull["head"]["repo"] |= {"id": FORK_ID if fork else REPOSITORY_ID}
    pull["base"]["repo"] = pull["base"]["repo"] | {"id": REPOSITORY_ID}
    pull["base"] |= {"ref": "main"}
    if label is not None:
        event["label"]["name"] = label
    return event | {"number": number, "pull_request": pull}


def push(before: str, after: str) -> dict[str, Any]:
    return published("push") | {"before": before, "after": after, "ref": "refs/heads/main"}


def merge_group(base: str, head: str) -> dict[str, Any]:
    event = published("merge_group", "checks_requested")
    event["merge_group"] |= {"base_sha": base, "head_sha": head}
    return event


def workflow_run(run: dict[str, Any]) -> dict[str, Any]:
    event = published("workflow_run", "completed")
    event["workflow_run"] |= {
        "id": run["id"],
        "event": run["event"],
        "head_sha": run["head_sha"],
        "head_repository": event["workflow_run"]["head_repository"]
        | {"id": run["head_repository"]["id"]},
    }
    return event
