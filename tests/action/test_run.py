"""A run in one process, with a gate that does as it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from action.checkout import Origin
from action.fake_services import World, world
from action.github_double import REPOSITORY_ID, Fault, GitHubDouble
from action.runner_log import read_log, read_pairs
from report.report_builders import finding, notice, report, rich_report, suite_report
from toolgauge.errors import CannotMeasure, UnknownTarget
from toolgauge.model.report import EXIT_CODES, Verdict
from toolgauge_action.event import ACCEPT_LABEL, Event
from toolgauge_action.inputs import Inputs
from toolgauge_action.outputs import NAMES, outputs_of
from toolgauge_action.repository import Repository
from toolgauge_action.run import run

Start = Callable[..., World]


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path)


@pytest.fixture
def start(origin: Origin, tmp_path: Path, github: GitHubDouble) -> Start:
    """Lay out the test merge of a pull request that changes the README."""

    def of(files: dict[str, str | None] | None = None, **event: str) -> World:
        head = origin.propose("a", files or {"README.md": "new"})
        origin.check_out_merge(head, tmp_path / "w")
        labels = (ACCEPT_LABEL,) if event.get("labelled_by") else ()
        github.open_pull(1, head, labels=labels)
        given = {"pull_request": 1, "base_ref": "main", "base_sha": origin.first} | event
        happened = Event("pull_request", head, "main", REPOSITORY_ID, **given)
        return world(tmp_path / "w", tmp_path / "temp", happened, "sk-live-0123456789")

    return of


@pytest.mark.parametrize("verdict", list(EXIT_CODES))
def test_the_exit_code_is_that_of_the_verdict(
    start: Start, repository: Repository, verdict: Verdict
) -> None:
    here = start()
    code = EXIT_CODES[verdict]
    here.gate.answer = lambda _: report(verdict=verdict)
    assert run(Inputs(baseline="none"), repository, here.services) == code
    outputs = read_pairs(here.outputs)
    assert outputs["verdict"] == verdict
    assert outputs["passed"] == str(code == 0).lower()
    assert set(outputs) - {"report-dir", "artifact-name"} == set(NAMES)


FAILURES = [
    (UnknownTarget("no target 'x'"), 2),
    (CannotMeasure("the server is dead"), 3),
    (RuntimeError("a fault of ours, with sk-live-0123456789"), 3),
    (MemoryError(), 3),
]


@pytest.mark.parametrize("failure", FAILURES)
def test_no_failure_to_measure_becomes_a_pass(
    start: Start, repository: Repository, github: GitHubDouble, failure: tuple[Exception, int]
) -> None:
    error, code = failure

    def fail(_: object) -> None:
        raise error

    here = start()
    here.gate.answer = fail
    assert run(Inputs(baseline="none"), repository, here.services) == code
    assert read_pairs(here.outputs)["verdict"] == "error"
    (comment,) = github.bodies()
    assert "could not be evaluated" in comment
    assert "sk-live" not in comment + here.summary + here.log.getvalue()


def test_a_report_is_shown_though_no_place_takes_it(
    start: Start, repository: Repository, github: GitHubDouble
) -> None:
    here = start()
    here.services.files.folder.rmdir()
    here.services.runner.temp.joinpath("summary").mkdir()
    github.faults.append(Fault("GET", "/issues/1/comments", 404))
    assert run(Inputs(baseline="none"), repository, here.services) == report().exit_code
    said = read_log(here.log.getvalue()).annotations
    warnings = [one["message"] for one in said if one["level"] == "warning"]
    for place in ("the comment", "the summary", "report.json", "baseline.json"):
        assert any(one.startswith(f"{place} could not be shown") for one in warnings)


def test_a_fault_of_one_renderer_costs_neither_the_verdict_nor_the_others(
    start: Start, repository: Repository
) -> None:
    class Unprintable:
        def __str__(self) -> str:
            raise RuntimeError("no")

    here = start()
    # what no model class would let in, and no renderer expects
    broken = finding(expected={"name": "x", "arguments": {1: Unprintable()}})
    here.gate.answer = lambda _: report(suite_report(suspects=(broken,)), verdict="pass")
    assert run(Inputs(baseline="none"), repository, here.services) == 0
    assert read_pairs(here.outputs)["verdict"] == "pass"
    said = read_log(here.log.getvalue()).annotations
    assert any("report.json could not be shown" in one["message"] for one in said)


def test_thresholds_targets_and_config_come_from_the_base(
    start: Start, origin: Origin, repository: Repository
) -> None:
    origin.change("Configure", {".toolgauge.yml": "gate: {max_drop: 0.3, repeats: 7}\n"})
    here = start({".toolgauge.yml": "gate: {policy: report-only, max_drop: 1}\n"})
    run(Inputs(baseline="none"), repository, here.services)
    (request,) = here.gate.requests
    assert (request.policy.policy, request.policy.max_drop, request.repeats) == (
        "statistical",
        0.3,
        7,
    )
    assert here.gate.configs == ["gate: {max_drop: 0.3, repeats: 7}\n"]
    # it stood beside the changed one, and is gone
    assert request.config is not None
    assert request.config.parent == here.services.folder
    assert [path.name for path in here.services.folder.glob(".toolgauge*")] == [".toolgauge.yml"]


def test_a_project_file_that_is_the_bases_is_used_where_it_stands(
    start: Start, origin: Origin, repository: Repository
) -> None:
    origin.change("Configure", {".toolgauge.yml": "gate: {max_drop: 0.3}\n"})
    here = start()
    run(Inputs(baseline="none"), repository, here.services)
    assert [one.config for one in here.gate.requests] == [here.services.folder / ".toolgauge.yml"]


def test_a_repository_without_project_file_lends_none_from_above(
    start: Start, repository: Repository
) -> None:
    here = start({".toolgauge.yml": "gate: {policy: report-only}\n"})
    run(Inputs(baseline="none"), repository, here.services)
    (request,) = here.gate.requests
    assert here.gate.configs == [""]
    assert request.policy.policy == "statistical"


def test_the_label_turns_a_failure_into_a_warning_and_nothing_else(
    start: Start, repository: Repository
) -> None:
    here = start(labelled_by="ada")
    here.gate.answer = lambda _: report(verdict="fail")
    assert run(Inputs(baseline="none"), repository, here.services) == 0
    here.gate.answer = lambda _: report(verdict="error")
    assert run(Inputs(baseline="none"), repository, here.services) == 3


def test_a_label_that_was_taken_off_meanwhile_accepts_nothing(
    start: Start, repository: Repository, github: GitHubDouble
) -> None:
    here = start(labelled_by="ada")
    github.open_pull(1, here.services.event.head_sha)
    here.gate.answer = lambda _: report(verdict="fail")
    assert run(Inputs(baseline="none"), repository, here.services) == 1


def test_mode_run_says_nothing_on_the_pull_request(
    start: Start, repository: Repository, github: GitHubDouble
) -> None:
    here = start()
    run(Inputs(baseline="none", mode="run"), repository, here.services)
    assert github.bodies() == []
    assert (here.services.files.folder / "report.json").is_file()


def test_without_artifact_and_annotations_there_are_none(
    start: Start, repository: Repository
) -> None:
    here = start()
    run(Inputs(baseline="none", artifact=False, annotations=False), repository, here.services)
    assert "report-dir" not in read_pairs(here.outputs)
    assert read_log(here.log.getvalue()).annotations == []


def test_outputs_are_numbers_of_the_metric_that_decides() -> None:
    found = outputs_of(rich_report())
    assert found["regressions"] == str(sum(len(s.regressions) for s in rich_report().suites))
    assert float(found["score"]) - float(found["baseline-score"]) == pytest.approx(
        float(found["delta"]), abs=2e-6
    )


def test_secrets_within_a_report_reach_no_place(
    start: Start, repository: Repository, github: GitHubDouble
) -> None:
    here = start()
    secret = "sk-live-0123456789"
    here.gate.answer = lambda _: report(
        suite_report(secret, f"openai/{secret}"), notices=(notice("Gone.", details=(secret,)),)
    )
    run(Inputs(baseline="none"), repository, here.services)
    files = [file.read_text() for file in here.services.files.folder.iterdir()]
    assert len(files) == 5
    shown = [here.log.getvalue(), here.summary, here.outputs, *github.bodies(), *files]
    assert not any(secret in one for one in shown)
