from __future__ import annotations

from collections.abc import Sequence

import pytest
from golden_vectors import Vector, document, vectors

from toolgauge.model.trial import Scored, Trial, TrialKey
from toolgauge.scoring import score_trial
from toolgauge.scoring.metrics import aggregate

FILES = (
    "selection",
    "params",
    "overall",
    "overall_weights_even",
    "overall_weights_params_heavy",
    "overall_weights_tool_only",
    "multi_turn",
    "exact_match",
    "trajectory",
    "expected_calls",
    "extraction",
)


def differences(vector: Vector, scored: Scored) -> list[str]:
    expected = vector.expected
    wrong = [
        f"{vector.case.id}: {name} is {scored.scores[name]}, expected {value}"
        for name, value in expected["scores"].items()
        if scored.scores[name].value != pytest.approx(value, abs=1e-9)
    ]
    return wrong + [
        f"{vector.case.id}: {field} is {getattr(scored, field)}, expected {expected[field]}"
        for field in ("passed", "failure_kind", "schema_valid")
        if field in expected and getattr(scored, field) != expected[field]
    ]


@pytest.mark.parametrize("name", FILES)
def test_every_golden_vector_is_scored_as_written(name: str) -> None:
    cases: Sequence[Vector] = list(vectors(name))
    wrong = [
        difference
        for vector in cases
        for difference in differences(vector, score_trial(vector.case, vector.trajectory))
    ]
    assert cases
    assert wrong == []


def test_the_aggregate_of_the_golden_trajectories_is_as_written() -> None:
    trials = [
        Trial(TrialKey(v.case.id, "replay/golden", 0), score_trial(v.case, v.trajectory))
        for v in vectors("trajectory")
    ]
    means = aggregate(trials)
    for name, expected in document("trajectory")["aggregate"].items():
        assert means[name].as_json() == pytest.approx(expected, abs=1e-9), name
