"""``toolgauge import`` and ``toolgauge export``: datasets of other systems, tools of servers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from toolgauge.cli.tool_imports import CommandAfterDashes, import_mcp

_DATASET = "dataset"
_MOST_WARNINGS = 20
_Kind = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="suite, reward-kit, tool-call-benchmark or bfcl; imports also openai-evals "
        "and transcript (chat completion logs).",
    ),
]


class _DatasetsByDefault(TyperGroup):
    """A group whose first word may be left out: ``import KIND FILE`` reads a dataset."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_DATASET, *args]
        return list(super().parse_args(ctx, args))


imports = typer.Typer(
    cls=_DatasetsByDefault,
    no_args_is_help=True,
    help="Make a suite of a dataset of another system, or of the tools of an MCP server. "
    "import KIND FILE is short for import dataset KIND FILE.",
)
imports.command(name="mcp", cls=CommandAfterDashes)(import_mcp)


@imports.command(name=_DATASET)
def import_(
    kind: _Kind,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="The dataset; for bfcl also a category (simple_python) of bfcl-eval.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="PLACE", help="The suite file to write (.json, .yaml), or a folder."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Write the suite that a dataset makes, and beside it a transcript of its outputs.

    All or nothing: every bad record is named, and then nothing is written. Try it:
    toolgauge import reward-kit dataset.jsonl --out suites/dataset.yaml
    """
    from toolgauge.cli.output import console, print_json, print_warnings
    from toolgauge.report.escape import one_line
    from toolgauge.service.datasets import import_dataset

    done = import_dataset(kind, file, out)
    if as_json:
        print_json(
            {
                "suite": str(done.suite_file),
                "cases": done.cases,
                "transcript": str(done.transcript_file) if done.transcript_file else None,
                "trials": done.trials,
                "warnings": [str(warning) for warning in done.warnings],
            }
        )
        return 0
    print_warnings(file, done.warnings[:_MOST_WARNINGS])
    screen = console()
    if len(done.warnings) > _MOST_WARNINGS:
        more = len(done.warnings) - _MOST_WARNINGS
        console(stderr=True).print(f"warning: and {more} more; toolgauge validate shows them")
    screen.print(f"{one_line(str(done.suite_file), 4000)}: {done.cases} cases", soft_wrap=True)
    if done.transcript_file:
        name = one_line(str(done.transcript_file), 4000)
        screen.print(f"{name}: {done.trials} recorded outputs", soft_wrap=True)
    return 0


def export(
    kind: _Kind,
    suite: Annotated[Path, typer.Argument(help="The suite file.")],
    transcripts: Annotated[
        Path | None,
        typer.Option("--transcripts", "-t", help="Recorded outputs to put in, one per case."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PLACE", help="A file or folder to write; stdout otherwise."),
    ] = None,
) -> int:
    """Write a suite as a dataset of another system; importing it again loses nothing.

    A case that the other system cannot express is named, and then nothing is written.
    """
    from toolgauge.cli.output import console
    from toolgauge.errors import UsageError
    from toolgauge.report.escape import one_line
    from toolgauge.service.datasets import export_dataset, write_export

    suffix = out.suffix if out and out.suffix in (".yaml", ".yml") else ".json"
    files = export_dataset(kind, suite, transcript_file=transcripts, suffix=suffix)
    if out is None:
        if len(files) > 1:
            raise UsageError(f"{kind} has {len(files)} files; name a folder: --out DIR")
        sys.stdout.write("".join(files.values()))
        return 0
    for written in write_export(files, out):
        console().print(one_line(str(written), 4000), soft_wrap=True)
    return 0
