"""Tables of what is stored: runs, suites, experiments, timelines, estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from rich.table import Table
from rich.text import Text

from toolgauge.model.estimate import Estimate
from toolgauge.model.experiment import BestConfig, Experiment, TimelineEntry
from toolgauge.model.run import Run
from toolgauge.model.selftest import SelfTest
from toolgauge.report.escape import one_line
from toolgauge.report.terminal import NONE, number, signed, table


def estimate_table(estimates: Iterable[Estimate]) -> Table:
    """Return one row per suite and target: requests, tokens and cost at most."""
    shown = table(
        Text("At most"), "Suite", "Target", "Trials", "From cache", "Calls", "Tokens", "Cost"
    )
    for one in estimates:
        shown.add_row(
            Text(one_line(one.suite)),
            Text(one_line(one.target)),
            str(one.trials),
            str(one.cached),
            str(one.calls),
            f"{one.input_tokens:,} in, {one.output_tokens:,} out",
            "unknown" if one.cost_usd is None else f"${one.cost_usd:.4f}",
        )
    return shown


def runs_table(runs: Iterable[Run]) -> Table:
    """Return one row per run, with the score of each of its targets."""
    shown = table(Text("Runs"), "Run", "Suite", "Status", "Started", "Scores")
    for run in runs:
        scores = "; ".join(f"{one.target} {number(one.score)}" for one in run.summaries)
        shown.add_row(
            run.id,
            Text(one_line(run.suite_name)),
            run.status,
            moment(run.started_at),
            Text(one_line(scores) or NONE),
        )
    return shown


def experiments_table(experiments: Iterable[Experiment]) -> Table:
    """Return one row per experiment."""
    shown = table(Text("Experiments"), "Experiment", "Name", "Suite", "Created", "Pinned baseline")
    for one in experiments:
        shown.add_row(
            one.id,
            Text(one_line(one.name)),
            Text(one_line(one.suite_name)),
            moment(one.created_at),
            one.baseline_run_id or NONE,
        )
    return shown


def timeline_table(name: str, entries: Iterable[TimelineEntry]) -> Table:
    """Return one row per run of an experiment, the oldest first."""
    shown = table(
        Text(one_line(name)), "Run", "Type", "When", "Status", "Score", "Delta", "Configuration"
    )
    for entry in entries:
        note = " (baseline)" if entry.is_baseline else ""
        if not entry.is_comparable:
            note = f" (not comparable: {len(entry.comparable_cases)} cases are)"
        shown.add_row(
            entry.run_id + note,
            entry.kind,
            moment(entry.at),
            entry.status,
            number(entry.score),
            signed(entry.delta),
            Text(one_line(entry.configuration)),
        )
    return shown


def best_line(best: BestConfig | None) -> str:
    """Return the best configuration so far in one line."""
    if best is None:
        return "no scored run yet"
    target, configuration = one_line(best.target.name), one_line(best.configuration)
    return f"best: {best.score:.3f} by {target} ({configuration}), run {best.run_id}"


def suites_table(title: str, suites: Iterable[Mapping[str, Any]]) -> Table:
    """Return one row per saved version of a suite."""
    shown = table(Text(one_line(title)), "Suite", "Version", "Cases", "Saved", "Content")
    for one in suites:
        shown.add_row(
            Text(one_line(one["name"])),
            str(one["version"]),
            str(one["n_cases"]),
            str(one["saved_at"])[:16].replace("T", " "),
            str(one["content_hash"])[:12],
        )
    return shown


def explanation_lines(
    target: str, *, is_stored: bool, nearest: bool, differences: Iterable[tuple[str, Iterable[str]]]
) -> list[str]:
    """Return what the cache knows of a request: that it answers, or what differs, as a diff."""
    name = one_line(target)
    if is_stored:
        return [f"{name}: the cache answers this request"]
    if not nearest:
        return [f"{name}: nothing like this request is stored; run with --cache to store it"]
    lines = [f"{name}: not stored; the nearest stored request differs in:"]
    for part, diff in differences:
        lines.append(f"  {part}")
        lines += [f"    {one_line(line, 400)}" for line in diff]
    return lines


def selftest_table(title: str, done: SelfTest) -> Table:
    """Return the measured false-alarm rate and the power at each injected drop."""
    shown = table(Text(one_line(title)), "Injected drop", "Gates", "Fails", "Rate", "95 %", "Warns")
    for tried in (done.unchanged, *done.dropped):
        interval = tried.interval
        shown.add_row(
            "none (false alarms)" if not tried.drop else f"{tried.drop:.0%}",
            str(tried.gates),
            str(tried.failed),
            f"{tried.fail_rate:.1%}",
            NONE if interval is None else f"{interval.low:.1%} to {interval.high:.1%}",
            str(tried.warned),
        )
    shown.caption = (
        f"{done.cases} cases, {done.head_runs:.1f} head against {done.baseline_runs:.1f} "
        f"baseline repeats; {done.left_out} cases with one repeat left out"
    )
    return shown


def moment(at: datetime) -> str:
    """Return a time as people read it, to the minute, in the zone it is given in."""
    return f"{at:%Y-%m-%d %H:%M}"
