"""How commands print: results to stdout, everything else to stderr, colour where it fits."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.console import Console

from toolgauge.errors import Problem
from toolgauge.report.escape import one_line

_PLAIN_WIDTH = 160


def console(*, stderr: bool = False) -> Console:
    """Return a console; where no terminal is, lines are as wide as a log bears."""
    found = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    return (
        found
        if found.is_terminal
        else Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=_PLAIN_WIDTH)
    )


def print_json(value: Any) -> None:
    """Print one JSON document to stdout."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def print_error(
    message: str, *, kind: str, problems: Iterable[Problem] = (), as_json: bool = False
) -> None:
    """Print one error to stderr, as text or as ``{"error": {...}}``."""
    if as_json:
        shown = {"type": kind, "message": message, "problems": [asdict(p) for p in problems]}
        sys.stderr.write(json.dumps({"error": shown}, ensure_ascii=False) + "\n")
        return
    for line in message.splitlines():
        console(stderr=True).print(f"error: {one_line(line, 2000)}", style="red", soft_wrap=True)


def print_warnings(file: str, problems: Iterable[Problem]) -> None:
    """Print what is odd in a file, but no error, to stderr."""
    for problem in problems:
        text = one_line(f"{file}: {problem}", 2000)
        console(stderr=True).print(f"warning: {text}", style="yellow", soft_wrap=True)


def print_note(text: str) -> None:
    """Print what to do next to stderr."""
    console(stderr=True).print(one_line(text, 2000), style="cyan", soft_wrap=True)


def print_done(text: str, value: Any, *, as_json: bool) -> None:
    """Print what a command did: as text, or as one JSON document."""
    if as_json:
        print_json(value)
        return
    for line in text.splitlines():
        console().print(one_line(line, 2000), soft_wrap=True)
