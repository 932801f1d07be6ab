"""A real PostgreSQL for tests, from the binaries that are installed, as an unprivileged user."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, Any

import psycopg

_ROLE = "toolgauge"
_SETTINGS = {"listen_addresses": "", "fsync": "off", "full_page_writes": "off"}


class NoPostgres(Exception):
    """PostgreSQL cannot be run here; the message says why."""


@dataclass
class Postgres:
    """A running server, reached over a socket in its own folder."""

    binaries: Path
    folder: Path
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def new_database(self) -> str:
        """Return the URL of an empty database."""
        name = f"test_{os.getpid()}_{next(self.numbers)}"
        self._ask(f"CREATE DATABASE {name}")
        return f"postgresql://{_ROLE}@/{name}?host={self.folder}"

    def await_age(self, seconds: float) -> None:
        """Return once the server has run for so long."""
        started = "extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())"
        (age,) = self._ask("SELECT " + started + "::float")
        time.sleep(max(0.0, seconds - age))

    def start(self) -> None:
        options = [f"-c {name}='{value}'" for name, value in _SETTINGS.items()]
        options.append(f"-k {self.folder}")
        self._control("start", "-l", str(self.folder / "log"), "-o", " ".join(options))

    def stop(self) -> None:
        self._control("stop", "-m", "immediate")

    def _ask(self, question: str) -> tuple[Any, ...]:
        address = f"host={self.folder} user={_ROLE} dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            asked = connection.execute(question)
            return asked.fetchone() or () if asked.description else ()

    def _control(self, action: str, *options: str) -> None:
        pg_ctl, data = str(self.binaries / "pg_ctl"), str(self.folder / "data")
        _run([pg_ctl, "-D", data, "-w", "-s", action, *options])


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Start a server of our own, and stop and delete it afterwards.

    Raises:
        NoPostgres: there are no binaries, or nobody but root to run them as.
    """
    binaries = _binaries()
    server = Postgres(binaries, Path(tempfile.mkdtemp(prefix="toolgauge-pg-")))
    try:
        _begin(server)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(server.folder)


@contextmanager
def shared_postgres(folder: Path) -> Iterator[Postgres]:
    """Give the one server of all processes that name ``folder``; who comes first starts it.

    Who leaves last stops it: each holds a lock that goes away with its process.

    Raises:
        NoPostgres: as above.
    """
    binaries, place = _binaries(), folder / "postgres"
    with (folder / "postgres.turn").open("w") as turn, (folder / "postgres.users").open("w") as us:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if place.exists():
            server = Postgres(binaries, Path(place.read_text()))
        else:
            server = Postgres(binaries, Path(tempfile.mkdtemp(prefix="toolgauge-pg-")))
            _begin(server)
            place.write_text(str(server.folder))
        fcntl.flock(us, fcntl.LOCK_SH)
        fcntl.flock(turn, fcntl.LOCK_UN)
        try:
            yield server
        finally:
            fcntl.flock(turn, fcntl.LOCK_EX)
            if _is_last(us):
                place.unlink()
                server.stop()
                shutil.rmtree(server.folder)


def _is_last(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _begin(server: Postgres) -> None:
    user = _unprivileged()
    if user is not None:
        os.chown(server.folder, user.pw_uid, user.pw_gid)
    initdb, data = str(server.binaries / "initdb"), str(server.folder / "data")
    _run([initdb, "-D", data, "-U", _ROLE, "-A", "trust", "-E", "UTF8", "-N", "--no-locale"])
    server.start()


def _binaries() -> Path:
    found = shutil.which("initdb")
    candidates = [Path(found).resolve().parent] if found else []
    config = shutil.which("pg_config")
    if config:
        asked = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True)
        candidates.append(Path(asked.stdout.strip()))
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in candidates:
        if all((folder / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
            return folder
    raise NoPostgres(
        "PostgreSQL's server is not installed (initdb, pg_ctl, postgres): apt-get install "
        "postgresql, or brew install postgresql"
    )


def _unprivileged() -> pwd.struct_passwd | None:
    """Return whom to become; None where we are not root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgres("PostgreSQL refuses to run as root, and there is no other user")


def _run(command: list[str]) -> None:
    user = _unprivileged()
    as_user: dict[str, Any] = (
        {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    )
    # the server inherits our files, so a pipe would stay open for as long as it runs
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(
            command, stdout=output, stderr=output, cwd="/", check=False, **as_user
        )
        if done.returncode:
            output.seek(0)
            raise NoPostgres(f"{Path(command[0]).name} failed: {output.read().strip()}")
