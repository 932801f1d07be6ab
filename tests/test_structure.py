"""The house rules that a tool can check: sizes, names, who reads the environment, layers."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "server").rglob("*.py")) + sorted((ROOT / "action").rglob("*.py"))
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 400, 60
MUDDY_NAMES = {"utils", "helpers", "common", "misc", "manager", "handler"}
MAY_READ_ENVIRONMENT = {"settings.py", "inputs.py", "litellm_gateway.py"}


def functions(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def test_there_are_sources_to_check() -> None:
    assert len(SOURCES) > 50


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in SOURCES}
    assert {path.name: n for path, n in lengths.items() if n > MOST_LINES} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{path.name}:{function.name}"
        for path in SOURCES
        # a command's options stand in its signature, and a command has many
        if "cli" not in path.parts
        for function in functions(ast.parse(path.read_text()))
        if function.end_lineno - function.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_every_module_is_named_after_one_noun_of_its_own() -> None:
    names = {path.stem for path in SOURCES}
    assert names & MUDDY_NAMES == set()
    assert (names - {"__init__", "__main__"}) & sys.stdlib_module_names == set()


def test_every_module_says_what_it_is_for() -> None:
    assert [p.name for p in SOURCES if not ast.get_docstring(ast.parse(p.read_text()))] == []


def test_only_settings_read_the_environment() -> None:
    readers = [
        path.name
        for path in SOURCES
        if any(word in path.read_text() for word in ("os.environ", "getenv("))
    ]
    assert set(readers) <= MAY_READ_ENVIRONMENT


def test_imports_follow_the_layers() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [lint, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
