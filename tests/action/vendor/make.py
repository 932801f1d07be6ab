"""Cuts what the tests need out of GitHub's own descriptions.

    npm pack @octokit/openapi@23.0.2 @octokit/webhooks-examples@7.6.1   # then unpack both
    python make.py OPENAPI/generated/api.github.com.json WEBHOOKS/api.github.com/index.json

Writes ``github_api.json``, the resources that the action uses with their schemas as JSON
Schema and one example of each answer, and ``events.json``, one payload per event and action.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REPOSITORY = "/repos/{owner}/{repo}"
WANTED = {
    f"{REPOSITORY}/pulls/{{pull_number}}": ["get"],
    f"{REPOSITORY}/issues/{{issue_number}}/comments": ["get", "post"],
    f"{REPOSITORY}/issues/comments/{{comment_id}}": ["patch", "delete"],
    f"{REPOSITORY}/commits": ["get"],
    f"{REPOSITORY}/commits/{{commit_sha}}/pulls": ["get"],
    f"{REPOSITORY}/compare/{{basehead}}": ["get"],
    f"{REPOSITORY}/contents/{{path}}": ["get"],
    f"{REPOSITORY}/actions/artifacts": ["get"],
    f"{REPOSITORY}/actions/runs/{{run_id}}/artifacts": ["get"],
    f"{REPOSITORY}/actions/artifacts/{{artifact_id}}/{{archive_format}}": ["get"],
    f"{REPOSITORY}/actions/runs/{{run_id}}": ["get"],
}
EVENTS = {
    "pull_request": ["opened", "synchronize", "labeled", "unlabeled"],
    "workflow_run": ["completed"],
    "merge_group": ["checks_requested"],
    "push": [None],
    "workflow_dispatch": [None],
}
PROSE = {"description", "externalDocs", "summary", "tags", "x-github", "x-octokit", "title"}


def main(openapi: Path, webhooks: Path) -> None:
    description = json.loads(openapi.read_text())
    write("github_api.json", subset(description))
    write("events.json", events(json.loads(webhooks.read_text())))


def subset(description: dict[str, Any]) -> dict[str, Any]:
    resources = {}
    for path, methods in WANTED.items():
        shared = description["paths"][path].get("parameters", [])
        for method in methods:
            found = plain(resolved(description["paths"][path][method], description))
            found["parameters"] = [*plain(resolved(shared, description)), *found["parameters"]]
            resources[f"{method.upper()} {path}"] = found
    return {"resources": resources, "schemas": closure(resources, description)}


def resolved(value: Any, description: dict[str, Any]) -> Any:
    """Return a value with every reference but those to schemas replaced by what it names."""
    if isinstance(value, list):
        return [resolved(one, description) for one in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref", "")
    if reference.startswith("#/components/") and "/schemas/" not in reference:
        return resolved(named(reference, description), description)
    return {key: resolved(one, description) for key, one in value.items()}


def named(reference: str, description: dict[str, Any]) -> Any:
    found: Any = description
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def closure(resources: Any, description: dict[str, Any]) -> dict[str, Any]:
    """Return every schema that is referred to, as JSON Schema."""
    schemas: dict[str, Any] = {}
    waiting = list(references(resources))
    while waiting:
        name = waiting.pop()
        if name not in schemas:
            schemas[name] = plain(description["components"]["schemas"][name])
            waiting += references(schemas[name])
    return dict(sorted(schemas.items()))


def references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for one in value for name in references(one)]
    if not isinstance(value, dict):
        return []
    found = [name for one in value.values() for name in references(one)]
    reference = value.get("$ref", "")
    return (
        [*found, reference.rpartition("/")[2]]
        if isinstance(reference, str) and reference
        else found
    )


def plain(value: Any, *, is_properties: bool = False) -> Any:
    """Return a part without prose, its schemas without what JSON Schema does not know."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {
        key: one
        if key in {"examples", "example", "enum", "default"}
        else plain(one, is_properties=key == "properties")
        for key, one in value.items()
        if is_properties or key not in PROSE
    }
    if is_properties or "nullable" not in found:
        return found
    return or_null(found) if found.pop("nullable") else found


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"type": "null"}, schema]}


def events(examples: list[dict[str, Any]]) -> dict[str, Any]:
    by_name = {one["name"]: one["examples"] for one in examples}
    return {
        name: {
            action or "": next(
                one for one in by_name[name] if action is None or one["action"] == action
            )
            for action in actions
        }
        for name, actions in EVENTS.items()
    }


def write(name: str, value: Any) -> None:
    (HERE / name).write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
