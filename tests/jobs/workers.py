"""Worker processes as a test sees them: what they are told, and what they wrote down."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

TESTS = Path(__file__).parents[1]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Note:
    at: float
    event: str
    job_id: str
    by: str


class Workers:
    """Starts processes of ``executor_process`` on one database, and ends them all."""

    def __init__(self, url: str, folder: Path, *, job_s: float) -> None:
        self._url = url
        self._diary = folder / "diary"
        self._job_s = job_s
        self._started: dict[str, subprocess.Popen[str]] = {}

    def start(self, *names: str) -> None:
        """Start processes, and return once they serve."""
        for name in names:
            script = [str(TESTS / "jobs" / "executor_process.py"), self._url, name]
            self._started[name] = subprocess.Popen(
                [sys.executable, "-W", "error", *script, str(self._diary), str(self._job_s)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | {"PYTHONPATH": f"{TESTS}:{TESTS.parent / 'server'}"},
            )
        for name in names:
            self.await_note("ready", by=name)

    def tell(self, name: str, *orders: str) -> None:
        stdin = self._started[name].stdin
        assert stdin is not None
        stdin.write("".join(f"{order}\n" for order in orders))
        stdin.flush()

    def send(self, name: str, number: signal.Signals) -> None:
        self._started[name].send_signal(number)

    def stop(self, name: str) -> None:
        """Stop a process, but not while it has SQLite's write lock: nobody could write then."""
        process = self._started[name]
        while True:
            process.send_signal(signal.SIGSTOP)
            os.waitpid(process.pid, os.WUNTRACED)
            if self._others_can_write():
                return
            process.send_signal(signal.SIGCONT)
            time.sleep(0.05)  # on a busy machine it would be stopped again before it went on

    def _others_can_write(self) -> bool:
        path = self._url.removeprefix("sqlite:///")
        if path == self._url:
            return True
        engine = sqlite3.connect(Path(path).with_suffix(".engine.db"), isolation_level=None)
        with closing(engine):
            engine.execute("PRAGMA busy_timeout = 300")
            try:
                engine.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            return True

    def leave(self, name: str) -> str:
        """End a process in order, and return what it printed."""
        out, _ = self._started.pop(name).communicate(timeout=30)
        return out

    def notes(self, event: str) -> list[Note]:
        lines = self._diary.read_text().splitlines() if self._diary.exists() else []
        found = [Note(float(at), *rest) for at, *rest in map(str.split, lines)]
        return [note for note in found if note.event == event]

    def await_notes(self, event: str, count: int, *, within_s: float = 30) -> list[Note]:
        def enough() -> list[Note] | None:
            found = self.notes(event)
            return found if len(found) >= count else None

        return eventually(enough, within_s=within_s)

    def await_note(
        self, event: str, job_id: str | None = None, *, by: str | None = None, within_s: float = 30
    ) -> Note:
        def found() -> Note | None:
            for note in self.notes(event):
                if job_id in (None, note.job_id) and by in (None, note.by):
                    return note
            return None

        return eventually(found, within_s=within_s)

    def end(self) -> None:
        for process in self._started.values():
            process.kill()
            process.communicate()


@contextmanager
def working(url: str, folder: Path, *, job_s: float = 0.2) -> Iterator[Workers]:
    workers = Workers(url, folder, job_s=job_s)
    try:
        yield workers
    finally:
        workers.end()


def eventually(
    look: Callable[[], Answer | None], *, within_s: float, every_s: float = 0.02
) -> Answer:
    """Return what ``look`` finds, as soon as it finds something."""
    end = time.monotonic() + within_s
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < end, f"nothing within {within_s} s"
        time.sleep(every_s)


def most_at_once(begun: list[Note], ended: list[Note]) -> int:
    """Return how many jobs ran at the same time at most."""
    steps = sorted([(note.at, 1) for note in begun] + [(note.at, -1) for note in ended])
    running = most = 0
    for _, step in steps:
        running += step
        most = max(most, running)
    return most
