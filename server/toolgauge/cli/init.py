"""``toolgauge init``: write what a repository needs to be gated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer(name="init", no_args_is_help=True, help="Set a repository up.")


@commands.callback()
def init() -> None:
    """Set a repository up."""


@commands.command()
def github(
    action: Annotated[
        str, typer.Option(metavar="OWNER/REPO@COMMIT", help="The action, pinned to a commit.")
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="TARGET",
            help="provider/model; several times for several. builtin/lexical is always asked.",
        ),
    ] = None,
    suites: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="Where the suites are.")
    ] = None,
    branch: Annotated[str, typer.Option(help="The default branch.")] = "main",
    force: Annotated[
        bool, typer.Option("--force", help="Write files that are there anew.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Write the workflows that gate pull requests on GitHub, and say what is left to do.

    Without --model nothing needs a key: builtin/lexical notices descriptions that got worse.
    """
    from toolgauge.cli.output import console, print_json
    from toolgauge.service.init_github import (
        Answers,
        needed_secrets,
        repository_root,
        write_workflows,
    )

    models = tuple(model or ())
    answers = Answers(action=action, models=models, branch=branch)
    if suites:
        answers = Answers(action=action, models=models, suites=tuple(suites), branch=branch)
    written = write_workflows(answers, repository_root(Path.cwd()), force=force)
    secrets = needed_secrets(models)
    if as_json:
        print_json({"written": [str(path) for path in written], "secrets": list(secrets)})
        return 0
    for path in written:
        console().print(f"wrote {path}", soft_wrap=True)
    for name in secrets:
        console().print(f"next: add the repository secret {name}", soft_wrap=True)
    console().print("next: commit both; the first run on the default branch makes the baseline")
    return 0
