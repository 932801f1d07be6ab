"""Commands of toolgauge, each a process of its own that need not import everything anew.

Imports are most of what a short command takes. One process makes them, started with nothing in
its environment, and every command is a fork of it: a process with the command's own folder,
environment and output, that ends as the command line ends.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = {"PYTHONPATH": f"{ROOT / 'server'}:{ROOT / 'action'}"}
_IMPORTED = ("toolgauge.cli", "toolgauge.service", "toolgauge.store", "toolgauge.report")
_MOST_S = 120


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


class Commands:
    """Runs commands, one after another."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._out, self._err = folder / "out", folder / "err"

    def run(self, *arguments: object, cwd: Path, env: dict[str, str]) -> Done:
        """Return what a command came to; it sees ``env`` and nothing else."""
        files = {"out": str(self._out), "err": str(self._err)}
        asked = {"arguments": list(map(str, arguments)), "cwd": str(cwd), "env": env, **files}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], _MOST_S)
        assert ready, f"{arguments} took more than {_MOST_S} s"
        code = int(self._process.stdout.readline())
        done = Done(code, self._out.read_text(), self._err.read_text())
        assert "Traceback" not in done.err
        return done


@contextmanager
def running_commands() -> Iterator[Commands]:
    """Give what runs commands, until the block ends."""
    with (
        TemporaryDirectory(prefix="toolgauge-commands-") as folder,
        subprocess.Popen(
            [sys.executable, __file__],
            env=SOURCE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            yield Commands(process, Path(folder))
        finally:
            process.kill()


def main() -> int:
    """Answer each line of JSON with the exit code of its command; in a fork, be the command."""
    for name in _IMPORTED:
        for module in pkgutil.iter_modules(importlib.import_module(name).__path__, f"{name}."):
            importlib.import_module(module.name)
    gc.freeze()  # else every fork looks through all of it when it ends
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            return _command(**json.loads(line))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
    return 0


def _command(arguments: list[str], cwd: str, env: dict[str, str], *, out: str, err: str) -> int:
    from toolgauge.cli import main as command_line  # noqa: PLC0415 - tests need none of it

    for descriptor, path in enumerate((os.devnull, out, err)):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, descriptor)
        os.close(file)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["toolgauge", *arguments]
    sys.path[0] = cwd  # as ``python -m`` has it
    command_line()
    return 0


if __name__ == "__main__":
    sys.exit(main())
