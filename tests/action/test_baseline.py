from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from action.checkout import Origin, git
from action.github_double import REPOSITORY_ID, WORKFLOW, Fault, GitHubDouble
from measured import counted
from toolgauge.formats.baseline_file import dump_baseline
from toolgauge_action.base import BaseFiles
from toolgauge_action.baseline import (
    Baseline,
    BaselineFinder,
    CannotFindBaseline,
    NotABaseline,
)
from toolgauge_action.event import Event
from toolgauge_action.git import Git
from toolgauge_action.inputs import BaselineSource, Inputs
from toolgauge_action.repository import Repository

RECORD = dump_baseline([counted([(3, 3)], run_ids=("r1",), source="x")])
NAME = "toolgauge-default"
Find = Callable[..., Baseline]


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path)


@pytest.fixture
def find(origin: Origin, tmp_path: Path, repository: Repository) -> Find:
    """Look for the baseline of a pull request on ``main``, from a shallow checkout of it."""

    def of(wanted: BaselineSource = "auto", commit: str | None = None) -> Baseline:
        tip = origin.change("Go on", {"other": "x"}) if commit is None else commit
        place = tmp_path / "w"
        known = git(origin.folder, "rev-list", "--all").split()
        origin.check_out(tip if tip in known else origin.first, place)
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        event = Event("pull_request", "a" * 40, "main", REPOSITORY_ID, 1)
        finder = BaselineFinder(Inputs(baseline=wanted), event, WORKFLOW, scratch)
        base = BaseFiles(tip, Git(place, os.environ["PATH"]), repository)
        with finder.find(base) as baseline:
            return baseline

    return of


def keep(github: GitHubDouble, sha: str, record: str = RECORD) -> None:
    github.keep_artifact(NAME, {"baseline.json": record.encode()}, github.add_run(sha))


def test_the_committed_file_goes_before_artifacts(
    find: Find, origin: Origin, github: GitHubDouble
) -> None:
    tip = origin.change("Keep", {"evals/baseline.json": RECORD})
    keep(github, tip)
    found = find("auto", tip)
    (record,) = found.records
    assert (record.source, record.path.read_text()) == ("evals/baseline.json of the base", RECORD)
    assert found.commit == tip
    assert github.requests == []


def test_up_to_five_runs_are_pooled_the_nearest_first_with_their_distance(
    find: Find, github: GitHubDouble
) -> None:
    line = [f"{number:040x}" for number in range(1, 9)]
    github.state.parents = dict(zip(line, [*line[1:], None], strict=True))
    for sha in line[1:]:
        keep(github, sha)
    found = find("artifact", line[0])
    assert [record.commit for record in found.records] == line[1:6]
    assert [record.commits_behind for record in found.records] == [1, 2, 3, 4, 5]
    assert found.commit == line[1]


def test_a_run_that_left_no_record_or_a_damaged_one_is_passed_over(
    find: Find, github: GitHubDouble
) -> None:
    line = [f"{number:040x}" for number in range(1, 5)]
    github.state.parents = dict(zip(line, [*line[1:], None], strict=True))
    keep(github, line[0], '{"schema_version": 1, "suites": [{"suite": 7}]}')
    github.keep_artifact(NAME, {"report.json": b"{}"}, github.add_run(line[1]))
    keep(github, line[2])
    assert [record.commit for record in find("artifact", line[0]).records] == [line[2]]


def test_merges_are_followed_along_their_first_parents(find: Find, github: GitHubDouble) -> None:
    tip, first = "1" * 40, "2" * 40
    github.state.parents = {tip: first, first: None}
    keep(github, "3" * 40)
    assert find("auto", tip).records == ()
    keep(github, first)
    assert len(find("auto", tip).records) == 1


def test_a_damaged_committed_file_is_no_baseline_and_no_pass(find: Find, origin: Origin) -> None:
    tip = origin.change("Break", {"evals/baseline.json": "{}"})
    with pytest.raises(NotABaseline, match="no baseline file"):
        find("auto", tip)


def test_without_any_the_reader_is_told_why(find: Find) -> None:
    assert find("file") == Baseline(note="The base has no baseline file yet.")
    assert "left a baseline yet" in find("auto").note
    assert find("none") == Baseline()


def test_a_missing_permission_is_told_and_an_outage_is_no_pass(
    find: Find, github: GitHubDouble
) -> None:
    github.state.may_read_actions = False
    assert "actions: read" in find("auto").note
    with pytest.raises(NotABaseline, match="actions: read"):
        find("artifact")
    github.state.may_read_actions = True
    github.faults += [Fault("GET", "/actions/artifacts", 503) for _ in range(5)]
    with pytest.raises(CannotFindBaseline):
        find("auto")


def test_rerun_needs_the_base_in_the_clone(find: Find) -> None:
    find("none")
    with pytest.raises(NotABaseline, match="fetch-depth"):
        find("rerun", "f" * 40)
