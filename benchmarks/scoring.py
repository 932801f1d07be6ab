"""Measures how many single-call trials one core scores in a second.

Everything that every trial gets is scored (tool, params, overall, exact_match, tsa, ahr,
tp, schema validity with the schema compiled once), beside a bare ``dict ==`` of expected
and actual arguments in the same round::

    python benchmarks/scoring.py
    python benchmarks/scoring.py --trials 2000 --rounds 3

Rates are per second of CPU, medians of the rounds; the ratio tells how many bare
comparisons one scored trial costs. The first four kinds of trial are held to the target.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from spent import machine, verdict

from toolgauge.model.case import Case
from toolgauge.model.suite import SuiteDocument, resolve
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.scoring import score_trial

FEWEST_TRIALS_PER_S = 20_000
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "units": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "days": {"type": "number", "minimum": 0},
    },
    "required": ["city"],
}
EXPECTED = {"city": "San Francisco", "units": "celsius", "days": 3}
Calls = tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Trials:
    """One kind of trial: a case with what a model did, and the score it has to get."""

    case: Case
    calls: Calls
    overall: float
    is_single_call: bool = True

    def score(self, trials: int) -> float:
        """Return trials per second of CPU.

        Each trial has its own arguments, as if they had just been read from an answer.
        """
        made = [Trajectory(tuple(_copied(call) for call in self.calls)) for _ in range(trials)]
        case = self.case
        started_s = time.process_time()
        for trajectory in made:
            score_trial(case, trajectory)
        return trials / (time.process_time() - started_s)

    def has_the_right_score(self) -> bool:
        scored = score_trial(self.case, Trajectory(self.calls))
        found = scored.scores["overall"].value
        return found is not None and abs(found - self.overall) < 1e-9


def _copied(call: ToolCall) -> ToolCall:
    return ToolCall(call.name, dict(call.arguments))


def case(**fields: Any) -> Case:
    """Return a case that offers eight tools."""
    tools = [
        {"type": "function", "function": {"name": name, "parameters": SCHEMA}}
        for name in ("get_weather", "get_forecast", *(f"other_{number}" for number in range(6)))
    ]
    given = {"id": "c", "prompt": "Weather in San Francisco?"} | fields
    document = {"name": "scoring", "tools": tools, "test_cases": [given]}
    return resolve(SuiteDocument.model_validate(document)).cases[0]


def call(name: str = "get_weather", **arguments: Any) -> ToolCall:
    return ToolCall(name, EXPECTED | arguments)


def kinds() -> Mapping[str, Trials]:
    """Return every kind of trial that is measured, by what it is called."""
    goal = {"expected_tool": "get_weather", "expected_params": EXPECTED}
    both = [{"tool": name, "params": EXPECTED} for name in ("get_weather", "get_forecast")]
    return {
        "perfect": Trials(case(**goal), (call(),), 1.0),
        "one parameter wrong": Trials(case(**goal), (call(units="fahrenheit"),), 0.6 + 0.4 * 2 / 3),
        "numeric tolerance": Trials(
            case(**goal, param_scoring="numeric_tolerance"), (call(days=3.005),), 1.0
        ),
        "fuzzy": Trials(case(**goal, param_scoring="fuzzy"), (call(city="San Fransisco"),), 1.0),
        "two expected calls": Trials(
            case(expected_calls=both), (call(), call("get_forecast")), 1.0, is_single_call=False
        ),
        "two expected calls, swapped": Trials(
            case(expected_calls=both, order="any"),
            (call("get_forecast"), call()),
            1.0,
            is_single_call=False,
        ),
    }


def bare(trials: int) -> float:
    """Return comparisons per second of CPU, of arguments that are equal."""
    made = [dict(EXPECTED) for _ in range(trials)]
    started_s = time.process_time()
    for arguments in made:
        arguments == EXPECTED  # noqa: B015 - nothing but the comparison is measured
    return trials / (time.process_time() - started_s)


def measure(trials: int, rounds: int) -> tuple[float, dict[str, float]]:
    """Return the rate of the bare comparison and of each kind, every round asking all of them."""
    measured: dict[str, Callable[[int], float]] = {
        name: kind.score for name, kind in kinds().items()
    }
    rates: dict[str, list[float]] = {name: [] for name in measured}
    bare_rates = []
    for _ in range(rounds):
        # more of them: a comparison is over sooner than the clock ticks
        bare_rates.append(bare(trials * 50))
        for name, rate in measured.items():
            rates[name].append(rate(trials))
    return median(bare_rates), {name: median(found) for name, found in rates.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Trials scored per second on one core.")
    parser.add_argument("--trials", type=int, default=20_000, help="per kind and round (20000)")
    parser.add_argument("--rounds", type=int, default=5, help="the median of so many (5)")
    asked = parser.parse_args()
    wrong = [name for name, kind in kinds().items() if not kind.has_the_right_score()]
    if wrong:
        raise SystemExit(f"scored wrongly: {', '.join(wrong)}")
    print(machine())
    bare_rate, rates = measure(asked.trials, asked.rounds)
    print("\n| trial | trials/s | bare comparisons per trial |")
    print("|---|---|---|")
    for name, rate in rates.items():
        print(f"| {name} | {rate:,.0f} | {bare_rate / rate:.0f} |")
    print(f"| (bare `dict ==`) | {bare_rate:,.0f} | 1 |")
    slowest = min(rates[name] for name, kind in kinds().items() if kind.is_single_call)
    holds = verdict(slowest >= FEWEST_TRIALS_PER_S)
    print(f"\nThe slowest single call: {slowest:,.0f}/s, at least {FEWEST_TRIALS_PER_S:,}: {holds}")


if __name__ == "__main__":
    main()
