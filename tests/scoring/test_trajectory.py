from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from golden_vectors import Vector, vectors
from hypothesis import given, settings
from hypothesis import strategies as st
from made import calls, case, json_values, tool

from toolgauge.model.case import Case, ExpectedCall
from toolgauge.model.tools import ToolCall, ToolSpec, Trajectory
from toolgauge.scoring.matching import Undecided
from toolgauge.scoring.trajectory import ahr, tp, tsa

names = st.lists(st.sampled_from(["a", "b", "c", "A", "tool"]), max_size=6)
BFCL = os.environ.get("TOOLGAUGE_BFCL_DIR")
needs_bfcl = pytest.mark.skipif(
    BFCL is None,
    reason="TOOLGAUGE_BFCL_DIR is not set: it names the folder of the recorded BFCL packs",
)


def expecting(*made: tuple[str, dict[str, Any]], tools: tuple[ToolSpec, ...] = ()) -> Case:
    expected = tuple(ExpectedCall((name,), params) for name, params in made)
    return Case("c", (), tools, "calls", expected)


def ahr_of(arguments: dict[str, Any], params: dict[str, Any], schema: Any) -> float | None:
    offered = (tool("f", schema),)
    return ahr(expecting(("f", params), tools=offered), calls(("f", arguments))).value


@pytest.mark.parametrize("vector", list(vectors("trajectory")), ids=lambda vector: vector.case.id)
def test_a_golden_vector_gets_its_scores(vector: Vector) -> None:
    scored = {s.__name__: s(vector.case, vector.trajectory).value for s in (tsa, ahr, tp)}
    assert scored == pytest.approx(vector.expected["scores"], abs=1e-9)


def test_every_expected_tool_counts_once_however_often_it_is_expected() -> None:
    score = tsa(expecting(("a", {}), ("a", {}), ("b", {})), calls("a", "a", "c"))
    assert (score.numerator, score.denominator) == (1, 2)
    assert score.reason == "1 of 2 expected tools called; not called: 'b'"


def test_letter_case_of_names_counts() -> None:
    assert tsa(expecting(("a", {})), calls("A")).value == 0.0
    assert tp(expecting(("a", {})), calls("A")).value == 0.0


def test_params_that_are_not_stated_count_as_none_expected() -> None:
    by_tool = case(expected_tool="get_weather", tools=[tool("get_weather")])
    score = ahr(by_tool, calls(("get_weather", {"city": "Paris", "days": "two", "zip": 1})))
    assert (score.value, score.numerator, score.denominator) == (2 / 3, 2, 3)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"k": {}}}, 0.0),
        ({"properties": {}}, 1.0),
        ({"properties": {}, "additionalProperties": True}, 0.0),
        ({"properties": {}, "additionalProperties": {"type": "integer"}}, 0.0),
        ({"properties": {}, "additionalProperties": False}, 1.0),
        ({"properties": {}, "patternProperties": {"^k": {}}}, 0.0),
        ({"properties": {}, "patternProperties": {"^x": {}}}, 1.0),
        ({"properties": {}, "patternProperties": {"(": {}}}, 1.0),
        ({"type": "object"}, 0.0),
        ({"properties": "none"}, 0.0),
    ],
)
def test_an_argument_is_made_up_where_the_schema_does_not_know_its_key(
    schema: Any, expected: float
) -> None:
    assert ahr_of({"k": 1}, {"k": 1}, schema) == expected


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"properties": {"k": {"type": "integer"}}, "required": ["other"]}, 1, 0.0),
        ({"properties": {"k": {"type": "integer"}}}, "1", 1.0),
        ({"properties": {"k": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"const": 1}}}, 1, 0.0),
        ({"properties": {"k": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"const": 1}}}, 2, 1.0),
        ({"additionalProperties": {"type": "string"}}, 1, 1.0),
        ({"patternProperties": {"^k$": {"type": "string"}}}, 1, 1.0),
        ({"properties": {"k": {"type": "float"}}}, "no schema at all", 0.0),
        ({"properties": {"k": {}}, "minProperties": 2, "not": {"required": ["k"]}}, 1, 0.0),
    ],
)
def test_a_value_that_is_not_expected_is_held_to_the_schema_of_its_key(
    schema: Any, value: Any, expected: float
) -> None:
    assert ahr_of({"k": value}, {}, schema) == expected


def test_a_tool_that_is_not_offered_knows_every_key() -> None:
    assert ahr(expecting(("f", {})), calls(("f", {"k": 1}))).value == 0.0


def test_a_tool_without_parameters_knows_every_key() -> None:
    bare = ToolSpec.model_validate({"function": {"name": "f"}})
    assert ahr(expecting(("f", {}), tools=(bare,)), calls(("f", {"k": 1}))).value == 0.0


def test_a_pattern_that_runs_out_of_time_decides_nothing() -> None:
    schema = {"properties": {}, "patternProperties": {"(?:a|aa)+$": {}}}
    with pytest.raises(Undecided, match="ran out of time"):
        ahr_of({"a" * 50 + "b": 1}, {}, schema)


