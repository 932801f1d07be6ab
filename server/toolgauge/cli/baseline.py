"""``toolgauge baseline``: baseline files, made to be committed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolgauge.cli.stored import AsJson, DatabaseUrl, with_store

app = typer.Typer(no_args_is_help=True, help="Write baseline files.")


@app.callback()
def baseline() -> None:
    """Write baseline files."""


@app.command()
def write(
    file: Annotated[Path, typer.Argument(help="The baseline file (evals/baseline.json, say).")],
    run: Annotated[
        list[str], typer.Option(metavar="RUN", help="A stored run; several times for several.")
    ],
    commit: Annotated[str | None, typer.Option(help="The commit that was measured.")] = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Write stored runs as a baseline file; one that errored too often is refused."""
    from toolgauge.cli.output import print_done
    from toolgauge.service.gates import keep_baseline

    kept = with_store(database, lambda db, _: keep_baseline(db, run, file, commit=commit))
    what = [f"{one.side.suite} on {one.side.target}: {len(one.tallies)} cases" for one in kept]
    print_done("\n".join(what), {"file": str(file), "entries": what}, as_json=as_json)
    return 0
