"""What a database's own errors mean to the person in front of it."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError

from toolgauge.errors import CannotStore, StoreFault

_ADVICE: dict[StoreFault, str] = {
    "full": "the disk is full, or a limit on the size is reached. What was finished is stored; "
    "make room, then resume",
    "read_only": "may not be written to. Give permission, or choose another place with "
    "--database or TOOLGAUGE_DATABASE_URL",
    "busy": "is locked by another process. Wait for it or end it, then try again",
    "unreachable": "cannot be reached. Check the address, and that the server runs",
    "damaged": "is no database of toolgauge, or is damaged. Restore it from a copy, or choose "
    "another place with --database or TOOLGAUGE_DATABASE_URL",
}
_SQLITE: dict[int, StoreFault] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_PERM: "read_only",
    sqlite3.SQLITE_CANTOPEN: "read_only",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_IOERR: "unreachable",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
}
# a file-size limit ends a write like this
_SQLITE_WRITES = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_FSYNC}
)
_POSTGRES: dict[str, StoreFault] = {
    "53100": "full",
    "25006": "read_only",
    "42501": "read_only",
    "55P03": "busy",
    "40P01": "busy",
    "40001": "busy",
}
# connections, invalid passwords, missing databases, too many connections, shutdowns
_POSTGRES_LOST = ("08", "28", "3D", "53", "57P")


def translated(error: DBAPIError, place: str) -> CannotStore | None:
    """Return what the error means; None where it is a fault of ours and not of the database."""
    if isinstance(error.orig, sqlite3.Error):
        fault = _sqlite_fault(error.orig)
    else:
        fault = _postgres_fault(error)
    if fault is None:
        return None
    return CannotStore(fault, f"{place}: {_ADVICE[fault]} ({_own_words(error)})")


def _sqlite_fault(error: sqlite3.Error) -> StoreFault | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    return "full" if code in _SQLITE_WRITES else _SQLITE.get(code & 0xFF)


def _postgres_fault(error: DBAPIError) -> StoreFault | None:
    state = getattr(error.orig, "sqlstate", None)
    if state is None:
        is_lost = error.connection_invalidated or type(error.orig).__name__ == "OperationalError"
        return "unreachable" if is_lost else None
    return _POSTGRES.get(state, "unreachable" if state.startswith(_POSTGRES_LOST) else None)


def _own_words(error: DBAPIError) -> str:
    lines = str(error.orig).splitlines()
    return lines[0] if lines else type(error.orig).__name__
