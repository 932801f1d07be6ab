from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import calls, case, json_values, tool

from toolgauge.model.case import Case, ExpectedCall
from toolgauge.model.tools import ToolCall, ToolSpec
from toolgauge.scoring import bfcl

BFCL = os.environ.get("TOOLGAUGE_BFCL_DIR")
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "unit": {"type": "string"}},
    "required": ["n"],
}
ONE = {"tool": "f", "params": {"n": [1, 2], "unit": ["cm", ""]}}


def stated(*expected: dict[str, Any], tools: int = 1, **fields: Any) -> Case:
    offered = [tool(name, SCHEMA) for name in "fgh"[:tools]]
    given_fields = fields or {"expected_calls": list(expected)}
    return case(tools=offered, match="bfcl", **given_fields)


def error_of(asked: Case, *made: Any) -> str | None:
    return bfcl.judge(asked, calls(*made).calls).error_type


@pytest.mark.parametrize(
    ("made", "error"),
    [
        ([("f", {"n": 2})], None),
        ([("f", {"n": 1, "unit": "C M"})], None),
        ([("F", {"n": 1})], "simple_function_checker:wrong_func_name"),
        ([("f", {"unit": "cm"})], "simple_function_checker:missing_required"),
        ([("f", {"n": 1, "x": 1})], "simple_function_checker:unexpected_param"),
        ([("f", {"n": 1.0})], "type_error:simple"),
        ([("f", {"n": 3})], "value_error:others"),
        ([("f", {"n": 1, "unit": "mm"})], "value_error:string"),
        ([("f", {"n": 3, "unit": 1})], "value_error:others"),
        ([("f", {"unit": 1, "n": 3})], "type_error:simple"),
        ([("f", "n=1")], "ast_decoder:decoder_failed"),
        ([], "simple_function_checker:wrong_count"),
        ([("f", {"n": 1})] * 2, "simple_function_checker:wrong_count"),
    ],
)
def test_the_first_error_of_one_call_is_the_verdict(made: list[Any], error: str | None) -> None:
    assert error_of(stated(ONE), *made) == error


def test_a_parameter_that_may_not_be_left_out_is_mandatory() -> None:
    asked = stated({"tool": "f", "params": {"n": [1], "unit": ["cm"]}})
    assert error_of(asked, ("f", {"n": 1})) == "simple_function_checker:missing_optional"


def test_an_argument_outside_of_the_schema_is_unexpected_even_where_it_is_acceptable() -> None:
    asked = stated({"tool": "f", "params": {"n": [1], "x": [1]}})
    assert error_of(asked, ("f", {"n": 1, "x": 1})) == "simple_function_checker:unexpected_param"


def test_the_count_is_of_several_tools_where_several_are_offered() -> None:
    assert error_of(stated(ONE, tools=2)) == "multiple_function_checker:wrong_count"


def test_several_calls_match_in_any_order() -> None:
    asked = stated(
        {"tool": "f", "params": {"n": [1]}}, {"tool": "g", "params": {"n": [2]}}, tools=2
    )
    assert error_of(asked, ("g", {"n": 2}), ("f", {"n": 1})) is None
    assert error_of(asked, ("g", {"n": 1}), ("f", {"n": 2})) == (
        "parallel_function_checker_no_order:cannot_find_match"
    )
    assert error_of(asked, ("g", {"n": 2})) == "parallel_function_checker_no_order:wrong_count"


def test_several_calls_match_greedily_in_expected_order() -> None:
    asked = stated({"tool": "f", "params": {"n": [1, 2]}}, {"tool": "f", "params": {"n": [1]}})
    made = [("f", {"n": 1}), ("f", {"n": 2})]
    assert error_of(asked, *made) == "parallel_function_checker_no_order:cannot_find_match"
    assert error_of(asked, *reversed(made)) is None


