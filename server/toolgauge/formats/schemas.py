"""JSON Schemas of the files that people write and read, made from the models.

``python -m toolgauge.formats.schemas DIR`` writes them; editors check files by them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from toolgauge.formats.project_file import ProjectDocument
from toolgauge.formats.transcripts import TranscriptLineDocument
from toolgauge.model.suite import SuiteDocument
from toolgauge.report.json_report import report_schema

_USAGE = "usage: python -m toolgauge.formats.schemas DIR\n"


def suite_schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of a suite file."""
    return _schema(
        SuiteDocument, "Suite of toolgauge", "Tools, and cases that are asked about them."
    )


def project_schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of ``.toolgauge.yml``."""
    about = "Targets, MCP servers and the gate of a project. Never keys."
    return _schema(ProjectDocument, "Project file of toolgauge", about)


def transcript_schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of one line of a transcript."""
    about = "One line of a JSONL file: what a target answered to a case."
    return _schema(TranscriptLineDocument, "Transcript line of toolgauge", about)


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "suite.schema.json": suite_schema,
    "project.schema.json": project_schema,
    "transcript.schema.json": transcript_schema,
    "report.schema.json": report_schema,
}


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as it is published."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write every schema into a folder; return the exit code."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stderr.write(_USAGE)
        return 2
    for name, schema in SCHEMAS.items():
        (Path(arguments[0]) / name).write_text(schema_text(schema()), encoding="utf-8")
    return 0


class _WithoutFieldTitles(GenerateJsonSchema):
    """Leaves out titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's name
        return False


def _schema(model: type[BaseModel], title: str, about: str) -> dict[str, Any]:
    generated = model.model_json_schema(by_alias=True, schema_generator=_WithoutFieldTitles)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **generated,
        "title": title,
        "description": about,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
