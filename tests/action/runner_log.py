"""What the runner makes of a step's log and of the files that a step writes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MOST_ANNOTATIONS = 10
MOST_MESSAGE = 4096
MOST_SUMMARY = 1024 * 1024
_COMMAND = re.compile(r"::([a-zA-Z][\w-]*)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)")
_LEGACY = re.compile(r"##\[([a-zA-Z][\w-]*)(?: ([^\]]*))?\](.*)")
_SHOWN = {"error", "warning", "notice"}


class BrokenFile(Exception):
    """A step wrote a file of commands that the runner cannot read."""


@dataclass
class StepLog:
    """A step's log as the runner keeps it: text, annotations and commands it obeyed."""

    lines: list[str] = field(default_factory=list)
    annotations: list[dict[str, str]] = field(default_factory=list)
    obeyed: list[tuple[str, str]] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def read_log(output: str) -> StepLog:
    """Return what the runner obeys and shows of what a step printed, on both streams."""
    log, deaf_until = StepLog(), None
    for line in re.split(r"\r\n|\n|\r", output):
        command = _command_of(line)
        if deaf_until is not None:
            if command and command[0] == deaf_until:
                deaf_until = None
            else:
                log.lines.append(line)
        elif command and command[0] == "stop-commands":
            deaf_until = command[2]
        elif command:
            _obey(log, *command)
        else:
            log.lines.append(line)
    return log


def _command_of(line: str) -> tuple[str, str, str] | None:
    found = _COMMAND.match(line.lstrip()) or _LEGACY.search(line)
    return (found[1], found[2] or "", found[3]) if found else _end_of_deafness(line)


def _end_of_deafness(line: str) -> tuple[str, str, str] | None:
    found = re.fullmatch(r"::([0-9a-f]{32})::", line.strip())
    return (found[1], "", "") if found else None


def _obey(log: StepLog, name: str, properties: str, data: str) -> None:
    log.obeyed.append((name, data))
    if name == "set-output":
        log.outputs[_properties(properties)["name"]] = data
    if name not in _SHOWN:
        return
    same = [one for one in log.annotations if one["level"] == name]
    if len(same) < MOST_ANNOTATIONS:
        message = _plain(data)[:MOST_MESSAGE]
        log.annotations.append({"level": name, "message": message, **_properties(properties)})


def _properties(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",") if "=" in part]
    return {
        key.strip(): _plain(value).replace("%3A", ":").replace("%2C", ",")
        for key, _, value in pairs
    }


def _plain(data: str) -> str:
    return data.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def read_pairs(text: str) -> dict[str, str]:
    """Return the names and values of a file such as ``GITHUB_OUTPUT``.

    Raises:
        BrokenFile: as the runner refuses it.
    """
    pairs: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            name, _, value = line.partition("=")
        elif heredoc >= 0:
            name, _, delimiter = line.partition("<<")
            value = "\n".join(_until(delimiter, lines))
        else:
            raise BrokenFile(f"Invalid format '{line}'")
        if not name:
            raise BrokenFile(f"Invalid format '{line}'")
        pairs[name] = value
    return pairs


def _until(delimiter: str, lines: object) -> list[str]:
    found = []
    for line in lines:
        if line == delimiter:
            return found
        found.append(line)
    raise BrokenFile(f"Invalid value. Matching delimiter not found '{delimiter}'")
