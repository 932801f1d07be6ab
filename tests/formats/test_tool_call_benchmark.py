from __future__ import annotations

from typing import Any

import pytest

from dataset_samples import benchmark_record
from toolgauge.formats.records import BadRecord
from toolgauge.formats.tool_call_benchmark import entry_of

CALLS = [{"tool": "list_items", "params": {}}, {"tool": "multiply", "params": {"a": 3, "b": 1.2}}]
LISTS = {"tool_call_names": ["list_items", "multiply"], "tool_call_args": [{}, {"a": 3, "b": 1.2}]}


def asked(**fields: Any) -> dict[str, Any]:
    return {"input": "What do 3 pens cost?"} | fields


@pytest.mark.parametrize(
    "record",
    [
        asked(**LISTS),
        asked(target=LISTS),
        asked(
            target=[
                {"name": "list_items", "args": {}},
                {"name": "multiply", "args": {"a": 3, "b": 1.2}},
            ]
        ),
        asked(
            target=[
                {"name": "list_items"},
                {
                    "type": "function",
                    "function": {"name": "multiply", "arguments": '{"a":3,"b":1.2}'},
                },
            ]
        ),
        asked(target=[{"name": call["tool"], "args": call["params"]} for call in CALLS], **LISTS),
    ],
    ids=["lists", "lists as target", "target", "calls of OpenAI", "both"],
)
def test_each_layout_gives_the_same_case(record: dict[str, Any]) -> None:
    assert entry_of(record).case == {
        "prompt": "What do 3 pens cost?",
        "expected_calls": CALLS,
        "order": "strict",
    }


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"input": None}, "input"),
        ({"input": ["a"]}, "input"),
        ({"tool_call_args": [{}]}, "tool_call_args"),
        ({"tool_call_args": None}, "tool_call_args"),
        ({"tool_call_names": [1, "multiply"]}, "tool_call_names[0]"),
        ({"tool_call_args": [[], {}]}, "tool_call_names[0].arguments"),
        ({"target": [{"name": "other", "args": {}}]}, "target"),
        ({"target": 7}, "target"),
    ],
)
def test_a_broken_record_is_told_by_its_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadRecord) as refused:
        entry_of(benchmark_record() | fields)
    assert refused.value.field == field


def test_a_record_without_expected_calls_is_refused() -> None:
    with pytest.raises(BadRecord, match="is required"):
        entry_of(asked())
