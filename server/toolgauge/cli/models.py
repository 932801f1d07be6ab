"""``toolgauge models``: which targets can be asked now, and what others lack."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def models(
    config: Annotated[
        Path | None, typer.Option(help="The project file, in place of .toolgauge.yml.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """List the targets that can be asked now, and say what the others lack.

    Any provider/model that litellm knows can be named too, whether listed or not.
    """
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.terminal import target_table
    from toolgauge.service.project import open_project
    from toolgauge.service.targets import target_states
    from toolgauge.settings import Settings

    states = target_states(open_project(config).targets, Settings.from_env())
    if as_json:
        items = [
            {
                "id": state.target.name,
                "model": state.target.model,
                "can_run": state.why_not is None,
                "why_not": state.why_not,
            }
            for state in states
        ]
        print_json({"items": items, "next_cursor": None})
    else:
        console().print(target_table([(s.target, s.why_not) for s in states]))
    return 0
