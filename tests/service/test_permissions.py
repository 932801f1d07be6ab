from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.errors import UnknownTarget, UsageError
from toolgauge.service.permissions import Permissions


def test_files_are_read_in_allowed_folders_alone(tmp_path: Path) -> None:
    allowed = Permissions(folders=(tmp_path,))
    assert allowed.file(f"{tmp_path}/a/../b.json") == tmp_path.resolve() / "b.json"
    for outside in (f"{tmp_path}/../b.json", "/etc/passwd", f"{tmp_path}x/b.json"):
        with pytest.raises(UsageError, match="in these folders only"):
            allowed.file(outside)


def test_nothing_is_read_where_no_folder_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in these folders only: none"):
        Permissions().file(str(tmp_path / "b.json"))


@pytest.mark.parametrize("target", ["python:os:system", "replay//etc/passwd"])
def test_targets_that_load_code_or_files_need_permission_or_a_name(target: str) -> None:
    with pytest.raises(UnknownTarget, match="not allowed here"):
        Permissions().check_targets([target], ())
    Permissions().check_targets([target], [target])
    Permissions(local_targets=True).check_targets([target], ())
    Permissions().check_targets(["builtin/lexical", "openai/x"], ())
