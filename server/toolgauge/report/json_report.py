"""Reports and comparisons as JSON, and the JSON Schema of a report."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from math import isfinite
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from toolgauge.model.comparison import CasePair, CaseTally, Comparison
from toolgauge.model.report import Report
from toolgauge.report.escape import CLIP_MARK, json_text

_MOST_DEPTH = 60
_MOST_BITS = 1000


def report_json(report: Report) -> dict[str, Any]:
    r"""Return a report as JSON values, by ``report.schema.json``.

    What JSON or UTF-8 cannot hold is shown: lone surrogates as ``\\uNNNN``, numbers that
    are not finite or of more than 1,000 bits as text, and what is nested deeper than 60 as ``…``.
    """
    shown: dict[str, Any] = _plain(report, _MOST_DEPTH)
    return shown


def report_text(report: Report) -> str:
    """Return a report as a JSON document, as it is written to a file."""
    return json.dumps(report_json(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of a report."""
    generated = TypeAdapter(Report).json_schema(
        mode="serialization", schema_generator=_WithoutFieldTitles
    )
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **generated,
        "title": "Report of toolgauge",
        "description": "What a gate found, and why it decided as it did.",
    }


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


class _WithoutFieldTitles(GenerateJsonSchema):
    """Leaves out titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's name
        return False


def _plain(value: Any, depth: int) -> Any:
    """Return JSON values made of dataclasses, models and whatever a model sent as arguments."""
    if isinstance(value, str):
        return json_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _MOST_BITS else f"{value:#x}"
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return _plain_within(value, depth - 1) if depth else CLIP_MARK


def _plain_within(value: Any, depth: int) -> Any:
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, dict):
        return {json_text(str(key)): _plain(item, depth) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth) for item in value]
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name), depth) for one in fields(value)}
    return json_text(str(value))


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