def test_arguments_that_are_no_object_are_no_arguments() -> None:
    assert ahr(expecting(("f", {"a": 1})), calls(("f", "[1]"))).value is None


def test_every_invalid_argument_is_named() -> None:
    score = ahr(
        expecting(("f", {"n": 1}), ("g", {}), tools=(tool("f"),)),
        calls("g", ("f", {"city": 1, "days": 2, "n": 1})),
    )
    assert score.reason == (
        "2 of 3 arguments invalid: call 2, city fails the schema, got 1; "
        "call 2, n is unknown to the schema"
    )


@pytest.mark.parametrize("scorer", [tsa, ahr, tp])
@pytest.mark.parametrize(
    "fields", [{"expect_any_call": True}, {"expected_tool": "f", "multi_turn": True}]
)
def test_where_no_list_is_stated_nothing_is_scored(scorer: Any, fields: dict[str, Any]) -> None:
    assert scorer(case(**fields), calls("f")).value is None


@settings(max_examples=100, deadline=None)
@given(expected=names, called=names)
def test_tp_is_one_minus_the_edit_distance_by_the_textbook(
    expected: list[str], called: list[str]
) -> None:
    score = tp(expecting(*((name, {}) for name in expected)), calls(*called))
    longer = max(len(expected), len(called))
    assert score.value == (1 - textbook_distance(called, expected) / longer if longer else 1.0)


@settings(max_examples=100, deadline=None)
@given(
    expected=st.lists(st.tuples(st.sampled_from("fg"), st.dictionaries(st.text(), json_values))),
    made=st.lists(st.tuples(st.sampled_from("fgh"), json_values), max_size=4),
    schema=st.dictionaries(
        st.sampled_from(["type", "properties", "additionalProperties", "$ref", "required"]),
        json_values,
    ),
)
def test_any_calls_and_any_schema_give_scores_in_range(
    expected: list[Any], made: list[Any], schema: Any
) -> None:
    stated = expecting(*expected, tools=(tool("f", schema), tool("g")))
    for scorer in (tsa, ahr, tp):
        value = scorer(stated, calls(*made)).value
        assert value is None or 0 <= value <= 1


@settings(max_examples=60, deadline=None)
@given(made=st.lists(st.tuples(st.sampled_from("fg"), st.dictionaries(st.text(), json_values))))
def test_the_expected_calls_themselves_are_perfect(made: list[Any]) -> None:
    stated, answer = expecting(*made), calls(*made)
    assert tsa(stated, answer).value in (1.0, None)
    assert ahr(stated, answer).value in (0.0, None)
    assert tp(stated, answer).value == 1.0


@needs_bfcl
def test_recorded_trajectories_get_the_scores_that_were_computed_for_them() -> None:
    compared: Counter[str] = Counter()
    for expected_case, answer, metrics in recorded_trajectories():
        assert tsa(expected_case, answer).value == metrics["tsa"]
        assert tp(expected_case, answer).value == metrics["tp"]
        compared["tsa and tp"] += 1
        if metrics["ahr_agree"]:
            assert ahr(expected_case, answer).value == metrics["ahr"]["occ"]
            compared["ahr"] += 1
    assert compared["tsa and tp"] > 3000
    assert compared["ahr"] > 2000


def recorded_trajectories() -> Iterator[tuple[Case, Trajectory, dict[str, Any]]]:
    """Yield each recorded conversation, whole and turn by turn, with its metrics."""
    for path in sorted(Path(str(BFCL), "trajectory").glob("*.json.gz")):
        pack = json.loads(gzip.decompress(path.read_bytes()))
        offered = {
            each["function"]["name"]: ToolSpec.model_validate(each)
            for of_class in pack["tools_by_class"].values()
            for each in of_class
        }
        cases = {each["id"]: each for each in pack["cases"]}
        for target, measured in pack["metrics"].items():
            for case_id, metrics in measured.items():
                asked, answered = cases[case_id], pack["recorded"][target][case_id]["turns"]
                tools = tuple(offered[name] for name in asked["tool_names"] if name in offered)
                gold = [turn["gold"] for turn in asked["turns"]]
                whole = [([*chain(*gold)], [*chain(*answered)], metrics["case"])]
                # a conversation that broke off has fewer turns than were asked
                turns = zip(gold, answered, metrics["turns"], strict=False)
                for expected, made, values in (*whole, *turns):
                    stated = [(call["name"], call["arguments"]) for call in expected]
                    yield expecting(*stated, tools=tools), recorded(made), values


def recorded(made: list[dict[str, Any]]) -> Trajectory:
    arguments = (each.get("arguments", each.get("arguments_raw")) for each in made)
    named = zip(made, arguments, strict=True)
    return Trajectory(tuple(ToolCall(each["name"], given) for each, given in named))


def textbook_distance(left: list[str], right: list[str]) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        previous, row = row, [i]
        for j, b in enumerate(right, start=1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
    return row[-1]
