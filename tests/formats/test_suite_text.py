from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolgauge.formats.document import read_source
from toolgauge.formats.suite_text import suite_text
from toolgauge.model.json_equality import identical

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TRICKY = st.sampled_from(
    ["1e3", "0o17", "0x1F", "no", "Yes", "null", "~", ".5", ".inf", "-", "2026-05-04", "<<", "=",
     "a: b", "# c", "&x", "*x", "!t", " x ", "x\ny", "1_000", "12:30", "\x85", "\ufeff", "true", ""]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | TRICKY,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | TRICKY, inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@example({"a": 1e20, "b": 1e-7, "c": 10**30, "d": -0.0})
@given(st.dictionaries(TEXTS | TRICKY, VALUES, min_size=1, max_size=4))
def test_what_is_written_reads_back_as_the_very_same_data(tmp_path_factory, data: Any) -> None:
    folder = tmp_path_factory.mktemp("suite")
    for suffix in (".json", ".yaml", ".yml"):
        file = folder / f"suite{suffix}"
        file.write_text(suite_text(data, suffix), encoding="utf-8", newline="")
        source = read_source(file)
        assert identical(source.data, data)
        assert source.found == ()


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_what_stands_twice_is_written_twice(suffix: str, tmp_path: Path) -> None:
    tools = [{"name": "f"}]
    text = suite_text({"a": tools, "b": tools}, suffix)
    assert (text.count("f"), text.count("&")) == (2, 0)
    assert "\\u" not in suite_text({"name": "Zürich 🌦"}, suffix)
    assert tmp_path.exists()
