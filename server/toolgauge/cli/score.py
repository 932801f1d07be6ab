"""``toolgauge score``: score recorded outputs, without asking a model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolgauge.cli.stored import Scorers

if TYPE_CHECKING:
    from toolgauge.service.scores import ScoredTranscript

ReportFormat = Literal["tool-call-benchmark"]


def score(
    suite: Annotated[Path, typer.Argument(help="The suite file.")],
    transcripts: Annotated[
        Path, typer.Option("--transcripts", "-t", help="Recorded outputs, JSONL.")
    ],
    embedding_model: Annotated[
        str | None, typer.Option(help="For the mode 'semantic'; the only model that is asked.")
    ] = None,
    scorer: Scorers = None,
    failures: Annotated[int, typer.Option(min=0, help="How many failing cases to show.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    report: Annotated[
        ReportFormat | None,
        typer.Option("--format", help="Print the report of another system instead."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write that report into this folder.")
    ] = None,
) -> int:
    """Score recorded outputs against a suite; no model is asked.

    A transcript has one line per trial: case_id, target, repeat, messages (OpenAI's or
    LangChain's). With --json it prints every scored trial and the means.
    """
    from toolgauge.cli.loop import run_async
    from toolgauge.cli.output import console, print_json, print_warnings
    from toolgauge.errors import UsageError
    from toolgauge.model import trial_json
    from toolgauge.report.failures import failing_cases
    from toolgauge.report.terminal import failure_table, run_table
    from toolgauge.service.scores import score_transcripts
    from toolgauge.settings import Settings

    if out and not report:
        raise UsageError("--out is for a report: add --format tool-call-benchmark")
    done = run_async(
        partial(
            score_transcripts,
            suite,
            transcripts,
            Settings.from_env(),
            embedding_model=embedding_model,
            scorers=tuple(scorer or ()),
        )
    )
    if report:
        _print_report(done, out)
        return 0
    if as_json:
        print_json(
            {
                "trials": [trial_json.to_json(trial) for trial in done.trials],
                "aggregate": {name: mean.as_json() for name, mean in done.aggregate.items()},
            }
        )
        return 0
    print_warnings(str(suite), done.warnings)
    console().print(run_table(done.run))
    failing = failing_cases(done.run, done.trials)
    if failing and failures:
        console().print(failure_table(failing, most=failures))
    return 0


def _print_report(done: ScoredTranscript, out: Path | None) -> None:
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.escape import one_line
    from toolgauge.service.scores import tool_call_benchmark, write_benchmark_report

    if out is None:
        print_json(tool_call_benchmark(done))
        return
    console().print(one_line(str(write_benchmark_report(done, out)), 4000), soft_wrap=True)
