"""A suite of any size whose questions the stub server answers, and the same as bare requests."""

from __future__ import annotations

import json
from pathlib import Path

TOOLS = ("get_weather", "get_forecast", "find_hotel", "find_flight", "get_time", "set_alarm")


def tool(name: str) -> dict[str, object]:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city, as people write it."},
            "units": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
        },
        "required": ["city"],
    }
    described = f"What {name.replace('_', ' ')} says about one city, for the coming days."
    function = {"name": name, "description": described, "parameters": schema}
    return {"type": "function", "function": function}


def prompt(number: int) -> str:
    return f"What is the weather in City {number}, in celsius?"


def write_suite(file: Path, cases: int) -> Path:
    """Write a suite case by case, so that this process stays small."""
    with file.open("w") as out:
        out.write(f'{{"name": "stub", "tools": {json.dumps([tool(name) for name in TOOLS])},\n')
        out.write('"test_cases": [')
        for number in range(cases):
            case = {
                "id": f"city-{number}",
                "prompt": prompt(number),
                "expected_tool": "get_weather",
                "expected_params": {"city": f"City {number}", "units": "celsius"},
            }
            out.write(",\n" * bool(number) + json.dumps(case))
        out.write("]}\n")
    return file


def write_bodies(file: Path, bodies: int) -> Path:
    """Write the requests of the bare loop, one per line, as large as those of a run."""
    tools = [tool(name) for name in TOOLS]
    with file.open("w") as out:
        for number in range(bodies):
            request = {
                "model": "stub",
                "temperature": 0.0,
                "max_tokens": 1024,
                "messages": [{"role": "user", "content": prompt(number)}],
                "tool_choice": "required",
                "tools": tools,
            }
            out.write(json.dumps(request, separators=(",", ":")) + "\n")
    return file
