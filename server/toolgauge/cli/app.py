"""The command line's frame: the commands, and errors turned into exit codes."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated

import typer

from toolgauge import __version__
from toolgauge.cli import (
    baseline,
    cache,
    compare,
    datasets,
    experiments,
    gate,
    init,
    mcp,
    models,
    run,
    runs,
    score,
    serve,
    suites,
    validate,
    worker,
)
from toolgauge.errors import CannotMeasure, CannotStore, InvalidFile, ToolgaugeError, UsageError

EXIT_USAGE, EXIT_UNMEASURED, EXIT_INTERRUPTED = 2, 3, 130

app = typer.Typer(
    name="toolgauge",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(name="run")(run.run)
app.command(name="score")(score.score)
app.command(name="compare")(compare.compare)
app.command(name="validate")(validate.validate)
app.command(name="models")(models.models)
app.command(name="rescore")(runs.rescore)
app.command(name="export")(datasets.export)
app.command(name="mcp")(mcp.mcp)
app.command(name="serve")(serve.serve)
app.command(name="worker")(worker.worker)
app.add_typer(init.commands)
app.add_typer(datasets.imports, name="import")
app.add_typer(gate.app, name="gate")
app.add_typer(baseline.app, name="baseline")
app.add_typer(runs.app, name="runs")
app.add_typer(suites.app, name="suites")
app.add_typer(experiments.app, name="experiments")
app.add_typer(cache.app, name="cache")


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer hands the flag over like this
    if wanted:
        typer.echo(f"toolgauge {__version__}")
        raise typer.Exit


@app.callback()
def toolgauge(
    version: Annotated[  # noqa: ARG001 - its callback acts
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log to stderr what is going on.")
    ] = False,
) -> None:
    """Measure how language models call tools, and say whether something got worse.

    Exit codes: 0 it ran; 1 a gate or --min-score said no; 2 usage, an invalid file, a
    missing key; 3 could not measure; 130 interrupted.
    """
    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    if not verbose:
        # its pool logs tracebacks of connections that a cancelled command left behind
        logging.getLogger("sqlalchemy").setLevel(logging.CRITICAL)


def run_app(arguments: list[str]) -> int:
    """Return the exit code of one command line."""
    try:
        return int(app(arguments, prog_name="toolgauge", standalone_mode=False) or 0)
    except typer.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted", arguments)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # whoever read our output went away; keep the interpreter from saying so again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the door: no traceback reaches a user
        return _failed(error, arguments)


def _failed(error: Exception, arguments: list[str]) -> int:
    if isinstance(error, ToolgaugeError):
        _complain(error, arguments)
        return EXIT_UNMEASURED if isinstance(error, CannotMeasure | CannotStore) else EXIT_USAGE
    if hasattr(error, "show"):  # what typer says of a wrong option or argument
        error.show()
        return EXIT_USAGE
    logging.getLogger(__name__).info("unforeseen", exc_info=error)
    _complain(
        f"unforeseen {type(error).__name__}: {error}. This is a fault of toolgauge, please "
        "report it; toolgauge --verbose shows where it happened",
        arguments,
    )
    return EXIT_UNMEASURED


def _complain(error: ToolgaugeError | str, arguments: list[str]) -> None:
    """Say on stderr what is wrong: as one JSON object under ``--json``, else as text."""
    from toolgauge.cli.output import print_error

    problems = error.problems if isinstance(error, InvalidFile) else ()
    kind = "usage" if isinstance(error, UsageError) else "unmeasured"
    print_error(str(error), kind=kind, problems=problems, as_json="--json" in arguments)
