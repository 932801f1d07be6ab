"""Small datasets of other systems, made up in their layouts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from builders import WEATHER_TOOL, called

BOSTON = {"location": "Boston, MA", "unit": "fahrenheit"}


def openai_call(name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function", "function": {"name": name, "arguments": text}}


def reward_kit_record(**fields: Any) -> dict[str, Any]:
    """Return a record whose generation calls what its ground truth does."""
    return {
        "tools": [WEATHER_TOOL],
        "messages": [
            {"role": "user", "content": "What's the weather like in Boston today?"},
            called("get_weather", **BOSTON),
        ],
        "ground_truth": {"tool_calls": [openai_call("get_weather", BOSTON)]},
    } | fields


def benchmark_record(**fields: Any) -> dict[str, Any]:
    return {
        "input": "What do 3 pens cost?",
        "tool_call_names": ["list_items", "multiply"],
        "tool_call_args": [{}, {"a": 3, "b": 1.2}],
    } | fields


def question(question_id: str, name: str = "spotify.play", **fields: Any) -> dict[str, Any]:
    """Return a question in the leaderboard's layout, its types Python's."""
    parameters = {
        "type": "dict",
        "properties": {
            "artist": {"type": "string", "description": "Whose songs."},
            "volume": {"type": "float"},
            "size": {"type": "tuple", "items": {"type": "integer"}},
            "options": {"type": "dict", "properties": {"extra": {"type": "any"}}},
        },
        "required": ["artist"],
    }
    function = {"name": name, "description": "Plays songs.", "parameters": parameters}
    return {
        "id": question_id,
        "question": [[{"role": "user", "content": f"Play something ({question_id})."}]],
        "function": [function],
    } | fields


def answer(question_id: str, *artists: str, name: str = "spotify.play") -> dict[str, Any]:
    calls = [{name: {"artist": [artist], "volume": [0.5, ""]}} for artist in artists]
    return {"id": question_id, "ground_truth": calls}


def write_lines(file: Path, records: Iterable[Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def write_leaderboard(folder: Path) -> Path:
    """Write questions and possible answers of one category, and return the question file."""
    ids = ["parallel_0", "parallel_1"]
    write_lines(
        folder / "possible_answer" / "BFCL_v4_parallel.json",
        [answer(ids[0], "Taylor Swift", "Maroon 5"), answer(ids[1], "Abba")],
    )
    return write_lines(folder / "BFCL_v4_parallel.json", [question(each) for each in ids])
