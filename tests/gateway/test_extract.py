from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.gateway.extract import trajectory
from toolgauge.model.tools import ToolCall

GOLDEN = Path(__file__).parents[1] / "golden"
TOOLS = ("get_weather", "search")
PARIS = {"name": "get_weather", "arguments": {"city": "Paris"}}


def native(name: Any, arguments: Any = "{}", call_id: Any = "call_1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(content: Any = None, *calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def tool(content: Any, call_id: Any = None) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def calls_of(*messages: Any) -> list[dict[str, Any]]:
    return [call.as_json() for call in trajectory(messages, TOOLS).calls]


def results_of(*messages: Any) -> list[Any]:
    read = trajectory(messages, TOOLS).calls
    return [call.result if call.has_result else "unanswered" for call in read]


def golden_vectors() -> list[Any]:
    vectors = []
    for file in sorted(GOLDEN.glob("*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        cases = {c["id"]: c for c in document.get("suite", {}).get("test_cases", ())}
        lines = {(t["case_id"], t["repeat"]): t for t in document.get("transcripts", ())}
        for entry in document.get("expected", ()):
            if entry.keys() & {"calls", "format"}:
                line = lines[entry["case_id"], entry["repeat"]]
                tools = cases[entry["case_id"]].get("tools") or document["suite"]["tools"]
                names = [tool["function"]["name"] for tool in tools]
                vectors.append(pytest.param(line["messages"], names, entry, id=entry["case_id"]))
    return vectors


VECTORS = golden_vectors()


def test_there_are_golden_vectors() -> None:
    assert len(VECTORS) > 60


@pytest.mark.parametrize(("messages", "names", "expected"), VECTORS)
def test_golden(messages: Any, names: list[str], expected: dict[str, Any]) -> None:
    read = trajectory(messages, names)
    if "calls" in expected:
        assert [call.as_json() for call in read.calls] == expected["calls"]
    if "format" in expected:
        assert read.format == expected["format"]


@pytest.mark.parametrize("arguments", [None, "", " \n", "null", " null ", {}, "{}"])
def test_missing_blank_and_null_arguments_are_the_empty_object(arguments: Any) -> None:
    read = trajectory([assistant(None, native("search", arguments))], TOOLS)
    assert read.calls == (ToolCall("search", {}),)


def test_arguments_that_are_not_there_are_the_empty_object() -> None:
    message = assistant(None, {"id": "1", "function": {"name": "search"}})
    assert calls_of(message) == [{"name": "search", "arguments": {}}]


@pytest.mark.parametrize("arguments", ["[1]", "5", '"x"', "false", "{", [], False, 0, ["x"]])
def test_arguments_that_are_no_object_are_kept_as_sent(arguments: Any) -> None:
    (call,) = trajectory([assistant(None, native("search", arguments))], TOOLS).calls
    assert call.arguments == arguments
    assert call.arguments is not None
    assert call.format == "failed"


def test_an_integer_longer_than_the_interpreter_reads_is_kept_as_text() -> None:
    sent = '{"n": ' + "9" * 5000 + "}"
    (call,) = trajectory([assistant(None, native("search", sent))], TOOLS).calls
    assert (call.arguments, call.format) == (sent, "failed")


@pytest.mark.parametrize("entry", [None, 5, "x", [], {}, {"function": None}, {"name": "search"}])
def test_an_entry_without_a_function_with_a_text_name_is_no_call(entry: Any) -> None:
    assert calls_of(assistant(None, entry, native(None), native(5))) == []


def test_unreadable_native_entries_leave_the_call_in_the_text() -> None:
    block = f"<tool_call>{json.dumps(PARIS)}</tool_call>"
    assert calls_of(assistant(block, native(None))) == [PARIS]


def test_native_calls_win_over_blocks() -> None:
    block = f"<tool_call>{json.dumps(PARIS)}</tool_call>"
    assert calls_of(assistant(block, native("search"))) == [{"name": "search", "arguments": {}}]


def test_each_reply_is_read_in_its_own_form() -> None:
    read = trajectory([assistant(json.dumps(PARIS)), assistant(None, native("search"))], TOOLS)
    assert [call.format for call in read.calls] == ["repaired", "native"]
    assert read.format == "repaired"


@pytest.mark.parametrize("outer", [None, "", " ", "{}", " {} ", {}, "null"])
def test_json_in_the_name_gives_its_arguments_where_the_outer_ones_say_nothing(outer: Any) -> None:
    assert calls_of(assistant(None, native(json.dumps(PARIS), outer))) == [PARIS]


def test_outer_arguments_win_over_those_in_the_name() -> None:
    message = assistant(None, native(json.dumps(PARIS), '{"city": "Rome"}'))
    assert calls_of(message) == [{"name": "get_weather", "arguments": {"city": "Rome"}}]


@pytest.mark.parametrize(
    "block",
    [
        PARIS,
        {"name": "get_weather", "parameters": {"city": "Paris"}},
        {"type": "function", "function": PARIS},
        {"function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}},
    ],
)
def test_a_block_holds_a_name_with_arguments_or_a_function(block: Any) -> None:
    assert calls_of(assistant(f"<tool_call>\n{json.dumps(block)}\n</tool_call>")) == [PARIS]


@pytest.mark.parametrize(
    "block", ['{"name": "search"}', '{"name": 5, "arguments": {}}', "[]", '"x"', '{"function": 1}']
)
def test_a_block_of_another_shape_is_no_call(block: str) -> None:
    assert calls_of(assistant(f"<tool_call>{block}</tool_call>")) == []


def test_a_closing_tag_inside_of_an_argument_does_not_end_the_block() -> None:
    call = {"name": "search", "arguments": {"q": "a </tool_call> b"}}
    assert calls_of(assistant(f"<tool_call>{json.dumps(call)}</tool_call>")) == [call]


def test_a_block_that_cannot_be_read_does_not_hide_the_next_one() -> None:
    text = f"<tool_call>{{oops <tool_call>{json.dumps(PARIS)}</tool_call>"
    assert calls_of(assistant(text)) == [PARIS]


def test_text_after_the_object_makes_a_block_unreadable() -> None:
    assert calls_of(assistant(f"<tool_call>{json.dumps(PARIS)} done</tool_call>")) == []


@pytest.mark.parametrize("text", ["```json\n{}\n```", "```\n{}```", "```{}```", "  {}\n"])
def test_the_whole_text_may_be_fenced(text: str) -> None:
    assert calls_of(assistant(text.replace("{}", json.dumps(PARIS)))) == [PARIS]


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{}",
        "Sure:\n```json\n{}\n```",
        "```and so on {}```",
        "{} {}",
    ],
)
def test_a_text_that_is_more_than_the_object_is_no_call(text: str) -> None:
    assert calls_of(assistant(text.replace("{}", json.dumps(PARIS)))) == []


@pytest.mark.parametrize("arguments", [None, [], "x", "", "null", "[1]", 5])
def test_the_whole_text_needs_arguments_that_are_an_object(arguments: Any) -> None:
    assert calls_of(assistant(json.dumps({"name": "search", "arguments": arguments}))) == []


def test_the_whole_text_needs_the_name_of_a_tool() -> None:
    assert calls_of(assistant('{"name": "nope", "arguments": {}}')) == []


def test_the_text_parts_of_a_list_are_the_text() -> None:
    half = len(json.dumps(PARIS)) // 2
    parts = [json.dumps(PARIS)[:half], json.dumps(PARIS)[half:]]
    assert calls_of(assistant([{"type": "text", "text": part} for part in parts])) == [PARIS]


def test_only_assistant_messages_are_read_and_no_role_counts_as_one() -> None:
    users = {**assistant(None, native("search")), "role": "user"}
    nobody = {"tool_calls": [native("get_weather", {"city": "Paris"})]}
    assert calls_of(users, nobody) == [PARIS]


def test_results_are_found_by_id_whatever_their_order() -> None:
    calls = assistant(None, native("search", call_id="a"), native("search", call_id="b"))
    assert results_of(calls, tool('{"n": 2}', "b"), tool("one", "a")) == ["one", {"n": 2}]


def test_results_without_a_known_id_answer_in_order() -> None:
    calls = assistant(None, native("search", call_id="a"), native("search", call_id=None))
    assert results_of(calls, tool("1"), tool("2", "zzz"), tool("3", "zzz")) == [1, 2]


def test_an_id_that_is_used_again_answers_the_later_call() -> None:
    turn = assistant(None, native("search", call_id="a"))
    assert results_of(turn, tool("1", "a"), turn, tool("2", "a")) == [1, 2]


def test_a_result_before_any_call_answers_nothing() -> None:
    assert results_of(tool("1", "call_1"), assistant(None, native("search"))) == ["unanswered"]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (None, None),
        ("null", None),
        ("free text", "free text"),
        ({"a": 1}, {"a": 1}),
        ([{"id": 1}], [{"id": 1}]),
        ([{"type": "text", "text": '{"a": 1}'}], {"a": 1}),
    ],
)
def test_a_result_is_json_where_it_parses(content: Any, result: Any) -> None:
    (call,) = trajectory([assistant(None, native("search")), tool(content)], TOOLS).calls
    assert call.has_result
    assert call.result == result


