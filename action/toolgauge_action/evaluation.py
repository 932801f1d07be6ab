"""Order of work of a gate: suites, base, baseline, run, and what is to be known beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from toolgauge.errors import UsageError
from toolgauge.model.report import Notice, Report
from toolgauge_action.base import BaseFiles, base_commit
from toolgauge_action.baseline import Baseline, BaselineFinder
from toolgauge_action.event import ACCEPT_LABEL, refuse_privileged
from toolgauge_action.gate import GateOutcome, GateRequest
from toolgauge_action.inputs import DEFAULT_REPEATS, Inputs
from toolgauge_action.policy import (
    ProjectInForce,
    changes_in_force_after_merge,
    check_servers,
    choose_targets,
    globs_of,
    load_distinct,
    policy_of,
    project_in_force,
)
from toolgauge_action.repository import Repository
from toolgauge_action.services import Services
from toolgauge_action.suites import find_suites, lint
from toolgauge_action.workflow import Annotation

HOW_TO_ACCEPT = (
    f"to accept a drop: put the label {ACCEPT_LABEL} on the pull request, or commit the "
    "baseline.json of the artifact to the base branch"
)


class InvalidSuites(UsageError):
    """Suite files have problems; ``annotations`` are where."""

    def __init__(self, annotations: list[Annotation]) -> None:
        self.annotations = annotations
        wrong = [one for one in annotations if one.level == "error"]
        lines = [f"{one.file}:{one.line or 1}: {one.message}" for one in wrong]
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A gate that came to an end. ``suite_files`` are by the suites' names.

    ``baseline_commit`` is the commit of the newest baseline, None without one.
    """

    report: Report
    baseline_document: str | None
    baseline_commit: str | None
    suite_files: Mapping[str, Path] = field(default_factory=dict)
    warnings: tuple[Annotation, ...] = ()


def evaluate(inputs: Inputs, repository: Repository, services: Services) -> Evaluation:
    """Return what the gate says of the suites that are checked out.

    Raises:
        UsageError: something is wrong with the suites, the settings or the workflow.
        ToolgaugeError: the base, the baseline or the models could not be had.
    """
    refuse_privileged(services.event)
    base = _base(inputs, repository, services)
    with project_in_force(inputs, services, base) as in_force:
        files, annotations = _linted(inputs, services, in_force)
        finder = BaselineFinder(
            inputs, services.event, services.runner.workflow_path, services.scratch
        )
        with finder.find(base) as baseline:
            request, notices, named = _request(
                inputs, services, in_force=in_force, files=files, baseline=baseline
            )
            outcome = _run(request, services)
    if services.event.is_gated and base is not None:
        notices += changes_in_force_after_merge(inputs, base, services.folder)
    report = replace(outcome.report, notices=(*notices, *outcome.report.notices))
    return Evaluation(
        report=services.redactor.value(report),
        baseline_document=outcome.baseline_document,
        baseline_commit=baseline.commit,
        suite_files=named,
        warnings=tuple(annotations),
    )


def _linted(
    inputs: Inputs, services: Services, in_force: ProjectInForce
) -> tuple[tuple[Path, ...], list[Annotation]]:
    """Return the suite files, and what is odd in them.

    Raises:
        InvalidSuites: something is wrong in them.
    """
    unwanted = (inputs.baseline_path, inputs.config)
    globs = globs_of(inputs, in_force.project)
    files = find_suites(globs, services.folder, leave_out=unwanted)
    annotations = lint(files)
    if any(one.level == "error" for one in annotations):
        raise InvalidSuites(annotations)
    return files, annotations


def _base(inputs: Inputs, repository: Repository, services: Services) -> BaseFiles | None:
    """Return the files of the base; None where nothing is compared and nothing overrules."""
    if inputs.baseline == "none" and not services.event.is_gated:
        return None
    commit = base_commit(services.event, services.git, repository)
    return BaseFiles(commit, services.git, repository) if commit else None


def _request(
    inputs: Inputs,
    services: Services,
    *,
    in_force: ProjectInForce,
    files: tuple[Path, ...],
    baseline: Baseline,
) -> tuple[GateRequest, tuple[Notice, ...], dict[str, Path]]:
    project = in_force.project
    suites = load_distinct(files)
    check_servers(services.event, suites, project)
    targets, notices = choose_targets(inputs, services.event, suites, project)
    if baseline.note:
        notices += (Notice("no-baseline", baseline.note),)
    base_suites: tuple[Path, ...] = ()
    if baseline.folder is not None:
        unwanted = (inputs.baseline_path, inputs.config)
        base_suites = find_suites(globs_of(inputs, project), baseline.folder, leave_out=unwanted)
    request = GateRequest(
        suites=files,
        targets=targets,
        policy=policy_of(inputs, project),
        repeats=inputs.repeats or project.gate.repeats or DEFAULT_REPEATS,
        commit=services.event.head_sha,
        baselines=baseline.records,
        base_folder=baseline.folder,
        base_suites=base_suites,
        base_commit=baseline.commit,
        config=in_force.path,
        max_cost_usd=inputs.max_cost_usd,
        concurrency=inputs.concurrency,
        how_to_accept=HOW_TO_ACCEPT if services.event.pull_request else "",
    )
    return request, notices, {one.document.name: Path(one.file) for one in suites}


def _run(request: GateRequest, services: Services) -> GateOutcome:
    # what models, servers and libraries print is not for the runner to obey
    with services.workflow.deaf():
        return services.gate(request, services.environment)
