"""One run of the action, from checked inputs to an exit code."""

from __future__ import annotations

import logging
from dataclasses import replace

from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge_action.acceptance import Acceptance, accepted, find_acceptance
from toolgauge_action.evaluation import Evaluation, evaluate
from toolgauge_action.github import CannotAskGitHub
from toolgauge_action.inputs import Inputs
from toolgauge_action.posting import CannotPostReport, fetch_report
from toolgauge_action.reporting import Reporter, shown_failure, shown_report
from toolgauge_action.repository import PullRequest, Repository
from toolgauge_action.services import Services
from toolgauge_action.sticky_comment import StickyComment

EXIT_USAGE, EXIT_INFRASTRUCTURE = 2, 3

_log = logging.getLogger(__name__)


def run(inputs: Inputs, repository: Repository, services: Services) -> int:
    """Return the exit code: 0 pass, 1 regression, 2 usage, 3 infrastructure.

    Nothing is raised: whatever could not be done is shown like a verdict.
    """
    reporter = Reporter(inputs, repository, services)
    if inputs.mode == "report":
        return _post(reporter)
    pull_request = _pull_request(repository, services)
    try:
        evaluation = evaluate(inputs, repository, services)
    except Exception as error:  # noqa: BLE001 - the border: no failure may look like a pass
        exit_code = _exit_code(error)
        reporter.show(shown_failure(error, exit_code, services), pull_request)
        return exit_code
    acceptance = _acceptance(inputs, repository, services, pull_request)
    evaluation = _with(evaluation, acceptance)
    shown = shown_report(evaluation, services, accepted=acceptance.is_given)
    reporter.show(shown, pull_request)
    return evaluation.report.exit_code


def _post(reporter: Reporter) -> int:
    """Show another run's report; what that run found fails nothing here."""
    services = reporter.services
    try:
        evaluation, pull_request = fetch_report(reporter.inputs, reporter.repository, services)
    except (CannotPostReport, CannotAskGitHub) as error:
        reporter.show(shown_failure(error, EXIT_INFRASTRUCTURE, services), None)
        return EXIT_INFRASTRUCTURE
    source = services.event.source_run
    head = source.head_sha if source else services.event.head_sha
    shown = shown_report(evaluation, services, accepted=False)
    shown = replace(
        shown,
        record=replace(shown.record, head=head),
        outputs={**shown.outputs, "exit-code": "0"},
        documents={},
    )
    reporter.show(shown, pull_request)
    return 0


def _pull_request(repository: Repository, services: Services) -> PullRequest | None:
    """Return the pull request as it is now; None where there is none, or it cannot be read."""
    if services.event.pull_request is None:
        return None
    try:
        return repository.pull_request(services.event.pull_request)
    except CannotAskGitHub as error:
        services.workflow.say(f"the pull request cannot be read, so nothing is posted: {error}")
        return None


def _acceptance(
    inputs: Inputs, repository: Repository, services: Services, pull_request: PullRequest | None
) -> Acceptance:
    if pull_request is None:
        return Acceptance()
    comment = StickyComment(repository, pull_request.number, inputs.comment_key)
    return find_acceptance(services.event, pull_request, comment)


def _with(evaluation: Evaluation, acceptance: Acceptance) -> Evaluation:
    report = accepted(evaluation.report, acceptance)
    if acceptance.note and report.verdict == "fail":
        report = replace(report, reason=f"{report.reason} {acceptance.note}")
    return replace(evaluation, report=report)


def _exit_code(error: Exception) -> int:
    if isinstance(error, UsageError):
        return EXIT_USAGE
    if not isinstance(error, ToolgaugeError):
        _log.error("unforeseen", exc_info=error)
    return EXIT_INFRASTRUCTURE
