"""The runner's commands: outputs, summary, annotations, and logs that command nothing.

Every line that a step prints is read by the runner, which obeys some of them; so nothing
is printed but through here, and through the escapes of ``toolgauge.report.escape``.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal, TextIO, get_args

from toolgauge.report.escape import command_data, command_property, log_line, step_output

SUMMARY_BYTES = 1_000_000
"""The runner drops a whole summary of more than 1,048,576 bytes."""

MOST_PER_LEVEL = 9
"""The runner keeps 10 annotations of a level per step; the tenth says how many are left out."""

Level = Literal["error", "warning", "notice"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark of the log, at a line of a file where it has one."""

    level: Level
    title: str
    message: str
    file: str | None = None
    line: int | None = None


class Workflow:
    """Writes for the runner; everything that it is given may be hostile.

    ``folder`` is the working directory as a path of the workspace, which the runner takes
    the files of annotations from.
    """

    def __init__(
        self,
        log: TextIO,
        output_file: Path | None,
        summary_file: Path | None,
        *,
        folder: str = "",
    ) -> None:
        self._log = log
        self._folder = PurePosixPath(folder)
        self._output_file = output_file
        self._summary_file = summary_file

    def say(self, text: str) -> None:
        """Print text that commands nothing."""
        for line in re.split(r"[\r\n]+", text):
            self._print(log_line(line, 2000))

    def output(self, name: str, value: str) -> None:
        """Set an output, under a delimiter that the value cannot know."""
        if self._output_file is None:
            return
        delimiter = f"ghadelimiter_{uuid.uuid4().hex}"
        with self._output_file.open("a", encoding="utf-8", newline="\n") as file:
            file.write(step_output(name, value, delimiter))

    def summary(self, markdown: str) -> None:
        """Add to the job's summary; what is too large is left out, whole, with a sentence."""
        if self._summary_file is None:
            return
        data = markdown.encode("utf-8", errors="replace")
        if len(data) > SUMMARY_BYTES:
            data = b"The report is too large for a summary; it is in the artifact.\n"
        with self._summary_file.open("ab") as file:
            file.write(data)

    def annotate(self, annotations: Sequence[Annotation]) -> None:
        """Print annotations, the first of each level; the last says how many more there were."""
        levels: tuple[Level, ...] = get_args(Level)
        for level in levels:
            same = [one for one in annotations if one.level == level]
            for one in same[:MOST_PER_LEVEL]:
                self._print(self._command(one))
            more = len(same) - MOST_PER_LEVEL
            if more > 0:
                rest = Annotation(level, "toolgauge", f"{more} more in the report")
                self._print(self._command(rest))

    @contextmanager
    def deaf(self) -> Iterator[None]:
        """Let the runner obey nothing that is printed in the block, by whomever."""
        token = uuid.uuid4().hex
        self._print(f"::stop-commands::{token}")
        try:
            yield
        finally:
            # what was printed last may have left its line open
            self._print(f"\n::{token}::")

    def _print(self, line: str) -> None:
        self._log.write(f"{line}\n")
        self._log.flush()

    def _command(self, one: Annotation) -> str:
        properties = {"title": one.title}
        if one.file:
            place = {"file": str(self._folder / one.file), "line": str(one.line or 1)}
            properties = place | properties
        shown = ",".join(f"{name}={command_property(value)}" for name, value in properties.items())
        return f"::{one.level} {shown}::{command_data(one.message)}"
