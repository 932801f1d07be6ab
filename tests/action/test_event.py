from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from action import events
from action.github_double import FORK_ID, REPOSITORY, WORKFLOW, GitHubDouble
from toolgauge_action.event import (
    ACCEPT_LABEL,
    CannotReadEvent,
    Event,
    RefusesEvent,
    read_event,
    refuse_privileged,
)
from toolgauge_action.runner import NotOnARunner, Runner, read_runner

HEAD, OTHER = "a" * 40, "b" * 40
Read = Callable[..., Event]


def runner(path: Path, name: str, **env: str) -> Runner:
    return read_runner(
        {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": "7",
            "GITHUB_SHA": OTHER,
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/{WORKFLOW}@refs/pull/1/merge",
            "GITHUB_WORKSPACE": str(path.parent),
            "RUNNER_TEMP": str(path.parent),
            **env,
        }
    )


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def of(name: str, payload: Any, **env: str) -> Event:
        path = tmp_path / "event.json"
        path.write_text(json.dumps(payload))
        return read_event(runner(path, name, **env))

    return of


def test_a_pull_request_is_judged_by_its_own_head_not_by_the_test_merge(read: Read) -> None:
    event = read("pull_request", events.pull_request(HEAD, number=12))
    assert (event.head_sha, event.pull_request, event.lacks_secrets) == (HEAD, 12, False)
    assert event.is_gated


def test_a_fork_lacks_secrets_deleted_or_not_and_so_does_dependabot(read: Read) -> None:
    assert read("pull_request", events.pull_request(HEAD, fork=True)).lacks_secrets
    deleted = events.pull_request(HEAD)
    deleted["pull_request"]["head"]["repo"] = None
    assert read("pull_request", deleted).lacks_secrets
    own = events.pull_request(HEAD)
    assert read("pull_request", own, GITHUB_ACTOR="dependabot[bot]").lacks_secrets


def test_only_the_event_of_putting_the_label_puts_it(read: Read) -> None:
    def who(action: str, label: str) -> str | None:
        payload = events.pull_request(HEAD, action=action, label=label)
        return read("pull_request", payload).labelled_by

    assert who("labeled", ACCEPT_LABEL) == "Codertocat"
    assert who("labeled", "bug") is None
    assert who("unlabeled", ACCEPT_LABEL) is None


def test_a_push_knows_what_it_replaced_unless_the_branch_is_new(read: Read) -> None:
    assert read("push", events.push(HEAD, OTHER)).before == HEAD
    assert read("push", events.push("0" * 40, OTHER)).before is None


def test_a_merge_group_names_its_base(read: Read) -> None:
    event = read("merge_group", events.merge_group(HEAD, OTHER))
    assert (event.base_sha, event.head_sha, event.is_gated) == (HEAD, OTHER, True)


def test_a_workflow_run_is_about_another_run(read: Read, github: GitHubDouble) -> None:
    run = github.add_run(HEAD, event="pull_request", head_repository_id=FORK_ID)
    source = read("workflow_run", events.workflow_run(run)).source_run
    assert source is not None
    assert (source.id, source.head_sha, source.head_repository_id) == (run["id"], HEAD, FORK_ID)


@pytest.mark.parametrize("name", ["pull_request_target", "workflow_run", "issue_comment"])
def test_events_that_hold_secrets_are_refused(name: str) -> None:
    with pytest.raises(RefusesEvent, match="pull_request"):
        refuse_privileged(Event(name, HEAD, "main", 1))


@pytest.mark.parametrize("sha", ["main", "--upload-pack=x", "a" * 39, "A" * 40, None, 7])
def test_a_head_that_is_no_hash_is_refused(read: Read, sha: Any) -> None:
    payload = events.pull_request(HEAD)
    payload["pull_request"]["head"]["sha"] = sha
    with pytest.raises(CannotReadEvent):
        read("pull_request", payload)


@pytest.mark.parametrize("payload", [[], {}, {"repository": {}}, "text"])
def test_a_payload_without_what_is_needed_is_refused(read: Read, payload: Any) -> None:
    with pytest.raises(CannotReadEvent):
        read("pull_request", payload)


def test_the_workflow_is_known_by_its_path(tmp_path: Path) -> None:
    found = runner(tmp_path / "e", "push")
    assert (found.workflow_path, found.run_url) == (
        WORKFLOW,
        f"https://github.com/{REPOSITORY}/actions/runs/7",
    )


def test_outside_of_a_runner_the_missing_variables_are_named() -> None:
    with pytest.raises(NotOnARunner, match="GITHUB_EVENT_PATH"):
        read_runner({"GITHUB_EVENT_NAME": "push"})
