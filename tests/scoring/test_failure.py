from __future__ import annotations

from typing import Any

import pytest
from made import calls, case

from toolgauge.scoring import score_trial

CITY: dict[str, Any] = {"expected_tool": "get_weather", "expected_params": {"city": "Rome"}}
CHAIN: dict[str, Any] = CITY | {"multi_turn": True, "valid_prerequisites": ["search"]}
ROME, OSLO = ("get_weather", {"city": "Rome"}), ("get_weather", {"city": "Oslo"})


def expecting(*tools: str, **fields: Any) -> dict[str, Any]:
    return {"expected_calls": [{"tool": name, "params": {}} for name in tools], **fields}


@pytest.mark.parametrize(
    ("fields", "made", "kind"),
    [
        (CITY, [ROME], None),
        (CITY, [], "no_call"),
        ({"expect_any_call": True}, [], "no_call"),
        ({"expected_tool": None}, ["search"], "unexpected_call"),
        ({"expected_tool": None}, ["nowhere"], "unexpected_call"),
        (CITY | {"forbidden_tools": ["search"]}, [ROME, "search"], "unexpected_call"),
        (CITY | {"forbidden_tools": ["search"]}, [], "no_call"),
        (CITY, ["nowhere"], "unknown_tool"),
        (CITY, ["search"], "wrong_tool"),
        (CITY, ["search", "search"], "wrong_tool"),
        (CITY, [("get_weather", {"town": "Rome"})], "schema_violation"),
        (CITY, [("get_weather", "Rome")], "schema_violation"),
        (CITY, [OSLO], "wrong_params"),
        (CHAIN, [], "no_call"),
        (CHAIN, ["nowhere", "search"], "incomplete_trajectory"),
        (CHAIN, ["search", "nowhere"], "unknown_tool"),
        (CHAIN | {"valid_prerequisites": []}, ["search"], "wrong_tool"),
        (CHAIN, ["search", OSLO], "wrong_params"),
        (CHAIN, ["search", "search", ROME], "inefficient"),
        (CHAIN | {"expected_params": None}, [ROME, ROME], "inefficient"),
        (expecting("search", "get_weather"), [], "no_call"),
        (expecting("search"), ["search", "search"], "unexpected_call"),
        (expecting(), ["search"], "unexpected_call"),
        (expecting("search", "get_weather"), [ROME, "search"], "wrong_order"),
        (expecting("search", "get_weather", order="any"), ["search", "search"], "wrong_tool"),
        (expecting("search", "get_weather"), ["search", "nowhere"], "unknown_tool"),
        (expecting("search", "search"), ["search"], "incomplete_trajectory"),
        (expecting("search", "get_weather"), ["search", "get_weather"], None),
    ],
)
def test_the_first_kind_that_applies_is_given(
    fields: dict[str, Any], made: list[Any], kind: str | None
) -> None:
    assert score_trial(case(**fields), calls(*made)).failure_kind == kind


def test_a_case_that_passes_has_no_kind_however_low_its_score() -> None:
    scored = score_trial(case(**CITY, pass_threshold=0.5), calls(OSLO))
    assert (scored.passed, scored.failure_kind) == (True, None)
