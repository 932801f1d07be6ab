"""``toolgauge gate``: run suites, compare with a baseline, and exit by the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from toolgauge.cli.stored import AsJson, DatabaseUrl, with_store

if TYPE_CHECKING:
    from toolgauge.model.policy import Policy
    from toolgauge.model.report import Report
    from toolgauge.service.gates import GateOutcome
    from toolgauge.settings import Settings
    from toolgauge.store.database import Database

_CHECK = "check"


class _ChecksByDefault(TyperGroup):
    """A group whose first word may be left out: ``gate SUITE`` is ``gate check SUITE``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_CHECK, *args]
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    cls=_ChecksByDefault,
    no_args_is_help=True,
    help="Say whether something got worse, with stated error rates. gate SUITE... is short "
    "for gate check SUITE...",
)
PolicyName = Literal["statistical", "strict", "report-only"]


@app.command(name=_CHECK)
def check(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUITE...", help="Suite files, folders or globs."),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", metavar="TARGET", help="As in run.")
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            "-b",
            metavar="FILE|RUN|EXPERIMENT",
            help="What to compare with: a baseline or result file, a stored run, an experiment.",
        ),
    ] = None,
    policy: Annotated[
        PolicyName | None, typer.Option(help="statistical unless the project says otherwise.")
    ] = None,
    metric: Annotated[
        Literal["passed", "overall"] | None, typer.Option(help="What the gate decides on.")
    ] = None,
    max_drop: Annotated[
        float | None, typer.Option(min=0, max=1, help="The drop that is put up with (0.02).")
    ] = None,
    min_score: Annotated[
        float | None, typer.Option(min=0, max=1, help="Fail below this, whatever was before.")
    ] = None,
    fail_on: Annotated[
        Literal["either", "suite", "case"] | None,
        typer.Option(help="A suite's drop, a confirmed case, or either."),
    ] = None,
    second_batch: Annotated[
        bool | None,
        typer.Option("--second-batch/--no-second-batch", help="Ask once more where unclear."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="How often each case is asked (3).")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="As in run.")] = 8,
    api_base: Annotated[str | None, typer.Option(help="As in run.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, metavar="USD", help="Stop before the gate costs more.")
    ] = None,
    cache: Annotated[bool, typer.Option("--cache", help="As in run.")] = False,
    experiment: Annotated[str | None, typer.Option(metavar="NAME", help="As in run.")] = None,
    commit: Annotated[str | None, typer.Option(help="The head's commit, for the report.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a PR comment.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as JSON.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the head as a baseline file.")
    ] = None,
    database: DatabaseUrl = None,
    config: Annotated[Path | None, typer.Option(help="As in run.")] = None,
    as_json: AsJson = False,
) -> int:
    """Run suites, compare them with a baseline, and exit with 1 where they got worse.

    0: pass, warn or no baseline. 1: fail. 2: usage. 3: it could not be decided.
    """
    from toolgauge.model.run import RunOptions
    from toolgauge.service.gates import GateRequest
    from toolgauge.service.project import open_project
    from toolgauge.service.runs import RunRequest

    project = open_project(config)
    stated = {
        "policy": policy,
        "metric": metric,
        "max_drop": max_drop,
        "min_score": min_score,
        "fail_on": fail_on,
        "second_batch": second_batch,
    }
    request = GateRequest(
        run=RunRequest(
            suites=tuple(suites or ()),
            targets=tuple(model or ()),
            options=RunOptions(repeats=repeats or project.gate.repeats, concurrency=concurrency),
            api_base=api_base,
            config=config,
            experiment=experiment,
            max_cost_usd=max_cost,
            cache="read-write" if cache else "off",
        ),
        policy=_policy(project.gate, stated),
        baseline=baseline,
        commit=commit,
        how_to_accept="toolgauge baseline write FILE --run RUN, and commit the file",
    )
    files = Files(markdown, html, junit, report, write_baseline)
    return _gate_and_show(request, files, database, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Files:
    """Where the caller wants the report."""

    markdown: Path | None = None
    html: Path | None = None
    junit: Path | None = None
    report: Path | None = None
    baseline: Path | None = None


@app.command()
def selftest(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Runs with several repeats of each case.")
    ],
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of the pretend head.")] = 3,
    gates: Annotated[int, typer.Option(min=1, help="How many gates to play through.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same figures.")] = 0,
    database: DatabaseUrl = None,
    config: Annotated[Path | None, typer.Option(help="As in run.")] = None,
    as_json: AsJson = False,
) -> int:
    """Measure this suite's false alarms and power, by splitting recorded repeats."""
    from dataclasses import asdict

    from toolgauge.cli.output import console, print_json
    from toolgauge.report.listings import selftest_table
    from toolgauge.service.gates import selftest_runs
    from toolgauge.service.project import open_project

    policy = _policy(open_project(config).gate, {})
    found = with_store(
        database,
        lambda db, _: selftest_runs(db, runs, policy, repeats=repeats, gates=gates, seed=seed),
    )
    if as_json:
        items = [{"id": f"{side.suite} on {side.target}"} | asdict(done) for side, done in found]
        print_json({"items": items})
        return 0
    for side, done in found:
        console().print(selftest_table(f"{side.suite} on {side.target}", done))
    return 0


def _policy(project: Policy, stated: dict[str, Any]) -> Policy:
    from toolgauge.model.policy import Policy

    own = project.model_dump(include=set(Policy.model_fields))
    return Policy.model_validate(own | {k: v for k, v in stated.items() if v is not None})


def _gate_and_show(request: Any, files: Files, database: str | None, *, as_json: bool) -> int:
    from toolgauge.cli.output import console, print_json
    from toolgauge.cli.progress import watching
    from toolgauge.report.json_report import report_json
    from toolgauge.report.terminal_gate import gate_table
    from toolgauge.service.gates import gate

    with watching() as watcher:

        async def work(db: Database, settings: Settings) -> GateOutcome:
            return await gate(request, settings, db, emit=watcher.on_event)

        outcome = with_store(database, work)
    write_reports(outcome.report, files)
    if files.baseline:
        from toolgauge.formats.baseline_file import write_baseline

        write_baseline(files.baseline, outcome.heads)
    if as_json:
        print_json(report_json(outcome.report) | {"run_ids": list(outcome.run_ids)})
    else:
        console().print(gate_table(outcome.report))
    return outcome.report.exit_code


def write_reports(report: Report, files: Files) -> None:
    """Write the report in every form that is wanted, each file whole or not at all."""
    from toolgauge.formats.results_file import whole_file
    from toolgauge.report.html_page import html_page
    from toolgauge.report.json_report import report_text
    from toolgauge.report.junit import junit
    from toolgauge.report.markdown import markdown

    for path, render in (
        (files.markdown, markdown),
        (files.html, html_page),
        (files.junit, junit),
        (files.report, report_text),
    ):
        if path:
            with whole_file(path) as file:
                file.write(render(report))
