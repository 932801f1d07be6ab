from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge_action.inputs import DEFAULT_SUITES
from toolgauge_action.suites import NoSuites, find_suites, lint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "work"
    for name in (
        "evals/a.yaml",
        "evals/deep/er/b.yml",
        "evals/c.json",
        "evals/baseline.json",
        "evals/suite.schema.json",
        "evals/answers.jsonl",
        "evals/.hidden.yaml",
        "evals/.git/d.yaml",
        "evals/sp ace/ü ☃.yaml",
        "other/e.yaml",
    ):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("name: x\n")
    return here


def found(folder: Path, *patterns: str) -> list[str]:
    files = find_suites(patterns, folder, leave_out=("evals/baseline.json",))
    return [path.relative_to(folder).as_posix() for path in files]


def test_the_default_finds_suites_and_neither_baselines_schemas_nor_hidden_files(
    folder: Path,
) -> None:
    assert found(folder, DEFAULT_SUITES) == [
        "evals/a.yaml",
        "evals/c.json",
        "evals/deep/er/b.yml",
        "evals/sp ace/ü ☃.yaml",
    ]


def test_braces_stand_for_each_of_their_words(folder: Path) -> None:
    assert found(folder, "{evals,other}/{a,e}.y{aml,ml}") == ["evals/a.yaml", "other/e.yaml"]


def test_a_symbolic_link_leads_nowhere_else(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("name: secret\n")
    (folder / "evals" / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (folder / "evals" / "up").symlink_to(tmp_path)
    assert "evals/link.yaml" not in found(folder, DEFAULT_SUITES)
    assert not any("outside" in name for name in found(folder, "evals/**/*.yaml"))


@pytest.mark.parametrize(
    "pattern", ["/etc/*.yaml", "../*.yaml", "a/../../b.yaml", "~/x.yaml", "nothing/*.yaml", "a\\b"]
)
def test_a_glob_that_leads_out_or_nowhere_is_refused(folder: Path, pattern: str) -> None:
    with pytest.raises(NoSuites):
        found(folder, pattern)


def test_braces_cannot_explode(folder: Path) -> None:
    with pytest.raises(NoSuites, match="64"):
        found(folder, "{a,b}" * 10)


def test_problems_stand_at_their_lines_the_wrong_before_the_odd(tmp_path: Path) -> None:
    odd, wrong = tmp_path / "a.yaml", tmp_path / "b.yaml"
    odd.write_text(
        "name: a\ntools: [{type: function, function: {name: t, parameters: {}}}]\n"
        "test_cases:\n  - {prompt: hi, expected_tool: null, tool_choice: required}\n"
    )
    wrong.write_text("name: b\ntest_cases:\n  - {prompt: hi, expected_tol: x}\n")
    annotations = lint([odd, wrong])
    assert annotations[0].level == "error"
    assert (annotations[0].file, annotations[0].line) == (wrong.as_posix(), 3)
    assert annotations[-1].level == "warning"
