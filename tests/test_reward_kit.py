from __future__ import annotations

import doctest
import json
import warnings
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge import reward_kit
from toolgauge.reward_kit import exact_tool_match_reward, match_function_call

GOLDEN = Path(__file__).parent / "golden"
REWARDS = (
    "exact_tool_match_reward",
    "schema_jaccard_reward",
    "llm_judge_reward",
    "composite_function_call_reward",
)
LINE_STARTS = ("Missing", "Unexpected", "Type mismatch")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "arguments", "function", "type", "tool_calls", "content"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def lines(name: str) -> list[Any]:
    texts = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    vectors = [json.loads(text) for text in texts]
    return [pytest.param(vector, id=vector["note"]) for vector in vectors]


def call(name: str = "f", arguments: Any = "{}") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(*calls: Any, content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def as_object(message: dict[str, Any]) -> SimpleNamespace:
    fields = {"role": None, "content": None, "tool_calls": None} | message
    return SimpleNamespace(**fields)


@pytest.mark.parametrize("vector", lines("exact_tool_match_reward.jsonl"))
def test_a_golden_generation_gets_its_score_and_reason(vector: dict[str, Any]) -> None:
    arguments = dict(vector["args"])
    if arguments.pop("as_message_objects", False):
        arguments["messages"] = [as_object(message) for message in arguments["messages"]]
    reward = getattr(reward_kit, vector["fn"])
    expects_warning = vector.get("warns") == "DeprecationWarning"
    deprecated = pytest.warns(DeprecationWarning, match="is deprecated")
    with deprecated if expects_warning else nullcontext():
        result = reward(**arguments)
    assert result.score == vector["score"]
    if "reason" in vector:
        assert result.reason == vector["reason"]
    else:
        assert result.reason.startswith(vector["reason_startswith"])


@pytest.mark.parametrize("vector", lines("match_function_call.jsonl"))
def test_a_golden_call_gets_its_scores_and_reasons(vector: dict[str, Any]) -> None:
    arguments = {"messages": [], **vector["args"]}
    if "raises" in vector:
        with pytest.raises(ValueError, match=f"^{vector['message']}$"):
            match_function_call(**arguments)
        return
    result = match_function_call(**arguments)
    assert result.score == vector["score"]
    assert result.metrics["function_name_match"].score == vector["function_name_match"]
    assert result.metrics["arguments_match"].score == vector["arguments_match"]
    if "reasons" in vector:
        told = [line for line in result.reason.splitlines() if line.startswith(LINE_STARTS)]
        assert sorted(told) == vector["reasons"]


def test_message_objects_score_like_dicts() -> None:
    inner = SimpleNamespace(function=SimpleNamespace(name="f", arguments='{"a": 1}'))
    message = as_object({"role": "assistant", "tool_calls": [inner]})
    truth = {"tool_calls": [call("f", {"a": 1})]}
    assert exact_tool_match_reward([message], truth).score == 1.0


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], "No messages provided for evaluation."),
        (None, "No messages provided for evaluation."),
        (["hello"], "Unexpected type for generation message: <class 'str'>"),
        ([{}, 5], "Unexpected type for generation message: <class 'int'>"),
        ({"role": "user"}, "Unexpected type for generation message: <class 'dict'>"),
    ],
)
def test_messages_that_are_none_score_zero_and_say_so(messages: Any, reason: str) -> None:
    result = exact_tool_match_reward(messages, {"tool_calls": []})
    assert (result.score, result.reason) == (0.0, reason)


def test_the_detail_names_the_first_difference() -> None:
    truth = {"tool_calls": [call(), call("g", '{"a": 1, "b": [true]}')]}
    result = exact_tool_match_reward([assistant(call(), call("g", '{"a": 1, "b": [1]}'))], truth)
    assert result.detail == "call 2, arguments.b: expected [True], got [1]"


def test_equal_lists_have_no_detail() -> None:
    result = exact_tool_match_reward([assistant(call())], {"tool_calls": [call()]})
    assert (result.score, result.detail) == (1.0, None)


def test_flat_native_calls_are_dropped_and_content_is_not_read_in_their_place() -> None:
    content = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    message = assistant({"name": "f", "arguments": "{}"}, content=content)
    assert exact_tool_match_reward([message], {"tool_calls": [call()]}).score == 0.0


def test_arguments_are_parsed_only_once() -> None:
    twice = json.dumps(json.dumps({"a": 1}))
    result = exact_tool_match_reward([assistant(call("f", twice))], {"tool_calls": [call("f", {})]})
    assert result.score == 0.0


def test_a_closing_tag_inside_of_a_text_ends_no_block() -> None:
    block = '<tool_call>{"name": "f", "arguments": {"a": "</tool_call>"}}</tool_call>'
    truth = {"tool_calls": [call("f", {"a": "</tool_call>"})]}
    assert exact_tool_match_reward([assistant(content=block)], truth).score == 1.0


def test_further_keyword_arguments_are_ignored() -> None:
    assert exact_tool_match_reward([assistant()], None, model="x", tools=[]).score == 1.0


def test_a_deprecated_name_warns_at_the_line_of_its_caller() -> None:
    with pytest.warns(DeprecationWarning, match="exact_tool_match_reward") as caught:
        reward_kit.llm_judge_reward([assistant()])
    assert caught[0].filename == __file__


def test_arguments_that_are_no_object_match_nothing() -> None:
    result = match_function_call([], "f", [1], {"name": "f", "arguments": {}})
    assert (result.score, result.metrics["arguments_match"].reason) == (
        0.5,
        "Arguments are no object, got list",
    )


def test_a_list_of_types_is_named_in_the_reason() -> None:
    schema = {"name": "f", "arguments": {"a": {"type": ["string", "null"]}}}
    reason = match_function_call([], "f", {"a": 5}, schema).metrics["arguments_match"].reason
    assert reason == "Type mismatch for a: expected string or null, got int"


@settings(max_examples=150, deadline=None)
@given(reward=st.sampled_from(REWARDS), messages=json_values, truth=json_values)
def test_no_json_makes_a_reward_raise(reward: str, messages: Any, truth: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for given_messages in (messages, [messages], [{"tool_calls": messages}]):
            for given_truth in (truth, {"tool_calls": truth}, json.dumps(truth)):
                result = getattr(reward_kit, reward)(given_messages, given_truth)
                assert result.score in (0.0, 1.0)


@settings(max_examples=100, deadline=None)
@given(calls=st.lists(st.tuples(st.text(max_size=3), json_values), max_size=4))
def test_a_generation_equals_itself(calls: list[tuple[str, Any]]) -> None:
    message = assistant(*(call(name, arguments) for name, arguments in calls))
    assert exact_tool_match_reward([message], message).score == 1.0


@settings(max_examples=150, deadline=None)
@given(
    name=json_values,
    arguments=json_values,
    schema=json_values | st.fixed_dictionaries({"name": json_values, "arguments": json_values}),
    strictness=st.sampled_from(["exact", "partial", "flexible", "permissive"]),
)
def test_no_json_makes_a_match_raise(
    name: Any, arguments: Any, schema: Any, strictness: str
) -> None:
    result = match_function_call([], name, arguments, schema, strictness)
    assert result.score in (0.0, 0.5, 1.0)


def test_the_examples_hold() -> None:
    assert doctest.testmod(reward_kit).failed == 0
