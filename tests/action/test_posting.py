from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from action.fake_services import World, world
from action.github_double import FORK_ID, REPOSITORY_ID, GitHubDouble
from action.hostile import CANARY, HOSTILE, outside_of_code
from report.report_builders import rich_report, suite_report
from toolgauge.model.report import Notice
from toolgauge.report.json_report import report_text
from toolgauge_action.event import Event, SourceRun
from toolgauge_action.inputs import Inputs
from toolgauge_action.posting import CannotPostReport, parse_report
from toolgauge_action.repository import Repository
from toolgauge_action.run import run

HEAD = "a" * 40
INPUTS = Inputs(mode="report")


@pytest.fixture
def here(tmp_path: Path, github: GitHubDouble) -> World:
    """A run that is to post what run 9 of a fork's pull request left behind."""
    github.open_pull(1, HEAD, fork=True)
    source = SourceRun(9, "pull_request", HEAD, FORK_ID)
    event = Event("workflow_run", "b" * 40, "main", REPOSITORY_ID, source_run=source)
    return world(tmp_path, tmp_path / "temp", event)


def leave(github: GitHubDouble, document: Any) -> None:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    run_of_fork = github.add_run(HEAD, id=9, event="pull_request", head_repository_id=FORK_ID)
    github.keep_artifact("toolgauge-default", {"report.json": data}, run_of_fork)


def test_a_report_survives_its_way_through_an_artifact() -> None:
    assert parse_report(report_text(rich_report()).encode()) == rich_report()


def test_the_actions_own_notices_are_part_of_a_report() -> None:
    codes = ("settings-changed", "baseline-changed", "targets-left-out", "made-elsewhere")
    noted = replace(rich_report(), notices=tuple(Notice(code, "Said.") for code in codes))
    assert parse_report(report_text(noted).encode()) == noted


def test_what_a_stranger_wrote_is_rendered_by_us_and_escapes_nothing(
    here: World, github: GitHubDouble, repository: Repository
) -> None:
    document = json.loads(report_text(rich_report()))
    document |= {"reason": HOSTILE, "how_to_accept": HOSTILE, "toolgauge": HOSTILE}
    document["suites"][0] |= {"reason": HOSTILE}
    document["suites"][0]["head"] |= {"suite": HOSTILE, "target": HOSTILE, "source": HOSTILE}
    document["notices"] = [{"code": "old-baseline", "text": HOSTILE, "details": [HOSTILE]}]
    leave(github, document)
    assert run(INPUTS, repository, here.services) == 0
    (comment,) = github.bodies()
    assert CANARY in comment
    assert CANARY not in outside_of_code(comment)
    assert comment.splitlines()[1].endswith(f'"head": "{HEAD}"}} -->')
    assert "Made by the run of the pull request itself." in comment


def test_a_failing_report_of_another_run_fails_nothing_here(
    here: World, github: GitHubDouble, repository: Repository
) -> None:
    leave(github, json.loads(report_text(rich_report())) | {"verdict": "fail", "exit_code": 1})
    assert run(INPUTS, repository, here.services) == 0


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"schema_version": 1}',
        {"schema_version": 2},
        {"verdict": "splendid"},
        {"suites": "many"},
    ],
)
def test_what_is_no_report_is_not_posted(
    here: World, github: GitHubDouble, repository: Repository, document: Any
) -> None:
    if isinstance(document, dict):
        document = json.loads(report_text(rich_report())) | document
    leave(github, document)
    assert run(INPUTS, repository, here.services) == 3
    assert github.bodies() == []


def test_a_report_of_another_version_is_refused() -> None:
    document = json.loads(report_text(rich_report())) | {"schema_version": 2}
    with pytest.raises(CannotPostReport, match="another version"):
        parse_report(json.dumps(document).encode())


def test_a_report_goes_to_the_pull_request_that_github_names_or_to_none(
    here: World, github: GitHubDouble, repository: Repository
) -> None:
    leave(github, json.loads(report_text(rich_report())))
    github.open_pull(1, HEAD)  # the same commit, but of the repository itself
    assert run(INPUTS, repository, here.services) == 3
    assert github.bodies() == []


def test_without_an_artifact_there_is_nothing_to_post(
    here: World, repository: Repository, github: GitHubDouble
) -> None:
    assert run(INPUTS, repository, here.services) == 3
    assert "left no artifact" in here.log.getvalue()
    assert github.bodies() == []


def test_a_later_job_of_the_same_run_can_post_its_report(
    tmp_path: Path, github: GitHubDouble, repository: Repository
) -> None:
    event = Event("pull_request", HEAD, "main", REPOSITORY_ID, 1, "main", "c" * 40)
    here = world(tmp_path, tmp_path / "temp", event)
    github.open_pull(1, HEAD)
    own = github.add_run(HEAD, id=here.services.runner.run_id, event="pull_request")
    data = report_text(rich_report()).encode()
    github.keep_artifact("toolgauge-default", {"report.json": data}, own)
    assert run(INPUTS, repository, here.services) == 0
    assert len(github.bodies()) == 1


def test_a_secret_in_a_strangers_report_is_blotted_out(
    tmp_path: Path, github: GitHubDouble, repository: Repository
) -> None:
    github.open_pull(1, HEAD, fork=True)
    source = SourceRun(9, "pull_request", HEAD, FORK_ID)
    event = Event("workflow_run", "b" * 40, "main", REPOSITORY_ID, source_run=source)
    here = world(tmp_path, tmp_path / "temp", event, "very-secret-value")
    leaky = replace(rich_report(), suites=(suite_report("very-secret-value"),))
    leave(github, json.loads(report_text(leaky)))
    assert run(INPUTS, repository, here.services) == 0
    assert "very-secret-value" not in github.bodies()[0] + here.summary
