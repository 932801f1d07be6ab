from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from dataset_samples import benchmark_record, reward_kit_record, write_lines
from toolgauge.formats import bfcl_tools, prompts, suite_text
from toolgauge.formats.case_records import dataset_of, records_of
from toolgauge.formats.datasets import KINDS


@pytest.mark.parametrize("module", [bfcl_tools, prompts, suite_text])
def test_the_examples_in_docstrings_are_true(module) -> None:
    assert doctest.testmod(module) == (0, 1)


def test_every_kind_that_can_be_written_has_files_and_records() -> None:
    assert {name for name, kind in KINDS.items() if kind.files_of} == {
        "reward-kit",
        "tool-call-benchmark",
        "bfcl",
    }
    assert all(
        (kind.layout.record_of is None) == (kind.files_of is None) for kind in KINDS.values()
    )


@pytest.mark.parametrize(
    ("name", "records"),
    [("reward-kit", [reward_kit_record()]), ("tool-call-benchmark", [benchmark_record()])],
)
def test_a_kind_reads_what_it_writes(name: str, records: list, tmp_path: Path) -> None:
    kind = KINDS[name]
    first = tmp_path / "first"
    if name == "reward-kit":
        write_lines(first, records)
    else:
        first.write_text(json.dumps(records))
    dataset = dataset_of(kind.read(str(first)), kind.layout, "first")
    assert kind.files_of is not None
    written = kind.files_of(records_of(dataset, kind.layout, file="s"), "second")
    ((file, text),) = written.items()
    (tmp_path / file).write_text(text)
    again = dataset_of(kind.read(str(tmp_path / file)), kind.layout, "second")
    assert (again.suite, again.trials) == (dataset.suite, dataset.trials)
