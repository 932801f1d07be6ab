"""``toolgauge experiments``: runs of one suite against a baseline, over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.stored import AsJson, Cursor, DatabaseUrl, Limit, with_store

if TYPE_CHECKING:
    from toolgauge.model.experiment import Experiment
    from toolgauge.service.experiments import Timeline
    from toolgauge.settings import Settings
    from toolgauge.store.database import Database

app = typer.Typer(no_args_is_help=True, help="Group runs of a suite and watch them over time.")
Name = Annotated[str, typer.Argument(metavar="EXPERIMENT", help="Its id or name.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    suite: Annotated[str, typer.Option(help="The name of the suite whose runs it groups.")],
    description: Annotated[str, typer.Option(help="What it is about.")] = "",
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Make an experiment; run --experiment NAME makes one too."""
    from toolgauge.service import experiments

    made = with_store(
        database, lambda db, _: experiments.create(db, name, suite, description=description)
    )
    return _print_one(made, f"experiment {made.id} is made", as_json=as_json)


@app.command(name="list")
def list_experiments(
    cursor: Cursor = None, limit: Limit = 20, database: DatabaseUrl = None, as_json: AsJson = False
) -> int:
    """List experiments, newest first."""
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.listings import experiments_table
    from toolgauge.service.views import experiment_view
    from toolgauge.store import experiments

    page = with_store(database, lambda db, _: experiments.page(db, cursor=cursor, limit=limit))
    if as_json:
        items = [experiment_view(one) for one in page.items]
        print_json({"items": items, "next_cursor": page.next_cursor})
    else:
        console().print(experiments_table(page.items))
    return 0


@app.command()
def show(
    experiment: Name,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the timeline (.svg or .png).")
    ] = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Show the timeline with deltas from the baseline, and the best configuration."""
    from toolgauge.cli.output import console, print_json
    from toolgauge.report.listings import best_line, timeline_table
    from toolgauge.service.plots import draw, in_terminal
    from toolgauge.service.views import timeline_view

    shown = with_store(database, lambda db, _: _timeline(db, experiment))
    if plot:
        draw(shown, plot)
    if as_json:
        print_json(timeline_view(shown))
        return 0
    screen = console()
    screen.print(timeline_table(shown.experiment.name, shown.entries))
    screen.print(best_line(shown.best), soft_wrap=True)
    if screen.is_terminal and len(shown.entries) > 1:
        screen.print(in_terminal(shown, width=screen.width))
    return 0


@app.command()
def edit(
    experiment: Name,
    name: Annotated[str | None, typer.Option(help="A new name.")] = None,
    description: Annotated[str | None, typer.Option(help="A new description.")] = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Rename an experiment or describe it anew."""
    from toolgauge.service.experiments import find
    from toolgauge.store import experiments

    async def change(db: Database, _: Settings) -> Experiment:
        found = await find(db, experiment)
        return await experiments.edit(db, found.id, name=name, description=description)

    changed = with_store(database, change)
    return _print_one(changed, f"experiment {changed.id} is changed", as_json=as_json)


@app.command()
def pin(
    experiment: Name,
    run: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="Without it: the first run again.")
    ] = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Pin a run as the baseline that all others are compared with."""
    from toolgauge.service.experiments import find
    from toolgauge.store import experiments

    async def change(db: Database, _: Settings) -> Experiment:
        return await experiments.pin(db, (await find(db, experiment)).id, run)

    return _print_one(with_store(database, change), "the baseline is pinned", as_json=as_json)


@app.command()
def delete(experiment: Name, database: DatabaseUrl = None, as_json: AsJson = False) -> int:
    """Delete an experiment; its runs stay."""
    from toolgauge.cli.output import print_done
    from toolgauge.service.experiments import find
    from toolgauge.store import experiments

    async def remove(db: Database, _: Settings) -> None:
        await experiments.remove(db, (await find(db, experiment)).id)

    with_store(database, remove)
    print_done(f"experiment {experiment} is deleted", {"deleted": experiment}, as_json=as_json)
    return 0


@app.command(name="run-best")
def run_best(
    experiment: Name,
    api_base: Annotated[str | None, typer.Option(help="In place of the target's address.")] = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Run the best configuration so far exactly again, linked to the experiment."""
    from toolgauge.cli.run import RunCommand, Shown
    from toolgauge.model.run import RunOptions
    from toolgauge.service.experiments import find, start_best
    from toolgauge.service.runs import RunRequest
    from toolgauge.settings import Settings

    async def start(db: Database, _: Settings) -> str:
        return await start_best(db, await find(db, experiment))

    run_id = with_store(database, start)
    request = RunRequest((), (), RunOptions(), api_base=api_base)
    command = RunCommand(request, Settings.from_env(), Shown(as_json=as_json), database=database)
    return command.resume(run_id)


async def _timeline(database: Database, experiment: str) -> Timeline:
    from toolgauge.service.experiments import find, show

    return await show(database, await find(database, experiment))


def _print_one(experiment: Experiment, done: str, *, as_json: bool) -> int:
    from toolgauge.cli.output import print_done
    from toolgauge.service.views import experiment_view

    print_done(done, experiment_view(experiment), as_json=as_json)
    return 0
