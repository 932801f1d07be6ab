"""``toolgauge suites``: suites that are kept, with every version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.stored import AsJson, Cursor, DatabaseUrl, Limit, with_store

if TYPE_CHECKING:
    from toolgauge.store.pages import Page
    from toolgauge.store.suites import SavedSuite

app = typer.Typer(no_args_is_help=True, help="Save, list, show and delete suites.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a saved suite.")]


@app.command()
def save(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Suite files.")],
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Keep suites; a version is added where the content changed."""
    from toolgauge.cli.output import print_done
    from toolgauge.service.saved_suites import save_suites
    from toolgauge.service.suites import find_suites, load_suites
    from toolgauge.service.views import suite_view

    loaded = load_suites(find_suites(files))
    saved = with_store(database, lambda db, _: save_suites(db, loaded))
    print_done(
        "\n".join(f"{one.name}: version {one.version}, {one.n_cases} cases" for one in saved),
        {"items": [suite_view(one) for one in saved]},
        as_json=as_json,
    )
    return 0


@app.command(name="list")
def list_suites(
    cursor: Cursor = None, limit: Limit = 20, database: DatabaseUrl = None, as_json: AsJson = False
) -> int:
    """List suites, the last saved first."""
    from toolgauge.store import suites

    page = with_store(database, lambda db, _: suites.page(db, cursor=cursor, limit=limit))
    return _print_page("Suites", page, as_json=as_json)


@app.command()
def history(
    name: Name,
    cursor: Cursor = None,
    limit: Limit = 20,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """List the versions of a suite, the latest first."""
    from toolgauge.store import suites

    page = with_store(database, lambda db, _: suites.history(db, name, cursor=cursor, limit=limit))
    return _print_page(name, page, as_json=as_json)


@app.command()
def show(
    name: Name,
    version: Annotated[int | None, typer.Option(help="The latest without it.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it here.")] = None,
    database: DatabaseUrl = None,
) -> int:
    """Print a saved suite as JSON, ready to be run and edited."""
    from toolgauge.cli.output import print_json
    from toolgauge.service.saved_suites import write_suite
    from toolgauge.store import suites

    _, document = with_store(database, lambda db, _: suites.get(db, name, version=version))
    if out:
        write_suite(document, out)
    else:
        print_json(suites.suite_json(document))
    return 0


@app.command()
def delete(
    name: Name,
    force: Annotated[
        bool, typer.Option("--force", help="Even where runs were made with it.")
    ] = False,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Delete every version of a suite; its runs stay."""
    from toolgauge.cli.output import print_done
    from toolgauge.store import suites

    with_store(database, lambda db, _: suites.remove(db, name, force=force))
    print_done(f"suite {name} is deleted", {"deleted": name}, as_json=as_json)
    return 0


def _print_page(title: str, page: Page[SavedSuite], *, as_json: bool) -> int:
    from toolgauge.cli.output import console, print_json, print_note
    from toolgauge.report.listings import suites_table
    from toolgauge.service.views import suite_view

    if as_json:
        items = [suite_view(one) for one in page.items]
        print_json({"items": items, "next_cursor": page.next_cursor})
        return 0
    console().print(suites_table(title, [suite_view(one) for one in page.items]))
    if page.next_cursor:
        print_note(f"more with --cursor {page.next_cursor}")
    return 0
