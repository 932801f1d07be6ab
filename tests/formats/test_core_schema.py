from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.formats.core_schema import is_text, resolve


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("null", None),
        ("2026-05-04", "2026-05-04"),
        ("18:00", "18:00"),
        ("1_000", "1_000"),
        ("12", 12),
        ("-7", -7),
        ("010", 10),
        ("0o17", 15),
        ("0xff", 255),
        ("1e3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.inf", -math.inf),
        ("1.2.3", "1.2.3"),
        ("-", "-"),
        (".", "."),
        ("+1 555", "+1 555"),
    ],
)
def test_plain_scalars_mean_what_the_core_schema_says(written: str, meant: object) -> None:
    value = resolve(written)
    assert value == meant
    assert type(value) is type(meant)
    assert is_text(written) == isinstance(meant, str)


def test_nan_is_a_number() -> None:
    assert math.isnan(resolve(".nan"))


def test_a_number_too_long_to_convert_is_no_text() -> None:
    with pytest.raises(ValueError, match="4300"):
        resolve("9" * 5000)
    assert not is_text("9" * 5000)


@given(st.integers())
def test_integers_are_read_back(number: int) -> None:
    assert resolve(str(number)) == number
    assert resolve(hex(abs(number))) == abs(number)
    assert resolve(oct(abs(number))) == abs(number)


@given(st.floats())
def test_floats_are_read_back(number: float) -> None:
    written = repr(number)
    if math.isfinite(number):
        assert resolve(written) == number
    else:
        assert resolve(written) == written


@given(st.text())
def test_any_text_means_something(text: str) -> None:
    assert isinstance(resolve(text), str | int | float | None)
