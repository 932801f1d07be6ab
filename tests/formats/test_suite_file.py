from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from suite_documents import CASE, paths, problems, suite

from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.suite_file import LoadedSuite, load_suite, parse_suite
from toolgauge.model.case import CaseDocument
from toolgauge.model.suite import SuiteDocument, resolve

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
REFUSED = json.loads((GOLDEN / "invalid_suites.json").read_text())["suites"]


def refusal(path: Path, **limits: int) -> list[str]:
    with pytest.raises(InvalidFile) as caught:
        load_suite(path, **limits)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("vector", REFUSED, ids=[vector["note"] for vector in REFUSED])
def test_the_golden_suites_are_refused_for_exactly_what_is_wrong(vector: dict[str, Any]) -> None:
    found = problems(vector["suite"])
    expected = {problem["path"]: problem.get("mention", "") for problem in vector["problems"]}
    assert sorted(problem.path for problem in found) == sorted(expected)
    for problem in found:
        assert expected[problem.path] in problem.message


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("*.json")))
def test_the_golden_suites_of_scoring_load(name: str) -> None:
    golden = json.loads((GOLDEN / name).read_text())
    if "transcripts" in golden:
        loaded = parse_suite(golden["suite"], file=name)
        assert len(resolve(loaded.document).cases) == len(golden["suite"]["test_cases"])
    else:
        assert golden.keys() == {"about", "suites"}


@pytest.mark.parametrize("path", sorted((ROOT / "suites").glob("*.yaml")), ids=lambda p: p.name)
def test_the_suites_that_ship_load_without_warnings(path: Path) -> None:
    assert load_suite(path).warnings == ()


WRONG = """\
# a comment
name: Broken
weights: {tool: 0.9, params: 0.9}
descripton: x
test_cases:
  - id: a
    prompt: p
    expected_tool: []
    scoring_config:
      mode: numeric_tolerance
      epsilon: -1
  - id: a
    prompt: p
    prompt: q
    expected_tool: search
    1: one
"""


def test_every_problem_is_told_at_once_in_file_order_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(WRONG)
    assert [line.split(": ")[:2] for line in refusal(path)] == [
        ["line 3", "weights"],
        ["line 4", "descripton"],
        ["line 8", "test_cases[0].expected_tool"],
        ["line 11", "test_cases[0].scoring_config.epsilon"],
        ["line 12", "test_cases[1].id"],
        ["line 14", "test_cases[1].prompt"],
        ["line 16", "test_cases[1]"],
    ]


def test_json_has_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(suite(CASE | {"param_scoring": "like"}), indent=1))
    (problem,) = refusal(path)
    line = path.read_text().splitlines().index('   "param_scoring": "like"') + 1
    assert problem.startswith(f"line {line}: test_cases[0].param_scoring: must be 'exact'")


