"""``toolgauge compare``: two measured sides, case by case."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from toolgauge.cli.stored import AsJson, DatabaseUrl


def compare(
    baseline: Annotated[
        str, typer.Argument(metavar="A", help="A result or baseline file, a run, an experiment.")
    ],
    head: Annotated[str, typer.Argument(metavar="B", help="What to compare with it.")],
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Compare two measured sides: which cases changed, and whether it can be chance.

    Cases whose expectation differs are listed, not compared. It decides nothing: gate does.
    """
    from toolgauge.cli.loop import run_async
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.json_report import comparison_json, report_json
    from toolgauge.report.terminal import comparison_lines, comparison_table
    from toolgauge.report.terminal_gate import suites_table
    from toolgauge.service import comparisons
    from toolgauge.settings import Settings

    settings = Settings.from_env()
    found = run_async(partial(comparisons.compare, baseline, head, settings, database=database))
    if as_json:
        shown = [comparison_json(one) for one in found.comparisons]
        print_json({"comparisons": shown, "report": report_json(found.report)})
        return 0
    for one in found.comparisons:
        if one.changed_cases:
            console().print(comparison_table(one))
        for line in comparison_lines(one):
            console().print(line, soft_wrap=True)
    console().print(suites_table(found.report))
    return 0
