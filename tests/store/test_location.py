from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.errors import UsageError
from toolgauge.store.location import default_url, engine_url, shown


@pytest.mark.parametrize(
    ("written", "driver", "database"),
    [
        ("sqlite:///relative.db", "sqlite+aiosqlite", "relative.db"),
        ("sqlite:////absolute/a b.db", "sqlite+aiosqlite", "/absolute/a b.db"),
        ("sqlite+aiosqlite:///x.db", "sqlite+aiosqlite", "x.db"),
        ("postgresql://u:p@host:5433/name", "postgresql+psycopg", "name"),
        ("postgres://host/name", "postgresql+psycopg", "name"),
    ],
)
def test_urls_are_taken_as_users_write_them(written: str, driver: str, database: str) -> None:
    url = engine_url(written)
    assert (url.drivername, url.database) == (driver, database)


def test_a_tilde_is_the_home_folder() -> None:
    assert engine_url("sqlite:///~/x.db").database == str(Path.home() / "x.db")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("toolgauge.db", "that is no database URL"),
        ("", "that is no database URL"),
        ("mysql://host/name", "'mysql' is not supported"),
        ("sqlite://", "in memory keeps nothing"),
        ("sqlite:///:memory:", "in memory keeps nothing"),
    ],
)
def test_other_places_are_refused_with_what_to_write(written: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        engine_url(written)
    assert "sqlite:///FILE" in str(refused.value)


def test_a_url_is_shown_without_its_password() -> None:
    assert shown(engine_url("postgresql://u:secret@h/name")) == "postgresql://u:***@h/name"
    assert shown(engine_url("sqlite:////a/b.db")) == "/a/b.db"


def test_the_default_is_a_file_in_the_users_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Path(engine_url(default_url()).database or "").name == "toolgauge.db"
