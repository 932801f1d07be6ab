"""``toolgauge compare``: two result files side by side, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare(
    baseline: Annotated[Path, typer.Argument(help="A result file (run --out).")],
    head: Annotated[Path, typer.Argument(help="The result file to compare with it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare two result files: means, and which cases changed.

    Cases whose expectation differs are listed, not compared.
    """
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.json_report import comparison_json
    from toolgauge.report.terminal import comparison_lines, comparison_table
    from toolgauge.service.comparisons import compare_files

    found = compare_files(baseline, head)
    if as_json:
        print_json({"comparisons": [comparison_json(one) for one in found]})
        return 0
    for one in found:
        if one.changed_cases:
            console().print(comparison_table(one))
        for line in comparison_lines(one):
            console().print(line, soft_wrap=True)
    return 0
