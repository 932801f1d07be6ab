"""Comparisons as JSON."""

from __future__ import annotations

from typing import Any

from toolgauge.model.comparison import CasePair, CaseTally, Comparison


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as ``compare --json`` prints it."""
    pairing = comparison.pairing
    return {
        "suite": comparison.head.suite,
        "baseline": {
            "source": comparison.baseline.source,
            "target": comparison.baseline.target,
            "overall": comparison.baseline_mean,
        },
        "head": {
            "source": comparison.head.source,
            "target": comparison.head.target,
            "overall": comparison.head_mean,
        },
        "delta": comparison.delta,
        "n_compared": len(pairing.compared),
        "changed_cases": [_pair_json(pair) for pair in comparison.changed_cases],
        "expectation_changed": list(pairing.changed),
        "unmeasured": [pair.id for pair in pairing.unmeasured],
        "new": list(pairing.new),
        "removed": list(pairing.removed),
    }


def _pair_json(pair: CasePair) -> dict[str, Any]:
    return {
        "id": pair.id,
        "delta": pair.delta,
        "baseline": _tally_json(pair.baseline),
        "head": _tally_json(pair.head),
    }


def _tally_json(tally: CaseTally) -> dict[str, Any]:
    return {
        "overall": tally.score,
        "pass_rate": tally.pass_rate,
        "passes": tally.passes,
        "runs": tally.runs,
        "errored": tally.errored,
        "calls": list(tally.sample_calls or ()),
    }
