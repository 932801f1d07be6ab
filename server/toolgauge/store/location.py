"""Where the database is: URLs as users write them, as the engine wants them."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_data_path
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from toolgauge.errors import CannotStore, UsageError

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}


def default_url() -> str:
    """Return the URL of the SQLite file in the user's data directory."""
    return f"sqlite:///{user_data_path('toolgauge') / 'toolgauge.db'}"


def engine_url(url: str) -> URL:
    """Return the URL with our driver in it.

    Raises:
        UsageError: it is no URL of SQLite or PostgreSQL, or names no file.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise _refused("that is no database URL") from None
    driver = _DRIVERS.get(parsed.drivername.partition("+")[0])
    if driver is None:
        raise _refused(f"{parsed.drivername!r} is not supported")
    if driver.startswith("sqlite"):
        if parsed.database in (None, "", ":memory:"):
            raise _refused("a database in memory keeps nothing")
        parsed = parsed.set(database=str(Path(str(parsed.database)).expanduser()))
    return parsed.set(drivername=driver)


def shown(url: URL) -> str:
    """Return the URL for messages, without a password."""
    if url.drivername.startswith("sqlite"):
        return str(url.database)
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def make_folder(url: URL) -> None:
    """Make the folder of an SQLite file, where it is missing.

    Raises:
        CannotStore: it cannot be made.
    """
    if not url.drivername.startswith("sqlite"):
        return
    folder = Path(str(url.database)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStore(
            "read_only",
            f"{folder}: cannot be made: {error.strerror}. Choose another place with "
            "--database or TOOLGAUGE_DATABASE_URL",
        ) from error


def _refused(why: str) -> UsageError:
    return UsageError(
        f"{why}. Write sqlite:///FILE (sqlite:////absolute/FILE) or "
        "postgresql://USER:PASSWORD@HOST/DATABASE"
    )
