from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from made import json_values, nested

from toolgauge.scoring.quoting import REASON_LENGTH, join_reasons, key_text, quote


def test_long_texts_are_clipped_and_keep_their_quotes() -> None:
    assert quote("it's" + "x" * 100, 6) == '"it\'sxx…"'


def test_what_would_break_a_line_or_hide_is_escaped() -> None:
    assert quote("a\n\x1b[31m\u202e\ud800") == r"'a\n\x1b[31m\u202e\ud800'"


def test_containers_show_their_first_entries_two_levels_deep() -> None:
    assert quote([1, [2, [3]], {}]) == "[1, [2, […]], {}]"
    assert quote(list(range(1000))).endswith("…]")


@settings(max_examples=60)
@given(json_values)
def test_every_value_is_quoted_in_a_bounded_line(value: Any) -> None:
    assert len(quote(value)) <= 121
    assert "\n" not in quote(value)


def test_huge_and_deep_values_are_quoted() -> None:
    assert quote(10**5000) == "an integer of more than 60 digits"
    assert len(quote(nested(100_000, in_lists=False))) < 100
    assert len(quote({"k" * 10_000: "v" * 10_000})) <= 121


def test_plain_keys_stand_bare_and_others_quoted() -> None:
    assert (key_text("city"), key_text("a b"), key_text("größe")) == ("city", "'a b'", "'größe'")


def test_reasons_are_joined_as_far_as_they_fit() -> None:
    assert join_reasons(["a", "b"]) == "a; b"
    joined = join_reasons(["x" * 100] * 10)
    assert len(joined) < REASON_LENGTH + 20
    assert joined.endswith("; and 6 more")
