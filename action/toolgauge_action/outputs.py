"""A report as the outputs of a step: words, numbers and paths, nothing from outside."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from toolgauge.model.report import Effect, Estimate, Report

NAMES = (
    "verdict",
    "passed",
    "score",
    "baseline-score",
    "delta",
    "ci-low",
    "ci-high",
    "p-value",
    "cases",
    "regressions",
    "improvements",
    "flaky",
    "cost-usd",
    "report-json",
    "report-markdown",
    "junit-xml",
    "comment-url",
    "baseline-sha",
    "exit-code",
)
_URL = re.compile(r"https?://[A-Za-z0-9._~:/#-]+")


@dataclass(frozen=True, slots=True)
class Files:
    """Where the reports were written."""

    folder: Path

    @property
    def json(self) -> Path:
        return self.folder / "report.json"

    @property
    def markdown(self) -> Path:
        return self.folder / "report.md"

    @property
    def junit(self) -> Path:
        return self.folder / "junit.xml"

    @property
    def html(self) -> Path:
        return self.folder / "report.html"

    @property
    def baseline(self) -> Path:
        return self.folder / "baseline.json"


def outputs_of(report: Report) -> dict[str, str]:
    """Return the outputs that a report gives, by name; "" where something is not known.

    ``score``, ``baseline-score``, ``delta`` and its interval are of the policy's metric,
    over the compared cases of all suites, as parts of 1.
    """
    totals = report.totals
    by_score = report.policy.metric == "overall"
    effect = totals.overall if by_score else totals.passed
    sides = [totals.head, totals.baseline]
    head, baseline = (
        None if one is None else one.score if by_score else _value(one.pass_rate) for one in sides
    )
    return {
        "verdict": report.verdict,
        "passed": "true" if report.exit_code == 0 else "false",
        "score": _number(head),
        "baseline-score": _number(baseline),
        "delta": _number(effect.delta.value if effect else None),
        "ci-low": _number(effect.delta.low if effect else None),
        "ci-high": _number(effect.delta.high if effect else None),
        "p-value": _number(_p(effect)),
        "cases": str(totals.cases),
        "regressions": str(sum(len(suite.regressions) for suite in report.suites)),
        "improvements": str(sum(len(suite.improved) for suite in report.suites)),
        "flaky": str(sum(len(suite.flaky) for suite in report.suites)),
        "cost-usd": _number(report.resources.head.cost_usd),
        "exit-code": str(report.exit_code),
    }


def paths_of(files: Files) -> dict[str, str]:
    """Return the outputs that name files, for those that were written."""
    named = {"report-json": files.json, "report-markdown": files.markdown, "junit-xml": files.junit}
    return {name: str(path) for name, path in named.items() if path.is_file()}


def url_of(url: str | None) -> str:
    """Return an address as an output; "" where it is none, or holds what a shell might take."""
    return url if url and _URL.fullmatch(url) else ""


def _value(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate else None


def _p(effect: Effect | None) -> float | None:
    if effect is None:
        return None
    return effect.p if effect.p_adjusted is None else effect.p_adjusted


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:.6f}"
