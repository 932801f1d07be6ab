"""Short ways to make cases, calls and trajectories for the tests of scoring."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from toolgauge.model.case import Case, ExpectedCall, ParamMode, ParamRule
from toolgauge.model.suite import SuiteDocument, resolve
from toolgauge.model.tools import ToolCall, ToolSpec, Trajectory

CITY_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
MODES: tuple[ParamMode, ...] = (
    "exact",
    "case_insensitive",
    "contains",
    "numeric_tolerance",
    "regex",
    "fuzzy",
    "semantic",
    "one_of",
    "any",
)

numbers = st.integers() | st.floats() | st.integers(min_value=10**300, max_value=10**400)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=8)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


def tool(name: str, schema: Any = None) -> ToolSpec:
    parameters = CITY_SCHEMA if schema is None else schema
    return ToolSpec.model_validate({"function": {"name": name, "parameters": parameters}})


def case(**fields: Any) -> Case:
    """Return the one case of a suite that offers ``get_weather`` and ``search``."""
    tools = fields.pop("tools", [tool("get_weather"), tool("search", {"type": "object"})])
    of_suite = {name: fields.pop(name) for name in ("weights", "match") if name in fields}
    suite = {
        "name": "made",
        "tools": [each.model_dump() for each in tools],
        "test_cases": [{"id": "c", "prompt": "?", **fields}],
    }
    return resolve(SuiteDocument.model_validate(suite | of_suite)).cases[0]


def calls(*made: str | tuple[str, Any]) -> Trajectory:
    """Return the trajectory of calls given as ``name`` or ``(name, arguments)``."""
    pairs = [(each, {}) if isinstance(each, str) else each for each in made]
    return Trajectory(tuple(ToolCall(name, arguments) for name, arguments in pairs))


def goal(params: dict[str, Any] | None, mode: ParamMode = "exact", **options: Any) -> ExpectedCall:
    return ExpectedCall(("f",), params, ParamRule(mode=mode, **options))


def nested(levels: int, innermost: Any = 1, *, in_lists: bool = True) -> Any:
    """Return a value nested far deeper than Python recurses."""
    value = innermost
    for _ in range(levels):
        value = [value] if in_lists else {"a": value}
    return value
