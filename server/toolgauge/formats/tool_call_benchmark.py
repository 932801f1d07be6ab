"""Datasets of the Tool Call Benchmark: a JSON list of ``input`` and the expected calls.

The calls stand under ``target``, or in the lists ``tool_call_names`` and
``tool_call_args``; both are read, and both are written. There are no tools in it.
"""

from __future__ import annotations

from typing import Any

from toolgauge.formats.expected_in_order import expected_call, expected_calls, plain_calls
from toolgauge.formats.layout import Entry, Layout, Outgoing, own_id
from toolgauge.formats.places import kind_of
from toolgauge.formats.records import BadRecord
from toolgauge.model.json_equality import identical

_LISTS = ("tool_call_names", "tool_call_args")


def entry_of(record: dict[str, Any]) -> Entry:
    """Return a case with ``expected_calls`` in strict order.

    Raises:
        BadRecord: the input is no text, or the expected calls are missing, broken, or
            stated twice and not alike.
    """
    asked = record.get("input")
    if not isinstance(asked, str) or not asked:
        raise BadRecord("input", "is required: what is asked, as text")
    tools = {"tools": record["tools"]} if "tools" in record else {}
    expected = {"expected_calls": _expected(record), "order": "strict"}
    return Entry(own_id(record, "id") | {"prompt": asked} | tools | expected)


def record_of(outgoing: Outgoing) -> dict[str, Any]:
    """Return the record that says what the case says; parameters not stated are ``{}``.

    Raises:
        BadRecord: the case is no single text with a fixed list of calls.
    """
    case = outgoing.case
    if case.prompt is None:
        raise BadRecord("messages", "this format holds one text as its input")
    calls = plain_calls(case, unstated={})
    return {
        "id": case.id,
        "input": case.prompt,
        "target": [{"name": name, "args": arguments} for name, arguments in calls],
        "tool_call_names": [name for name, _ in calls],
        "tool_call_args": [arguments for _, arguments in calls],
    }


LAYOUT = Layout(entry_of, record_of)


def _expected(record: dict[str, Any]) -> list[dict[str, Any]]:
    in_lists = [name for name in _LISTS if name in record]
    target = record.get("target")
    if isinstance(target, dict):  # the two lists, one level down
        return _from_lists(target, "target.")
    if target is None and not in_lists:
        raise BadRecord("target", "is required: the expected calls (or tool_call_names and _args)")
    if target is None:
        return _from_lists(record, "")
    calls = expected_calls(target, "target")
    if in_lists and not identical(calls, _from_lists(record, "")):
        raise BadRecord("target", "disagrees with tool_call_names and tool_call_args; keep one")
    return calls


def _from_lists(record: dict[str, Any], place: str) -> list[dict[str, Any]]:
    names, arguments = (_list(record, name, place) for name in _LISTS)
    if len(names) != len(arguments):
        told = f"has {len(arguments)} entries for {len(names)} names"
        raise BadRecord(f"{place}tool_call_args", told)
    return [
        expected_call(name, sent, f"{place}tool_call_names[{position}]")
        for position, (name, sent) in enumerate(zip(names, arguments, strict=True))
    ]


def _list(record: dict[str, Any], name: str, place: str) -> list[Any]:
    found = record.get(name)
    if not isinstance(found, list):
        raise BadRecord(f"{place}{name}", f"must be a list, not {kind_of(found)}")
    return found
