"""Every dataset that is read and written: kind to reader and writer, on one page.

Begin here to add one: a ``Layout`` says how a record and a case become each other, and
``case_records`` does the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgauge.formats import bfcl, chat_logs, reward_kit, tool_call_benchmark
from toolgauge.formats.layout import Layout
from toolgauge.formats.records import Records, read_lines, read_list

Files = dict[str, str]
"""Texts by file name, relative to where a dataset is written."""

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DatasetKind:
    """How a dataset of one kind is read, and how its files are written, None where it is not.

    ``holds_outputs`` says whether it has a place for what models produced.
    """

    layout: Layout
    read: Callable[[str], Records]
    files_of: Callable[[Iterable[Plain], str], Files] | None = None
    holds_outputs: bool = False


def _json_lines(records: Iterable[Plain], name: str) -> Files:
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return {f"{name}.jsonl": "".join(lines)}


def _json_list(records: Iterable[Plain], name: str) -> Files:
    return {f"{name}.json": json.dumps(list(records), ensure_ascii=False, indent=2) + "\n"}


def _lines_of(place: str) -> Records:
    return read_lines(Path(place))


def _list_of(place: str) -> Records:
    return read_list(Path(place))


_CHAT_LOGS = DatasetKind(chat_logs.LAYOUT, _lines_of, holds_outputs=True)

SUITE = "suite"
"""The kind that is a suite already: read and written by ``suite_file``."""

KINDS: dict[str, DatasetKind] = {
    "reward-kit": DatasetKind(reward_kit.LAYOUT, _lines_of, _json_lines, holds_outputs=True),
    "tool-call-benchmark": DatasetKind(tool_call_benchmark.LAYOUT, _list_of, _json_list),
    "bfcl": DatasetKind(bfcl.LAYOUT, bfcl.read_questions, bfcl.files_of),
    "openai-evals": _CHAT_LOGS,
    "transcript": _CHAT_LOGS,
}
