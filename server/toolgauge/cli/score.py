"""``toolgauge score``: score recorded outputs, without asking a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def score(
    suite: Annotated[Path, typer.Argument(help="The suite file.")],
    transcripts: Annotated[
        Path, typer.Option("--transcripts", "-t", help="Recorded outputs, JSONL.")
    ],
    embedding_model: Annotated[
        str | None, typer.Option(help="For the mode 'semantic'; the only model that is asked.")
    ] = None,
    failures: Annotated[int, typer.Option(min=0, help="How many failing cases to show.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Score recorded outputs against a suite; no model is asked.

    A transcript has one line per trial: case_id, target, repeat, messages. With --json
    it prints every scored trial and the means.
    """
    import anyio

    from toolgauge.cli.output import console, print_json, print_warnings
    from toolgauge.model import trial_json
    from toolgauge.report.failures import failing_cases
    from toolgauge.report.terminal import failure_table, run_table
    from toolgauge.service.scores import score_transcripts
    from toolgauge.settings import Settings

    done = anyio.run(score_transcripts, suite, transcripts, embedding_model, Settings.from_env())
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