@pytest.mark.parametrize("fields", [{"expect_no_call": True}, {"expected_calls": []}])
def test_irrelevance_wants_no_decodable_call(fields: dict[str, Any]) -> None:
    asked = stated(**fields)
    assert error_of(asked) is None
    assert error_of(asked, ("f", "not an object")) is None
    assert error_of(asked, ("f", {}), ("f", "not an object")) is None
    assert error_of(asked, "f") == "irrelevance_error:decoder_success"


def test_relevance_wants_a_decodable_call_of_any_tool() -> None:
    asked = stated(expect_any_call=True)
    assert error_of(asked, "anything") is None
    assert error_of(asked) == "relevance_error:decoder_failed"
    assert error_of(asked, ("f", "not an object")) == "relevance_error:decoder_failed"


def test_without_stated_params_only_the_name_counts() -> None:
    assert error_of(stated({"tool": "f"}), ("f", {"x": 1})) is None


def test_a_single_value_stands_for_a_list_of_it() -> None:
    asked = stated({"tool": "f", "params": {"n": 1}})
    assert error_of(asked, ("f", {"n": 1})) is None


def test_the_reason_begins_with_the_type_of_the_error() -> None:
    score = bfcl.score(stated(ONE), calls(("f", {"n": 3})))
    assert (score.value, score.reason) == (
        0.0,
        "value_error:others: parameter n: acceptable: [1, 2], got 3",
    )


def test_a_valid_answer_scores_one_and_needs_no_reason() -> None:
    score = bfcl.score(stated(ONE), calls(("f", {"n": 1})))
    assert (score.value, score.reason) == (1.0, "")


@settings(max_examples=150, deadline=None)
@given(
    expected=st.lists(st.dictionaries(st.sampled_from(["n", "unit"]), json_values), max_size=2),
    made=st.lists(
        st.tuples(
            st.sampled_from("fg"),
            json_values | st.dictionaries(st.sampled_from(["n", "unit", "x"]), json_values),
        ),
        max_size=2,
    ),
    schema=json_values,
)
def test_any_calls_get_a_verdict(expected: list[Any], made: list[Any], schema: Any) -> None:
    wanted = tuple(ExpectedCall(("f",), params) for params in expected)
    properties = {"properties": {"n": schema, "unit": {"type": "string"}}}
    asked = Case("c", (), (tool("f", properties),), "calls", wanted, match="bfcl")
    assert bfcl.score(asked, calls(*made)).value in (0.0, 1.0)


@pytest.mark.skipif(
    BFCL is None,
    reason="TOOLGAUGE_BFCL_DIR is not set: it names the folder of the recorded BFCL packs",
)
def test_every_recorded_answer_gets_the_official_verdict() -> None:
    judged: Counter[str] = Counter()
    for path in sorted(Path(str(BFCL), "dev").glob("v*.json.gz")):
        pack = json.loads(gzip.decompress(path.read_bytes()))
        cases = {each["id"]: official_case(each) for each in pack["cases"]}
        for target, verdicts in pack["official"].items():
            for case_id, official in verdicts.items():
                answer = pack["recorded"][target][case_id]["calls"]
                verdict = bfcl.judge(cases[case_id], recorded_calls(answer))
                assert verdict.valid == official["valid"], (target, case_id, verdict)
                judged["verdicts"] += 1
                # that nothing at all was decoded can have two types; the calls do not tell which
                if answer and verdict.error_type == official["error_type"]:
                    judged["types"] += 1
                judged["answers"] += bool(answer)
    assert judged["verdicts"] == 7956
    assert judged["types"] == judged["answers"]


def official_case(document: dict[str, Any]) -> Case:
    expects = "no_call" if document["expect_no_call"] else "calls"
    if document.get("expect_any_call"):
        expects = "any_call"
    expected = tuple(
        ExpectedCall((each["name"],), each["arguments"]) for each in document["expected"]
    )
    tools = tuple(ToolSpec.model_validate(each) for each in document["tools"])
    return Case(document["id"], (), tools, expects, expected, match="bfcl")


def recorded_calls(answer: list[dict[str, Any]] | None) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(each["name"], each["arguments"] if "arguments" in each else each["arguments_raw"])
        for each in answer or ()
    )
