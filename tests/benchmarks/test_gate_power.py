"""The gate's tests keep their promise: few false alarms, and breaks are found."""

from __future__ import annotations

import importlib.util
import sys
from math import sqrt
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gate_power.py"
spec = importlib.util.spec_from_file_location("gate_power", SCRIPT)
assert spec
assert spec.loader
gate_power = importlib.util.module_from_spec(spec)
sys.modules["gate_power"] = gate_power  # its dataclass looks itself up there
spec.loader.exec_module(gate_power)


def _reach(percent: float, comparisons: int) -> float:
    """Return how far a simulated percentage may lie off the reference.

    Four standard errors of the comparisons made, one more since the reference is
    simulated too, and half a point for its rounding (so that 0 stands for up to 0.5).
    """
    inside = min(max(percent, 0.5), 99.5) / 100
    return 0.5 + 5 * 100 * sqrt(inside * (1 - inside) / comparisons)


@pytest.mark.parametrize(
    ("cases", "repeats", "comparisons"),
    [(20, 1, 300), (20, 5, 300), (50, 1, 300), (50, 3, 300), (200, 3, 60)],
)
def test_false_alarms_and_power_are_those_of_the_reference(
    cases: int, repeats: int, comparisons: int
) -> None:
    found = gate_power.measure(cases, repeats, comparisons=comparisons, seed=11)
    reference = gate_power.REFERENCE[cases, repeats]
    for name in ("false_alarms", "power", "power_of_sign_flip"):
        expected = getattr(reference, name)
        assert abs(getattr(found, name) - expected) <= _reach(expected, comparisons), name


def test_false_alarms_stay_at_or_under_five_percent_where_repeats_differ() -> None:
    # 5 % plus 3 standard errors of 400 comparisons
    rng = gate_power.Random(5)
    rates = gate_power.pass_rates(50)
    alarms = sum(
        gate_power.exact_test.p_value(
            gate_power.draw(rates, 3, rng), gate_power.draw(rates, 15, rng)
        )
        <= 0.05
        for _ in range(400)
    )
    assert alarms / 400 <= 0.05 + 3 * sqrt(0.05 * 0.95 / 400)


def test_the_broken_suite_loses_a_tenth_of_its_cases() -> None:
    before = gate_power.pass_rates(50)
    broken = gate_power.pass_rates(50, broken=True)
    assert sorted(before) == [0.10] * 5 + [0.70] * 10 + [0.98] * 35
    assert sorted(broken) == [0.10] * 10 + [0.70] * 10 + [0.98] * 30
    assert sum(a != b for a, b in zip(before, broken, strict=True)) == 5


@pytest.mark.parametrize("design", [*gate_power.PROMISED, *gate_power.POOLED])
def test_the_whole_policy_keeps_its_promise_on_unchanged_code(
    design: tuple[int, int, int],
) -> None:
    # 6 % plus 3 standard errors of so few gates; the script makes 2,000 of each
    gates = 60 if design[0] == 200 else 250
    counts = gate_power.measure_gates(design, gates=gates, seed=3)
    most = gate_power.MOST_FALSE_ALARMS
    assert counts.false_alarms / gates <= most + 3 * sqrt(most * (1 - most) / gates)
    assert counts.found + counts.warned_of > counts.false_alarms + counts.needless_warnings


def test_the_whole_policy_finds_a_tenth_of_the_cases_broken() -> None:
    counts = gate_power.measure_gates((50, 3, 3), gates=100, seed=3)
    assert counts.found >= 95
    assert counts.gates == 100


def test_the_script_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate_power.main(["--comparisons", "2", "--seed", "7"]) in (0, 1)
    printed = capsys.readouterr().out
    assert printed.count("| 50 x 3 ") == 3
    assert "counts of 2 gates" in printed
