"""A verdict shown everywhere: files, comment, outputs, summary, annotations.

Trouble in showing changes no verdict: it becomes a warning in the log, and the next place
is tried.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from toolgauge.model.report import Report
from toolgauge.report.escape import fenced
from toolgauge.report.html_page import html_page
from toolgauge.report.json_report import report_text
from toolgauge.report.junit import junit
from toolgauge.report.markdown import COMMENT_BUDGET, SUMMARY_BUDGET, markdown
from toolgauge_action.annotations import annotations_of
from toolgauge_action.evaluation import Evaluation
from toolgauge_action.github import CannotAskGitHub
from toolgauge_action.inputs import Inputs
from toolgauge_action.outputs import outputs_of, paths_of, url_of
from toolgauge_action.repository import PullRequest, Repository
from toolgauge_action.services import Services
from toolgauge_action.sticky_comment import COMMENT_BYTES, Message, Record, StickyComment
from toolgauge_action.workflow import Annotation

_T = TypeVar("_T")
Make = Callable[[], _T]

_log = logging.getLogger(__name__)
_MOST_LINES = 40
_RECORD_BYTES = 500  # what the comment's first two lines take


@dataclass(frozen=True, slots=True)
class Shown:
    """What is to be shown: in full, short enough for a comment, and at lines of files.

    What may fail to be made is made when its place is due, so that one place's trouble
    is no other's. ``documents`` are files by name.
    """

    verdict: str
    reason: str
    full: Make[str]
    short: Make[str]
    outputs: Mapping[str, str]
    annotations: Make[Sequence[Annotation]]
    record: Record
    is_bad_news: bool
    documents: Mapping[str, Make[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reporter:
    """Shows one verdict of one run."""

    inputs: Inputs
    repository: Repository
    services: Services

    def show(self, shown: Shown, pull_request: PullRequest | None) -> None:
        """Show a verdict in every place that the workflow wants."""
        # the verdict first: whatever happens below, the last step knows it
        self._try("the outputs", lambda: self._set(shown.outputs))
        for name, make in shown.documents.items():
            self._try(name, partial(self._write, name, make))
        if pull_request is not None and self.inputs.mode != "run":
            self._try("the comment", lambda: self._comment(shown, pull_request))
        self._try("the paths of files", lambda: self._set(self._places()))
        self._try("the summary", lambda: self._summary(shown))
        self.services.workflow.say(self._hide(f"{shown.verdict}: {shown.reason}"))
        if self.inputs.annotations:
            self._try("the annotations", lambda: self._annotate(shown))

    def _hide(self, text: str) -> str:
        return self.services.redactor.text(text)

    def _summary(self, shown: Shown) -> None:
        self.services.workflow.summary(self._hide(shown.full()))

    def _annotate(self, shown: Shown) -> None:
        self.services.workflow.annotate(self.services.redactor.value(list(shown.annotations())))

    def _comment(self, shown: Shown, pull_request: PullRequest) -> None:
        text = self._hide(shown.short())
        if len(text.encode()) > COMMENT_BYTES:
            text = f"## {shown.verdict}\n\nThe report is too large for a comment.\n"
        message = Message(text, shown.record, shown.is_bad_news)
        comment = StickyComment(self.repository, pull_request.number, self.inputs.comment_key)
        posted = comment.post(message, self.inputs.comment, pull_request)
        self.services.workflow.say(f"comment: {posted.outcome}")
        self._set({"comment-url": url_of(posted.url)})

    def _write(self, name: str, make: Make[str]) -> None:
        data = self._hide(make()).encode("utf-8", errors="replace")
        (self.services.files.folder / name).write_bytes(data)

    def _places(self) -> dict[str, str]:
        places = paths_of(self.services.files)
        if self.inputs.artifact and any(self.services.files.folder.iterdir()):
            places["report-dir"] = str(self.services.files.folder)
            places["artifact-name"] = self.inputs.artifact_name
        return places

    def _set(self, outputs: Mapping[str, str]) -> None:
        for name, value in outputs.items():
            self.services.workflow.output(name, value)

    def _try(self, what: str, show: Make[None]) -> None:
        try:
            show()
        except Exception as error:  # noqa: BLE001 - the border: showing changes no verdict
            if not isinstance(error, (CannotAskGitHub, OSError)):
                _log.error("unforeseen", exc_info=error)
            why = self._hide(f"{what} could not be shown: {error}{_advice(error)}")
            self.services.workflow.annotate([Annotation("warning", "toolgauge", why)])


def shown_report(evaluation: Evaluation, services: Services, *, accepted: bool) -> Shown:
    """Return what is to be shown of a report."""
    report = evaluation.report
    links = {"run": services.runner.run_url}
    sha = {"baseline-sha": evaluation.baseline_commit or ""}
    head = services.event.head_sha
    return Shown(
        verdict=report.verdict,
        reason=report.reason,
        full=partial(markdown, report, budget=SUMMARY_BUDGET, links=links),
        short=partial(markdown, report, budget=COMMENT_BUDGET - _RECORD_BYTES, links=links),
        outputs=outputs_of(report) | sha,
        annotations=lambda: [
            *annotations_of(report, evaluation.suite_files),
            *evaluation.warnings,
        ],
        record=Record(head, head if accepted else None, digest_of(report)),
        is_bad_news=report.verdict not in {"pass", "no-baseline"},
        documents=documents_of(report, evaluation.baseline_document),
    )


def shown_failure(error: Exception, exit_code: int, services: Services) -> Shown:
    """Return what is to be shown where nothing could be evaluated."""
    message = services.redactor.text(str(error)) or type(error).__name__
    text = "\n\n".join(
        [
            "## 💥 Tool calls could not be evaluated",
            fenced(message.splitlines()[:_MOST_LINES], "text"),
            f"[run]({services.runner.run_url})\n",
        ]
    )
    found = getattr(error, "annotations", None)
    annotations = found or [Annotation("error", "toolgauge could not evaluate", message)]
    digest = hashlib.sha256(message.encode("utf-8", "surrogatepass")).hexdigest()
    return Shown(
        verdict="error",
        reason=message,
        full=lambda: text,
        short=lambda: text,
        outputs={"verdict": "error", "passed": "false", "exit-code": str(exit_code)},
        annotations=lambda: annotations,
        record=Record(services.event.head_sha, None, digest),
        is_bad_news=True,
    )


def documents_of(report: Report, baseline_document: str | None) -> dict[str, Make[str]]:
    """Return the files of a report, by name."""
    documents: dict[str, Make[str]] = {
        "report.json": lambda: report_text(report),
        "report.md": lambda: markdown(report, budget=SUMMARY_BUDGET),
        "junit.xml": lambda: junit(report),
        "report.html": lambda: html_page(report),
    }
    if baseline_document is not None:
        documents["baseline.json"] = lambda: baseline_document
    return documents


def digest_of(report: Report) -> str:
    """Return a hash of what a report decides, the same for another time and other latencies."""
    decided = [
        report.verdict,
        [
            [suite.head.key, suite.verdict, suite.numbers.head.passes, suite.numbers.head.runs]
            for suite in report.suites
        ],
        [
            [suite.head.key, finding.case_id, finding.status]
            for suite in report.suites
            for finding in (*suite.regressions, *suite.suspects, *suite.improved)
        ],
        [[notice.code, notice.details] for notice in report.notices],
    ]
    return hashlib.sha256(json.dumps(decided).encode()).hexdigest()


def _advice(error: Exception) -> str:
    if isinstance(error, CannotAskGitHub) and error.status == 403:
        return (
            ". The token may not comment: give the job `pull-requests: write` under "
            "`permissions`; a fork's pull request never may, so post its report from a "
            "`workflow_run` workflow with `mode: report`"
        )
    return ""
