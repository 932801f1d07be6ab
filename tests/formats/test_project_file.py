from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.errors import InvalidFile
from toolgauge.formats.project_file import (
    PROJECT_FILE,
    GateDocument,
    ProjectDocument,
    TargetDocument,
    find_project,
    load_project,
    target_of,
)
from toolgauge.model.target import Prices, Target

MODEL = "must be `provider/model`, such as `openai/gpt-5`, or `python:module:callable`"
POLICY = "must be 'statistical', 'strict' or 'report-only', not 'strickt'; did you mean `strict`?"
WHOLE = """\
$schema: suites/project.schema.json
targets:
  fast:
    model: openai/gpt-x
    api_key_env: OPENAI_API_KEY
    temperature: 0.5
    stop: [END]
    parallel_tool_calls: false
    parameters: {logit_bias: {"50256": -100}}
    system_prompt: Be brief.
    gateway: direct
    concurrency: 4
    calls_per_min: 60
    tokens_per_min: 100000
    prices: {input_per_million: 1, output_per_million: 2.5}
  local: {model: openai/qwen, api_base: "http://localhost:8000/v1"}
  agent: {model: "python:my.agent:answer"}
mcp_servers:
  files: {command: uvx, args: [files-server, "${HOME}"], env: {TOKEN: "${FILES_TOKEN}"}}
  remote: {url: "https://example.com/mcp", headers: {Authorization: "Bearer ${REMOTE_TOKEN}"}}
gate:
  policy: strict
  metric: overall
  max_drop: 0.05
  min_score: 0.8
  fail_on: suite
  second_batch: false
  max_cost_ratio: 1.5
  max_latency_ratio: 2
  repeats: 5
suites: ["evals/**/*.yaml"]
embedding_model: openai/text-embedding-x
import_roots: [data]
"""


def project(folder: Path, data: Any) -> Path:
    path = folder / PROJECT_FILE
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def refusal(folder: Path, data: Any) -> dict[str, str]:
    path = project(folder, data)
    with pytest.raises(InvalidFile) as caught:
        load_project(path)
    assert caught.value.file == str(path)
    return {problem.path: problem.message for problem in caught.value.problems}


def test_everything_that_can_be_stated_is_read(tmp_path: Path) -> None:
    document = load_project(project(tmp_path, WHOLE))
    assert list(document.targets) == ["fast", "local", "agent"]
    assert document.mcp_servers["files"].args == ["files-server", "${HOME}"]
    assert document.mcp_servers["remote"].headers == {"Authorization": "Bearer ${REMOTE_TOKEN}"}
    assert document.gate == GateDocument(
        policy="strict",
        metric="overall",
        max_drop=0.05,
        min_score=0.8,
        fail_on="suite",
        second_batch=False,
        max_cost_ratio=1.5,
        max_latency_ratio=2,
        repeats=5,
    )
    assert document.suites == ["evals/**/*.yaml"]
    assert document.embedding_model == "openai/text-embedding-x"
    assert document.import_roots == ["data"]


def test_a_target_holds_what_was_stated_and_nothing_else(tmp_path: Path) -> None:
    targets = load_project(project(tmp_path, WHOLE)).targets
    assert target_of("fast", targets["fast"]) == Target(
        name="fast",
        model="openai/gpt-x",
        parameters={
            "temperature": 0.5,
            "stop": ["END"],
            "parallel_tool_calls": False,
            "logit_bias": {"50256": -100},
        },
        system_prompt="Be brief.",
        api_key_env="OPENAI_API_KEY",
        gateway="direct",
        concurrency=4,
        calls_per_min=60,
        tokens_per_min=100_000,
        prices=Prices(input_per_million=1, output_per_million=2.5),
    )
    local = target_of("local", targets["local"])
    assert (local.api_base, local.parameters) == ("http://localhost:8000/v1", {})


def test_a_target_without_prices_has_unknown_ones() -> None:
    assert target_of("t", TargetDocument(model="a/b")) == Target("t", "a/b")


@pytest.mark.parametrize("text", ["# nothing yet\n", "{}\n"])
def test_a_file_that_says_nothing_says_the_defaults(tmp_path: Path, text: str) -> None:
    assert load_project(project(tmp_path, text)) == ProjectDocument()


def test_the_defaults_of_the_gate_are_those_of_the_rules() -> None:
    gate = ProjectDocument().gate
    assert (gate.policy, gate.metric, gate.max_drop) == ("statistical", "passed", 0.02)
    assert (gate.fail_on, gate.second_batch, gate.min_score) == ("either", True, None)


def test_the_nearest_file_upwards_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_project(inner) is None
    outer = project(tmp_path, "{}")
    assert find_project(inner) == outer.resolve()
    (tmp_path / "a" / PROJECT_FILE).mkdir()
    assert find_project(inner) == outer.resolve()
    nearer = project(inner, "{}")
    assert find_project(inner) == nearer.resolve()


def test_problems_come_at_once_in_file_order_with_lines(tmp_path: Path) -> None:
    path = project(
        tmp_path,
        "targets:\n  fast:\n    model: gpt-x\n    temprature: 1\n"
        "gate:\n  policy: strickt\n  max_drop: 2\nsuits: []\n",
    )
    with pytest.raises(InvalidFile) as caught:
        load_project(path)
    assert str(caught.value).replace(f"{path}: ", "").splitlines() == [
        f"line 3: targets.fast.model: {MODEL}",
        "line 4: targets.fast.temprature: is no known field; did you mean `temperature`?",
        f"line 6: gate.policy: {POLICY}",
        "line 7: gate.max_drop: must be at most 1, not 2",
        "line 8: suits: is no known field; did you mean `suites`?",
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", "gpt-x"),
        ("model", "/x"),
        ("api_base", "localhost:8000"),
        ("api_base", "https://user:secret@example.com/v1"),
        ("api_key_env", "sk-proj-123"),
        ("stop", 3),
        ("concurrency", 0),
        ("max_tokens", 0),
        ("temperature", -1),
        ("top_p", 2),
        ("gateway", "curl"),
        ("prices", {"input_per_million": -1, "output_per_million": 1}),
    ],
)
def test_a_wrong_field_of_a_target_is_told(tmp_path: Path, field: str, value: object) -> None:
    found = refusal(tmp_path, {"targets": {"t": {"model": "a/b"} | {field: value}}})
    ((path, message),) = found.items()
    assert path.startswith(f"targets.t.{field}")
    assert "sk-proj-123" not in message
    assert "secret" not in message


@pytest.mark.parametrize("data", ["[]", "text", "3"])
def test_what_is_no_object_is_no_project(tmp_path: Path, data: str) -> None:
    assert list(refusal(tmp_path, data)) == [""]


def test_a_file_that_was_named_and_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be opened"):
        load_project(tmp_path / PROJECT_FILE)


GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("${"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*TargetDocument.model_fields, "url", "env", "api_key", "t"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from([*ProjectDocument.model_fields, "x"]), GARBAGE))
def test_any_data_is_a_project_or_an_invalid_file(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "garbage.yml"
    path.write_text(yaml.safe_dump(data))
    with contextlib.suppress(InvalidFile):
        assert isinstance(load_project(path), ProjectDocument)
