"""Comparing two result files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolgauge.compare.pairing import pair_cases
from toolgauge.compare.tally import tally_cases
from toolgauge.errors import UsageError
from toolgauge.formats.results_file import RunResults, read_results
from toolgauge.model.comparison import CaseTally, Comparison, Side


def compare_files(baseline: Path, head: Path) -> tuple[Comparison, ...]:
    """Return one comparison per suite and target that both files have.

    Suites are paired by name and targets by name; where each side has just one, they are
    paired whatever they are called.

    Raises:
        InvalidFile: a file is no result file.
        UsageError: the files have nothing in common.
    """
    before, after = _sides(baseline), _sides(head)
    if len(before) == len(after) == 1:
        pairs = [(before[0], after[0])]
    else:
        by_name = {(side.suite, side.target): (side, tallies) for side, tallies in before}
        pairs = [
            (by_name[key], one)
            for one in after
            if (key := (one[0].suite, one[0].target)) in by_name
        ]
    if not pairs:
        raise UsageError(
            f"{baseline} and {head} have no suite and target in common: "
            f"{_named(before)} against {_named(after)}"
        )
    return tuple(
        Comparison(old, new, pair_cases(old_tallies, new_tallies))
        for (old, old_tallies), (new, new_tallies) in pairs
    )


def _sides(file: Path) -> list[tuple[Side, dict[str, CaseTally]]]:
    return [
        (Side(results.run.suite_name, target.name, file.name), _tallies(results, target.name))
        for results in read_results(file)
        for target in results.run.targets
    ]


def _tallies(results: RunResults, target: str) -> dict[str, CaseTally]:
    return tally_cases(results.run.cases, results.trials_of(target))


def _named(sides: Sequence[tuple[Side, dict[str, CaseTally]]]) -> str:
    return ", ".join(f"{side.suite} on {side.target}" for side, _ in sides) or "nothing"
