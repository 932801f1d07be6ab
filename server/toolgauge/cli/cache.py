"""``toolgauge cache``: what the response cache holds of a request, and what differs."""

from __future__ import annotations

from typing import Annotated

import typer

from toolgauge.cli.stored import AsJson, DatabaseUrl, with_store

app = typer.Typer(no_args_is_help=True, help="Look into the response cache.")


@app.callback()
def cache() -> None:
    """Look into the response cache."""


@app.command()
def explain(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run.")],
    case: Annotated[str, typer.Argument(metavar="CASE", help="The id of one of its cases.")],
    repeat: Annotated[int, typer.Option(min=0, help="Which repeat.")] = 0,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Say which part of a case's request differs from the nearest stored one."""
    from dataclasses import asdict

    from toolgauge.cli.output import console, print_json
    from toolgauge.report.listings import explanation_lines
    from toolgauge.service.caches import explain_case

    found = with_store(database, lambda db, _: explain_case(db, run, case, repeat=repeat))
    if as_json:
        items = [
            {"id": one.target, "is_stored": one.explanation.is_stored} | asdict(one.explanation)
            for one in found
        ]
        print_json({"items": items})
        return 0
    for one in found:
        known = one.explanation
        lines = explanation_lines(
            one.target,
            is_stored=known.is_stored,
            nearest=known.nearest_key is not None,
            differences=[(difference.part, difference.diff) for difference in known.differences],
        )
        for line in lines:
            console().print(line, soft_wrap=True)
    return 0
