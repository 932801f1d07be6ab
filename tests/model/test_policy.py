"""The policy of a gate: its defaults, and what it does not take."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from toolgauge.model.policy import Policy


def test_the_default_is_statistical_on_pass_rates_and_fails_on_either() -> None:
    policy = Policy()
    assert (policy.policy, policy.metric, policy.fail_on) == ("statistical", "passed", "either")
    assert (policy.max_drop, policy.min_score, policy.second_batch) == (0.02, None, True)
    assert (policy.max_cost_ratio, policy.max_latency_ratio) == (None, None)
    assert policy.on_missing_baseline == "pass"


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "lenient"},
        {"metric": "tool"},
        {"max_drop": -0.01},
        {"max_drop": 2},
        {"min_score": 80},
        {"fail_on": "never"},
        {"max_cost_ratio": 0},
        {"max_dorp": 0.1},
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Policy.model_validate(wrong)
