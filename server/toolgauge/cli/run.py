"""``toolgauge run``: ask models the cases of suites, and show what came of it."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from toolgauge.model.run import Run
    from toolgauge.service.runs import Prepared, RunRequest, TrialSpool
    from toolgauge.settings import Settings

Choice = Literal["required", "auto", "none"]


def run(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUITE...", help="Suite files, folders or globs."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="TARGET",
            help="provider/model, a name from .toolgauge.yml, builtin/lexical or "
            "replay/FILE; several times for several.",
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="How often each case is asked.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, max=1000, help="Requests in flight per provider.")
    ] = 8,
    tool_choice: Annotated[
        Choice | None, typer.Option(help="In place of the suite's default.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="In place of the suite's.")
    ] = None,
    system_prompt: Annotated[
        str | None, typer.Option(help="Sent with every case that has none of its own.")
    ] = None,
    api_base: Annotated[
        str | None, typer.Option(help="Address of the models' server (http://…/v1).")
    ] = None,
    embedding_model: Annotated[str | None, typer.Option(help="For the mode 'semantic'.")] = None,
    min_score: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit with 1 where a target's overall is below."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the result file here.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The project file, in place of .toolgauge.yml.")
    ] = None,
    failures: Annotated[int, typer.Option(min=0, help="How many failing cases to show.")] = 20,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result file to stdout.")
    ] = False,
) -> int:
    """Ask models the cases of suites; show means, errors and failing cases.

    Try it without a key: toolgauge run suites/everyday_tools.yaml -m builtin/lexical
    """
    from toolgauge.model.run import RunOptions
    from toolgauge.service.runs import RunRequest, prepare
    from toolgauge.settings import Settings

    settings = Settings.from_env()
    options = RunOptions(
        repeats=repeats,
        tool_choice=tool_choice,
        temperature=temperature,
        system_prompts={} if system_prompt is None else {"_global": system_prompt},
        embedding_model=embedding_model,
        concurrency=concurrency,
    )
    request = RunRequest(
        tuple(suites or ()), tuple(model or ()), options, api_base=api_base, config=config
    )
    prepared = prepare(request, settings)
    shown = Shown(out=out, as_json=as_json, failures=failures, min_score=min_score)
    return _run_and_show(request, prepared, settings, shown)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the caller wants to see of the runs."""

    out: Path | None
    as_json: bool
    failures: int
    min_score: float | None


def _run_and_show(
    request: RunRequest, prepared: tuple[Prepared, ...], settings: Settings, shown: Shown
) -> int:
    import anyio

    from toolgauge.cli.output import print_warnings
    from toolgauge.cli.progress import watching
    from toolgauge.service import runs

    for one in prepared:
        print_warnings(one.file, one.warnings)
    with ExitStack() as spool_files:
        spools = [spool_files.enter_context(runs.open_spool()) for _ in prepared]
        with watching() as watcher:
            finished = anyio.run(
                partial(
                    runs.evaluate_all,
                    prepared,
                    settings,
                    spools=spools,
                    emit=watcher.on_event,
                    api_base=request.api_base,
                )
            )
        results = [(done.run, spool) for done, spool in zip(finished, spools, strict=True)]
        if shown.out:
            runs.write_results(shown.out, results)
        _print(results, shown)
    if problem := runs.unmeasured(finished):
        raise problem
    return _too_low([done.run for done in finished], shown.min_score)


def _print(results: list[tuple[Run, TrialSpool]], shown: Shown) -> None:
    from toolgauge.cli.output import console
    from toolgauge.report.failures import failing_cases
    from toolgauge.report.terminal import failure_table, run_table
    from toolgauge.service import runs

    if shown.as_json:
        runs.dump(results, sys.stdout)
        return
    screen = console()
    for run, spool in results:
        screen.print(run_table(run))
        failing = failing_cases(run, spool.trials()) if shown.failures else ()
        if failing:
            screen.print(failure_table(failing, most=shown.failures))


def _too_low(runs: list[Run], min_score: float | None) -> int:
    from toolgauge.cli.output import print_error

    low = [
        f"{run.suite_name}: {summary.target} scored {summary.score:.3f}, below {min_score:g}"
        for run in runs
        for summary in run.summaries
        if min_score is not None and summary.score is not None and summary.score < min_score - 1e-9
    ]
    if low:
        print_error("\n".join(low), kind="below_min_score")
    return 1 if low else 0
