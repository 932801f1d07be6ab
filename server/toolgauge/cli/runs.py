"""``toolgauge runs``: what was run, listed, shown, exported, deleted and scored again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.stored import AsJson, Cursor, DatabaseUrl, Limit, Scorers, with_store

if TYPE_CHECKING:
    from toolgauge.report.failures import FailingCase
    from toolgauge.settings import Settings
    from toolgauge.store.database import Database
    from toolgauge.store.runs import StoredRun

app = typer.Typer(no_args_is_help=True, help="List, show, export and delete stored runs.")
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of a run.")]


@app.command(name="list")
def list_runs(
    suite: Annotated[str | None, typer.Option(help="Only runs of this suite.")] = None,
    cursor: Cursor = None,
    limit: Limit = 20,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """List runs, newest first."""
    from toolgauge.cli.output import console, print_json, print_note
    from toolgauge.report.listings import runs_table
    from toolgauge.service.views import run_view
    from toolgauge.store import runs

    page = with_store(
        database,
        lambda db, _: runs.page(db, runs.RunFilter(suite_name=suite), cursor=cursor, limit=limit),
    )
    if as_json:
        items = [run_view(stored) for stored in page.items]
        print_json({"items": items, "next_cursor": page.next_cursor})
        return 0
    console().print(runs_table(stored.run for stored in page.items))
    if page.next_cursor:
        print_note(f"more with: toolgauge runs list --cursor {page.next_cursor}")
    return 0


@app.command()
def show(
    run: RunId,
    failures: Annotated[int, typer.Option(min=0, help="How many failing cases to show.")] = 20,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Show what a run came to, and its failing cases."""
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.terminal import failure_table, run_table
    from toolgauge.service.experiments import delta_of
    from toolgauge.service.views import failing_of, run_view
    from toolgauge.store import runs

    async def read(
        db: Database, _: Settings
    ) -> tuple[StoredRun, tuple[FailingCase, ...], float | None]:
        stored = await runs.get(db, run)
        failing = await failing_of(db, stored.run, most=failures)
        return stored, failing, await delta_of(db, stored)

    stored, failing, delta = with_store(database, read)
    if as_json:
        print_json(run_view(stored, failing=failing))
        return 0
    console().print(run_table(stored.run, delta=delta))
    if failing:
        console().print(failure_table(failing, most=failures))
    return 0


@app.command()
def export(
    run: RunId,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The result file; stdout without it.")
    ] = None,
    database: DatabaseUrl = None,
) -> int:
    """Write a run with all its trials as a result file, for compare and for others."""
    from toolgauge.service.runs import dump, write_results

    with_store(
        database,
        lambda db, _: write_results(out, db, [run]) if out else dump(db, [run], sys.stdout),
    )
    return 0


@app.command()
def delete(run: RunId, database: DatabaseUrl = None, as_json: AsJson = False) -> int:
    """Delete a run with its trials; a pinned baseline is refused."""
    from toolgauge.cli.output import print_done
    from toolgauge.store import runs

    with_store(database, lambda db, _: runs.remove(db, run))
    print_done(f"run {run} is deleted", {"deleted": run}, as_json=as_json)
    return 0


def rescore(
    run: RunId,
    suite: Annotated[
        Path | None, typer.Option(help="Score by this suite file instead of the run's own.")
    ] = None,
    scorer: Scorers = None,
    failures: Annotated[int, typer.Option(min=0, help="How many failing cases to show.")] = 20,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Score a stored run again by today's expectations, as a new run; no model is asked."""
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.terminal import failure_table, run_table
    from toolgauge.service.project import open_project
    from toolgauge.service.rescoring import rescore_run
    from toolgauge.service.scorers import load_scorers
    from toolgauge.service.suites import load_suites
    from toolgauge.service.views import run_view
    from toolgauge.store.runs import StoredRun

    document = load_suites([suite])[0].document if suite else None
    scorers = load_scorers(scorer or (), open_project(None).import_roots)
    done = with_store(
        database,
        lambda db, settings: rescore_run(db, run, settings, document=document, scorers=scorers),
    )
    if as_json:
        print_json(run_view(StoredRun(done.run, source_run_id=run), failing=done.failing))
        return 0
    console().print(run_table(done.run))
    if done.failing and failures:
        console().print(failure_table(done.failing, most=failures))
    return 0
