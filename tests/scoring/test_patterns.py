from __future__ import annotations

import time

import pytest

from toolgauge.scoring import patterns


def test_a_pattern_is_found_anywhere_and_minds_letter_case() -> None:
    assert patterns.found("b.d", "abcde")
    assert not patterns.found("B.d", "abcde")


def test_a_pattern_that_explodes_is_stopped() -> None:
    start = time.perf_counter()
    with pytest.raises(patterns.PatternTimeout) as caught:
        patterns.found("^(a|aa)+$", "a" * 64 + "!")
    assert caught.value.pattern == "^(a|aa)+$"
    assert time.perf_counter() - start < 10 * patterns.TIMEOUT_S


@pytest.mark.parametrize("text", ["(", "[", "*", "(?P<a>", "(" * 5000])
def test_a_text_that_is_no_pattern_is_refused_each_time(text: str) -> None:
    assert not patterns.can_compile(text)
    for _ in range(2):
        with pytest.raises(patterns.BadPattern):
            patterns.found(text, "x")


def test_an_odd_pattern_gives_no_warning() -> None:
    assert patterns.can_compile("[[a]&&b--c]")
