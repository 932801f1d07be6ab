from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.gateway.lexical_words import STOP_WORDS, stem, terms, words


@pytest.mark.parametrize(
    "forms",
    [
        ("book", "books", "booked", "booking"),
        ("calculate", "calculates", "calculated", "calculating", "calculation"),
        ("city", "cities"),
        ("plan", "planning"),
        ("search", "searches", "searching"),
        ("box", "boxes"),
        ("process", "processes", "processing"),
    ],
)
def test_near_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["bus", "ids", "is", "sing"])
def test_short_words_keep_what_makes_them_words(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    "name", ["get_weather_now", "getWeatherNow", "get-weather now", "GET.weather now"]
)
def test_names_are_split_into_words(name: str) -> None:
    assert words(name) == ["get", "weather", "now"]


def test_terms_leave_out_words_without_meaning() -> None:
    assert terms("What is the weather in Paris?") == ["weath", "paris"]
    assert "what" in STOP_WORDS


def test_a_long_text_is_read_up_to_a_bound() -> None:
    assert len(words("word " * 100_000)) == 1600


@given(st.text(st.characters()))
def test_every_text_has_terms(text: str) -> None:
    assert len(terms(text)) <= len(words(text))
