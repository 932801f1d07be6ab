"""``mode: report``: the report of another run, shown where that run was not allowed to.

A fork's run has no right to comment, so a second workflow posts for it. What the first run
left behind was made by a stranger's code: it is read within limits, checked as a report and
rendered by our own code, and which pull request it belongs to is asked of GitHub.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import TypeAdapter, ValidationError

from toolgauge.errors import ToolgaugeError
from toolgauge.model.report import SCHEMA_VERSION, Notice, Report
from toolgauge_action.artifacts import MOST_BYTES, CannotReadArtifact, read_member
from toolgauge_action.evaluation import Evaluation
from toolgauge_action.event import PULL_REQUEST_EVENTS
from toolgauge_action.inputs import Inputs
from toolgauge_action.repository import PullRequest, Repository
from toolgauge_action.services import Services

_MOST_REPORT_BYTES = 20_000_000


class CannotPostReport(ToolgaugeError):
    """There is no report to post, it is none, or it is not known where it belongs."""


def fetch_report(
    inputs: Inputs, repository: Repository, services: Services
) -> tuple[Evaluation, PullRequest]:
    """Return the report that a run on a pull request left behind, and that pull request.

    Under ``workflow_run`` it is the run that the event is about, else this very run (an
    earlier job of it).

    Raises:
        CannotPostReport: there is none that can be believed to be a report.
        CannotAskGitHub: GitHub could not be asked.
    """
    source = services.event.source_run
    if source is None:
        pull_request = _own_pull_request(repository, services)
        run_id = services.runner.run_id
    else:
        if source.event not in PULL_REQUEST_EVENTS:
            raise CannotPostReport(f"the run was started by {source.event}, no pull request")
        pull_request = _pull_request_of(repository, services)
        run_id = source.id
    report = services.redactor.value(_report_of(run_id, inputs, repository))
    made_elsewhere = Notice("made-elsewhere", "Made by the run of the pull request itself.")
    report = replace(report, notices=(made_elsewhere, *report.notices))
    return Evaluation(report, None, None), pull_request


def parse_report(data: bytes) -> Report:
    """Return the report that JSON from a stranger holds.

    Raises:
        CannotPostReport: it is no report of this version.
    """
    try:
        report = TypeAdapter(Report).validate_json(data)
    except (ValidationError, ValueError, RecursionError) as error:
        raise CannotPostReport(f"the artifact holds no report ({type(error).__name__})") from error
    if report.schema_version != SCHEMA_VERSION:
        raise CannotPostReport("the report is of another version; pin both workflows to one")
    return report


def _report_of(run_id: int, inputs: Inputs, repository: Repository) -> Report:
    found = [
        one
        for one in repository.artifacts_of(run_id, inputs.artifact_name)
        if one.name == inputs.artifact_name and not one.expired
    ]
    if not found:
        raise CannotPostReport(f"run {run_id} left no artifact {inputs.artifact_name}")
    newest = max(found, key=lambda one: one.id)
    archive = repository.download(newest, most=MOST_BYTES)
    try:
        return parse_report(read_member(archive, "report.json", most=_MOST_REPORT_BYTES))
    except CannotReadArtifact as error:
        raise CannotPostReport(str(error)) from error


def _own_pull_request(repository: Repository, services: Services) -> PullRequest:
    if services.event.pull_request is None:
        raise CannotPostReport(f"{services.event.name} is about no pull request")
    return repository.pull_request(services.event.pull_request)


def _pull_request_of(repository: Repository, services: Services) -> PullRequest:
    """Return the one open pull request whose head the source run was about.

    Not the artifact says so, but GitHub: head commit and head repository must agree.
    """
    source = services.event.source_run
    found = [
        one
        for one in repository.pull_requests_of(source.head_sha if source else "")
        if source is not None
        and one.is_open
        and one.head_sha == source.head_sha
        and one.head_repository_id == source.head_repository_id
    ]
    if len(found) != 1:
        raise CannotPostReport(f"{len(found)} open pull requests have that head; one must")
    return found[0]
