"""A report as one HTML page that stands alone: no script, no request, light and dark.

The charts are small SVG templates of our own: what draws charts in Python either brings
scripts and fixed colours into the page, knows no interval, or does not escape text.
Here autoescape holds for charts as for everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from toolgauge.model.experiment import TimelineEntry
from toolgauge.model.report import CaseFinding, Report
from toolgauge.report import charts, wording
from toolgauge.report.calls import calls_diff
from toolgauge.report.case_rows import WHY_NOT_COMPARED, case_rows, telling_side
from toolgauge.report.escape import page_text

if TYPE_CHECKING:
    from jinja2 import Environment

_MOST_FINDINGS = 200
_MOST_ROWS = 3_000
_MOST_OF_A_DIFF_LINE = 400


def html_page(report: Report, *, timeline: Sequence[TimelineEntry] = ()) -> str:
    """Return a report as a page; ``timeline`` is the experiment's it belongs to, if any."""
    page = _environment().get_template("report.html.j2")
    return page.render(
        report=report,
        metric=report.policy.metric,
        effect=wording.effect_of(report.totals, report.policy.metric),
        change_axis=charts.change_axis(report),
        timeline=charts.timeline_chart(timeline),
        most=_MOST_FINDINGS,
        most_rows=_MOST_ROWS,
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - heavy, late

    environment = Environment(
        loader=PackageLoader("toolgauge.report"),
        autoescape=True,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals |= {
        "w": wording,
        "charts": charts,
        "case_rows": case_rows,
        "telling_side": telling_side,
        "diff_of": _diff,
        "why_not_compared": WHY_NOT_COMPARED,
    }
    environment.filters["minus"] = _minus
    return environment


def _finalized(value: Any) -> Any:
    """Return what a template puts out, with unseen characters shown; autoescape comes after."""
    is_markup = hasattr(value, "__html__")
    return page_text(value) if isinstance(value, str) and not is_markup else value


def _minus(text: str) -> str:
    """Return a number in words with a minus as long as a plus."""
    return text.replace("-", "\u2212") if any(c.isdigit() for c in text) else text


def _diff(finding: CaseFinding) -> list[tuple[str, str]]:
    """Return a word per line of a difference (``same``, ``expected``, ``got``), and the line."""
    kinds = {"-": "expected", "+": "got"}
    lines = calls_diff(finding.expected, telling_side(finding).calls)
    return [
        (kinds.get(line[0], "same"), page_text(line[2:], _MOST_OF_A_DIFF_LINE)) for line in lines
    ]