def test_messages_that_are_no_objects_are_passed_over() -> None:
    read = trajectory([None, 5, "x", assistant(None, native("search")), []], TOOLS)  # type: ignore[list-item] # garbage is the point
    assert len(read.calls) == len(read.messages) == 1


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"name":"search","arguments":['])
def test_nesting_deeper_than_the_stack_raises_nothing(opening: str) -> None:
    deep = opening * 200_000
    block = assistant(f"<tool_call>{deep}</tool_call>")
    messages = [assistant(deep), block, assistant(None, native(deep, deep)), tool(deep)]
    assert [call.format for call in trajectory(messages, TOOLS).calls] == ["failed"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["assistant", "tool", "search", "{}", json.dumps(PARIS), "<tool_call>{"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
pieces = '<tool_call> </tool_call> ``` json { } "name" : "search" , " "arguments" {} null NaN \\'
fragments = st.sampled_from([*pieces.split(), json.dumps(PARIS), " ", "\ud800"])
texts = json_values | st.lists(fragments, max_size=12).map("".join)
functions = st.fixed_dictionaries({}, optional={"name": texts, "arguments": texts}) | json_values
entries = st.fixed_dictionaries({}, optional={"id": json_values, "function": functions})
loose_messages = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", "tool"]) | json_values,
        "content": texts,
        "tool_calls": st.lists(entries | json_values, max_size=3) | json_values,
        "tool_call_id": json_values,
    },
)


@settings(max_examples=300, deadline=None)
@given(st.lists(loose_messages | json_values, max_size=5))
def test_no_messages_raise(messages: list[Any]) -> None:
    read = trajectory(messages, TOOLS)
    for call in read.calls:
        assert isinstance(call.name, str)
        assert (call.format == "failed") == (not isinstance(call.arguments, dict))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_every_object_that_is_sent_as_text_is_read_back(arguments: dict[str, Any]) -> None:
    sent = json.dumps(arguments)
    (call,) = trajectory([assistant(None, native("search", sent))], TOOLS).calls
    assert json.dumps(call.arguments) == sent
    assert call.format == "native"
