from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from suite_documents import CASE, suite

from toolgauge.formats.document import read_source
from toolgauge.formats.schemas import SCHEMAS, project_schema, suite_schema, transcript_schema

ROOT = Path(__file__).parents[2]
SUITES = ROOT / "suites"
GOLDEN = ROOT / "tests" / "golden"


def accepts(schema: dict[str, Any], data: Any) -> bool:
    return bool(Draft202012Validator(schema).is_valid(data))


def test_the_published_schemas_are_those_of_the_models(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "toolgauge.formats.schemas", str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT / "server")
    remake = "run: python -m toolgauge.formats.schemas suites"
    for name in SCHEMAS:
        assert (SUITES / name).read_text() == (tmp_path / name).read_text(), remake


def test_a_folder_has_to_be_named() -> None:
    command = [sys.executable, "-m", "toolgauge.formats.schemas"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT / "server")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_schema_is_valid_titled_and_knows_no_address(schema: Any) -> None:
    made = schema()
    Draft202012Validator.check_schema(made)
    assert made["title"].endswith("of toolgauge")
    assert "$id" not in made


@pytest.mark.parametrize("schema", [suite_schema, project_schema, transcript_schema])
def test_files_that_people_write_hold_nothing_unknown(schema: Any) -> None:
    assert schema()["additionalProperties"] is False


@pytest.mark.parametrize("path", sorted(SUITES.glob("*.yaml")), ids=lambda path: path.name)
def test_the_suites_that_ship_are_accepted(path: Path) -> None:
    assert accepts(suite_schema(), read_source(path).data)


def test_suites_that_load_are_accepted() -> None:
    for vector in json.loads((GOLDEN / "invalid_suites.json").read_text())["suites"]:
        if not vector["problems"]:
            assert accepts(suite_schema(), vector["suite"]), vector["note"]
    assert accepts(suite_schema(), {"$schema": "suite.schema.json"} | suite())


@pytest.mark.parametrize("wrong", [{"promt": "p"}, {"expected_tool": []}, {"tool_choice": "maybe"}])
def test_what_a_field_alone_can_get_wrong_is_refused(wrong: dict[str, Any]) -> None:
    assert not accepts(suite_schema(), suite(CASE | wrong))


def test_a_project_and_a_line_are_accepted() -> None:
    assert accepts(project_schema(), {"targets": {"t": {"model": "a/b", "temperature": 0}}})
    assert not accepts(project_schema(), {"targets": {"t": {"model": "a/b", "api_key": "x"}}})
    line = {"case_id": "a", "target": "t", "repeat": 0, "messages": []}
    assert accepts(transcript_schema(), line)
    assert not accepts(transcript_schema(), {"target": "t"})
