"""Measures how often the gate's tests alarm falsely, and how often they find a break.

Made-up suites are compared many times with themselves and with a broken copy, and
the percentages are printed next to the reference in brackets::

    python benchmarks/gate_power.py
    python benchmarks/gate_power.py --comparisons 200 --seed 7

Of n cases, 70 % pass with probability 0.98, 20 % with 0.70, 10 % with 0.10; the
broken copy passes n/10 of the first with 0.10 only. An alarm is a one-sided p ≤ 0.05.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from random import Random

from toolgauge.compare import exact_test, sign_flip
from toolgauge.compare.counts import Counts

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Percentages:
    """What one design of ``cases`` by ``repeats`` does; each of 100 comparisons."""

    false_alarms: float
    power: float
    power_of_sign_flip: float


REFERENCE: dict[tuple[int, int], Percentages] = {
    (20, 1): Percentages(0, 4, 3),
    (20, 5): Percentages(3, 59, 11),
    (50, 1): Percentages(2, 24, 23),
    (50, 3): Percentages(3, 79, 52),
    (50, 5): Percentages(4, 95, 66),
    (200, 3): Percentages(3, 100, 100),
}


def pass_rates(cases: int, *, broken: bool = False) -> list[float]:
    """Return every case's probability to pass."""
    lost = cases // 10 if broken else 0
    often, seldom = cases * 7 // 10, cases // 10
    return (
        [0.10] * lost
        + [0.98] * (often - lost)
        + [0.70] * (cases - often - seldom)
        + [0.10] * seldom
    )


def draw(rates: list[float], repeats: int, rng: Random) -> list[Counts]:
    """Return passes and runs of every case in one made-up run."""
    return [(sum(rng.random() < rate for _ in range(repeats)), repeats) for rate in rates]


def measure(cases: int, repeats: int, *, comparisons: int, seed: int) -> Percentages:
    """Return the percentages of one design, from ``comparisons`` simulated ones each."""
    rng = Random(seed)
    as_before, broken = pass_rates(cases), pass_rates(cases, broken=True)
    false_alarms = found = found_by_sign_flip = 0
    for _ in range(comparisons):
        baseline = draw(as_before, repeats, rng)
        same, worse = draw(as_before, repeats, rng), draw(broken, repeats, rng)
        differences = [(x - y) / repeats for (x, _), (y, _) in zip(worse, baseline, strict=True)]
        false_alarms += exact_test.p_value(same, baseline) <= LEVEL
        found += exact_test.p_value(worse, baseline) <= LEVEL
        found_by_sign_flip += sign_flip.p_value(differences, rng) <= LEVEL
    in_percent = 100 / comparisons
    return Percentages(
        false_alarms * in_percent, found * in_percent, found_by_sign_flip * in_percent
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="False alarms and power of the gate's tests.")
    parser.add_argument("--comparisons", type=int, default=2000, help="per design (2000)")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"In percent of {asked.comparisons} comparisons, reference in brackets\n")
    print("| n x k | false alarms, exact strata | power, exact strata | power of the sign-flip |")
    print("|---|---|---|---|")
    for (cases, repeats), reference in REFERENCE.items():
        found = measure(cases, repeats, comparisons=asked.comparisons, seed=asked.seed)
        print(
            f"| {cases} x {repeats} "
            f"| {found.false_alarms:.1f} ({reference.false_alarms:.0f}) "
            f"| {found.power:.1f} ({reference.power:.0f}) "
            f"| {found.power_of_sign_flip:.1f} ({reference.power_of_sign_flip:.0f}) |",
            flush=True,
        )


if __name__ == "__main__":
    main()
