from __future__ import annotations

import sys
from pathlib import Path

import pytest

from toolgauge.errors import UsageError
from toolgauge.gateway.dotted_path import load_callable

AGENTS = Path(__file__).parents[1] / "agents"


@pytest.fixture(autouse=True)
def _same_path(monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_a_callable_is_found_in_an_import_root_and_in_a_class() -> None:
    assert load_callable("plain_agents:weather", [AGENTS]).__name__ == "weather"
    assert load_callable("plain_agents:Desk.silent", [AGENTS])([], [])[0]["content"] == "No."


def test_the_working_directory_is_looked_through_after_the_roots(tmp_path, monkeypatch) -> None:
    for folder in ("root", "here"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "found_in_both.py").write_text(f"def f(): return {folder!r}\n")
    (tmp_path / "here" / "found_here.py").write_text("def f(): return 'here'\n")
    monkeypatch.chdir(tmp_path / "here")
    assert load_callable("found_in_both:f", [tmp_path / "root"])() == "root"
    assert load_callable("found_here:f")() == "here"
    assert sys.path.count(str(tmp_path / "here")) == 1


@pytest.mark.parametrize(
    ("dotted", "told"),
    [
        ("plain_agents", "write package.module:callable"),
        ("plain_agents:", "write package.module:callable"),
        ("../plain_agents:weather", "write package.module:callable"),
        (":weather", "write package.module:callable"),
        ("no_such_module:f", "there is no module 'no_such_module'"),
        ("plain_agents.deeper:f", "needs the module|there is no module"),
        ("plain_agents:nothing", "has no 'nothing'"),
        ("plain_agents:NO_AGENT", "cannot be called"),
        ("broken_module:f", "cannot be imported: RuntimeError: out of order"),
    ],
)
def test_what_cannot_be_loaded_is_one_message(dotted: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        load_callable(dotted, [AGENTS])


def test_a_missing_dependency_is_told_apart_from_a_missing_module(tmp_path: Path) -> None:
    (tmp_path / "needs_more.py").write_text("import surely_not_installed\n")
    with pytest.raises(UsageError, match="needs the module 'surely_not_installed'"):
        load_callable("needs_more:f", [tmp_path])
