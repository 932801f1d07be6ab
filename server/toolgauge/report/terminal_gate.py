"""A report of a gate for a terminal: the verdict, a table per suite, and what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from toolgauge.model.report import CaseFinding, Notice, Report, SuiteReport, Verdict
from toolgauge.report import wording
from toolgauge.report.calls import calls_diff
from toolgauge.report.case_rows import telling_side
from toolgauge.report.escape import one_line
from toolgauge.report.terminal import NONE, number, table

_STYLES: Mapping[Verdict, str] = MappingProxyType(
    {
        "pass": "bold green",
        "warn": "bold yellow",
        "fail": "bold red",
        "no-baseline": "bold",
        "inconclusive": "bold magenta",
        "error": "bold magenta",
    }
)
_DIFF_STYLES = {"-": "red", "+": "green"}
_MOST_DETAILS = 10


def gate_table(report: Report, *, most: int = 20) -> Group:
    """Return a whole report to print: at most ``most`` regressions and as many suspects."""
    return Group(*_parts(report, most))


def _parts(report: Report, most: int) -> Iterator[RenderableType]:
    sentence = wording.verdict_sentence(report.verdict, report.reason)
    yield Text(one_line(sentence, 1000), style=_STYLES[report.verdict])
    yield Text(wording.numbers_in_short(report.totals, report.policy.metric))
    for notice in report.notices:
        yield _notice(notice)
    yield Text()
    yield suites_table(report)
    yield from _findings("Regressions", report.suites, [s.regressions for s in report.suites], most)
    suspects = [suite.suspects for suite in report.suites]
    yield from _findings("Suspects, not confirmed", report.suites, suspects, most)
    yield Text(f"{wording.policy_in_short(report.policy)}; {wording.visible_drop(report.totals)}")
    for suite in report.suites:
        for extra in suite.extra:
            yield Text(f"{one_line(suite.head.suite, 60)}: {wording.extra_in_short(extra)}")
    if report.how_to_accept:
        yield Text(one_line(report.how_to_accept, 1000))


def _notice(notice: Notice) -> Text:
    where = ""
    if notice.suite is not None:
        where = f"{one_line(notice.suite, 60)} on {one_line(notice.target or '', 60)}: "
    shown = [one_line(name, 60) for name in notice.details[:_MOST_DETAILS]]
    if rest := len(notice.details) - len(shown):
        shown.append(f"{rest} more")
    names = f" ({', '.join(shown)})" if shown else ""
    return Text(f"! {where}{one_line(notice.text, 500)}{names}", style="yellow")


def suites_table(report: Report) -> Table:
    """Return one row per suite and target: rates, scores, the effect and its chance."""
    metric = report.policy.metric
    delta = f"Delta {wording.METRICS[metric]}"
    columns = ("Suite", "Target", "Cases", "Passed", "Score", delta, "95% interval", "p", "Verdict")
    shown = table(Text("Head against baseline"), *columns)
    for column in shown.columns[2:-1]:
        column.justify = "right"
    for suite in report.suites:
        head, base = suite.numbers.head, suite.numbers.baseline
        effect = wording.effect_of(suite.numbers, metric)
        rates = [side.pass_rate if side else None for side in (base, head)]
        was, now = (wording.percent(rate.value if rate else None) for rate in rates)
        shown.add_row(
            Text(one_line(suite.head.suite, 60), style="bold"),
            Text(one_line(suite.head.target, 60)),
            str(suite.numbers.cases or NONE),
            now if base is None else f"{was} -> {now}",
            number(head.score) if base is None else f"{number(base.score)} -> {number(head.score)}",
            _points(effect.delta.value if effect else None),
            wording.interval(effect.delta) if effect else NONE,
            wording.chance(effect).removeprefix("= "),
            Text(wording.VERDICTS[suite.verdict], style=_STYLES[suite.verdict]),
        )
    return shown


def _findings(
    title: str,
    suites: Sequence[SuiteReport],
    findings: Sequence[Sequence[CaseFinding]],
    most: int,
) -> Iterator[RenderableType]:
    found = [(suite, one) for suite, own in zip(suites, findings, strict=True) for one in own]
    if not found:
        return
    yield Text(f"{title} ({len(found)})", style="bold")
    for suite, finding in found[:most]:
        yield Padding(_finding(suite, finding), (0, 0, 1, 2))
    if len(found) > most:
        yield Text(f"  and {len(found) - most} more\n")


def _finding(suite: SuiteReport, finding: CaseFinding) -> Text:
    side = telling_side(finding)
    facts = [
        wording.before_and_now(finding),
        *(["critical"] if finding.critical else []),
        *([one_line(side.failure_kind, 40)] if side.failure_kind else []),
        *([finding.note] if finding.note else []),
    ]
    shown = Text(one_line(finding.case_id, 80), style="bold")
    where = f"{one_line(suite.head.suite, 60)} on {one_line(suite.head.target, 60)}"
    shown.append(f"  {where}  {one_line('; '.join(facts), 400)}", style="not bold")
    if side.reason:
        shown.append(f"\n{one_line(side.reason, 300)}", style="not bold dim")
    for line in calls_diff(finding.expected, side.calls)[:12]:
        style = _DIFF_STYLES.get(line[0], "")
        shown.append(f"\n{one_line(line, 200)}", style=f"not bold {style}")
    return shown


def _points(delta: float | None) -> Text:
    if delta is None:
        return Text(NONE)
    style = "red" if delta < 0 else "green" if delta > 0 else ""
    return Text(wording.points(delta), style=style)
