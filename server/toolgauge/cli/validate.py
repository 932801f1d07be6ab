"""``toolgauge validate``: say everything that is wrong with suite files."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from toolgauge.errors import Problem


def validate(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Suite files, folders or globs.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Check suite files; every problem is named with its line and field.

    Exits with 2 where a file has a problem; warnings alone are no problem.
    """
    from toolgauge.cli.output import console, print_error, print_json, print_warnings
    from toolgauge.report.escape import one_line
    from toolgauge.service.suites import check_suites, find_suites

    checks = check_suites(find_suites(files))
    if as_json:
        print_json({"items": [{"id": check.file} | asdict(check) for check in checks]})
    else:
        for check in checks:
            print_warnings(check.file, (*check.warnings, *map(_unread, check.unread_servers)))
            if check.errors:
                text = "\n".join(f"{check.file}: {problem}" for problem in check.errors)
                print_error(text, kind="usage")
            else:
                console().print(f"{one_line(check.file)}: ok, {check.cases} cases", soft_wrap=True)
    return 2 if any(check.errors for check in checks) else 0


def _unread(server: str) -> Problem:
    from toolgauge.errors import Problem

    return Problem(
        "tools",
        f"those of MCP server {server!r} were not read, so names of tools were not checked; "
        "toolgauge run --dry-run reads them",
    )
