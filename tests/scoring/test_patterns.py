from __future__ import annotations

import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

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


def test_everyday_counts_are_fine() -> None:
    uuid = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    assert patterns.unrolled_size(uuid) < 60
    assert patterns.unrolled_size(r"\d{4}-\d{2}-\d{2}T(\d{2}:){2}\d{2}") < 40
    assert patterns.unrolled_size("x" * 1000) == 1000


@given(st.text(alphabet="ab()[]{},123\\|*?^-", max_size=30))
def test_the_size_of_any_text_is_a_number(pattern: str) -> None:
    assert patterns.unrolled_size(pattern) >= 0


@given(st.integers(1, 5), st.integers(1, 5), st.sampled_from(["a", "[ab]", r"\d", "(?:ab)"]))
def test_the_size_covers_what_is_matched(inner: int, outer: int, atom: str) -> None:
    pattern = f"(?:{atom}{{{inner}}}){{{outer}}}"
    assert regex.compile(pattern)
    assert patterns.unrolled_size(pattern) >= inner * outer


def test_a_pattern_that_would_take_all_memory_to_compile_is_no_pattern() -> None:
    with pytest.raises(patterns.BadPattern, match="repeats too much"):
        patterns.found("((a{1000}){1000}){1000}", "a")
