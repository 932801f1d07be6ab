"""Result files: what ``run --out`` writes and ``compare`` reads.

``{"schema_version": 1, "toolgauge": "0.1.0", "runs": [{...run, "trials": [...]}]}``; a
trial is the scored trial with its messages. Files are written whole or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from toolgauge import __version__
from toolgauge.errors import InvalidFile, Problem, UsageError
from toolgauge.model import run_json, trial_json
from toolgauge.model.run import Run
from toolgauge.model.trial import Trial

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class RunResults:
    """One run with all its trials."""

    run: Run
    trials: tuple[Trial, ...]

    def trials_of(self, target: str) -> tuple[Trial, ...]:
        """Return the trials of one target, in file order."""
        return tuple(trial for trial in self.trials if trial.key.target == target)


async def dump_results(results: Iterable[tuple[Run, AsyncIterable[str]]], file: TextIO) -> None:
    """Write runs with their trials, given as lines of JSON, one trial in memory at a time."""
    file.write(f'{{"schema_version": {SCHEMA_VERSION}, "toolgauge": "{__version__}", "runs": [')
    for number, (run, trials) in enumerate(results):
        head = json.dumps(run_json.to_json(run), ensure_ascii=False)
        file.write(",\n" if number else "\n")
        file.write(head[:-1] + ', "trials": [')
        separator = "\n"
        async for line in trials:
            file.write(separator + line)
            separator = ",\n"
        file.write("]}")
    file.write("\n]}\n")


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Give a file to write that takes its name only when the block ends without an error.

    Raises:
        UsageError: the place cannot be written to.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8", errors="surrogatepass") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be written: {error.strerror}. Choose another place."
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def read_results(path: Path) -> tuple[RunResults, ...]:
    """Return every run of a result file.

    Raises:
        InvalidFile: the file cannot be read, is no result file, or is of a newer version.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
    except (OSError, ValueError) as error:
        raise _refused(path, f"cannot be read as JSON: {error}") from error
    version = document.get("schema_version") if isinstance(document, dict) else None
    if not isinstance(version, int) or "runs" not in document:
        raise _refused(path, "is no result file. Write one with: toolgauge run SUITE --out FILE")
    if version > SCHEMA_VERSION:
        raise _refused(
            path, f"is of version {version}, newer than this toolgauge reads: upgrade it"
        )
    try:
        return tuple(_results(entry) for entry in document["runs"])
    except (KeyError, TypeError, AttributeError, ValidationError) as error:
        raise _refused(path, f"is damaged ({type(error).__name__}); write it again") from error


def _results(entry: dict[str, Any]) -> RunResults:
    trials = tuple(trial_json.from_json(trial) for trial in entry["trials"])
    run = {name: value for name, value in entry.items() if name != "trials"}
    return RunResults(run_json.from_json(run), trials)


def _refused(path: Path, message: str) -> InvalidFile:
    return InvalidFile(str(path), (Problem("", message),))