def test_a_missing_field_has_the_line_of_what_it_is_missing_in(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text("name: s\ntest_cases:\n- id: a\n- prompt: p\n  expected_calls:\n  - {}\n")
    assert [line.split(":")[0] for line in refusal(path)] == ["line 3", "line 3", "line 6"]


def test_the_whole_error_names_file_line_field_and_remedy(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text("name: s\ntest_cases:\n- {prompt: p, expected_tool: x, tags: a}\n")
    with pytest.raises(InvalidFile) as caught:
        load_suite(path)
    assert str(caught.value) == f"{path}: line 3: test_cases[0].tags: must be a list, not 'a'"


def test_warnings_have_lines_and_do_not_stop_the_suite(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump(suite(CASE | {"expected_tool": "serch"}), sort_keys=False))
    loaded = load_suite(path)
    (warning,) = loaded.warnings
    lines = path.read_text().splitlines()
    assert warning == Problem(
        "test_cases[0].expected_tool",
        "'serch' is not among the tools; did you mean `search`?",
        lines.index("  expected_tool: serch") + 1,
    )
    assert loaded.file == str(path)


def test_yaml_and_json_of_the_same_suite_are_the_same_document(tmp_path: Path) -> None:
    as_json, as_yaml = tmp_path / "s.json", tmp_path / "s.yaml"
    as_json.write_text(json.dumps(suite()))
    as_yaml.write_text(yaml.safe_dump(suite()))
    assert load_suite(as_json).document == load_suite(str(as_yaml)).document


def test_aliases_share_tools_and_params(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(
        "name: s\n"
        "tools: &tools [{type: function, function: {name: search}}]\n"
        "test_cases:\n"
        "- &first {id: a, prompt: p, tools: *tools, expected_tool: search}\n"
        "- <<: *first\n"
        "  id: b\n"
    )
    first, second = load_suite(path).document.test_cases
    assert second == first.model_copy(update={"id": "b"})


def test_a_schema_may_be_named_for_editors(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    path.write_text(json.dumps({"$schema": "suite.schema.json"} | suite()))
    assert load_suite(path).document.schema_url == "suite.schema.json"


def test_the_limits_are_the_callers(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(suite(CASE, CASE | {"id": "b"}, CASE | {"id": 3})))
    assert refusal(path, max_cases=2) == [
        "line 1: test_cases: has 3 cases, more than 2; split the suite, or raise the limit"
    ]
    assert "larger than 100 bytes" in refusal(path, max_bytes=100)[0]
    assert len(refusal(path, max_cases=3)) == 1


def test_fifty_thousand_cases_are_the_default_limit() -> None:
    case = CASE | {"id": None}
    assert paths(suite(*[case] * 50_001)) == ["test_cases"]


@pytest.mark.parametrize("data", [None, [], "text", 3, [suite()]])
def test_what_is_no_object_is_no_suite(data: object) -> None:
    (problem,) = problems(data)
    assert problem.path == ""
    assert problem.message.startswith("must be a suite: an object with `name` and `test_cases`")


def test_an_empty_object_lacks_what_is_required() -> None:
    assert paths({}) == ["name", "test_cases"]
    assert paths({"name": "s", "test_cases": []}) == ["test_cases"]


def test_data_without_a_file_has_no_lines() -> None:
    assert [problem.line for problem in problems({})] == [None, None]


FIELDS = st.sampled_from(
    [
        *SuiteDocument.model_fields,
        *CaseDocument.model_fields,
        *["params", "mode", "values", "tool", "function", "mcp", "when", "x"],
    ]
)
GARBAGE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.sampled_from(["", "regex", "one_of", "bfcl", "(", "search", "required"])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(FIELDS | st.text(), inner, max_size=5)
    ),
    max_leaves=25,
)
NEARLY = st.fixed_dictionaries(
    {"name": st.just("s"), "test_cases": GARBAGE | st.lists(st.dictionaries(FIELDS, GARBAGE))},
    optional={"tools": GARBAGE, "defaults": GARBAGE, "match": GARBAGE, "weights": GARBAGE},
)


def outcome(path: Path) -> LoadedSuite | InvalidFile:
    try:
        return load_suite(path)
    except InvalidFile as error:
        return error


def is_told_in_full(found: LoadedSuite | InvalidFile) -> bool:
    if isinstance(found, LoadedSuite):
        return True
    return bool(found.problems) and all(one.message and one.line for one in found.problems)


@given(GARBAGE | NEARLY)
def test_any_json_is_a_suite_or_an_invalid_file(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "garbage.json"
    path.write_text(json.dumps(data))
    assert is_told_in_full(outcome(path))


@given(NEARLY)
def test_any_yaml_is_a_suite_or_an_invalid_file(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "garbage.yaml"
    path.write_text(yaml.safe_dump(data))
    assert is_told_in_full(outcome(path))


@given(st.binary(max_size=60))
def test_any_bytes_are_a_suite_or_an_invalid_file(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    for suffix in ("yaml", "json"):
        path = tmp_path_factory.getbasetemp() / f"bytes.{suffix}"
        path.write_bytes(raw)
        with pytest.raises(InvalidFile):
            load_suite(path)
