from __future__ import annotations

import time
from decimal import Decimal, getcontext, localcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.model.case import ParamRule
from toolgauge.scoring.tolerance import within

DEFAULT = ParamRule()


@pytest.mark.parametrize(
    ("expected", "actual", "epsilon"),
    [(1, 1.01, 0.01), (0.1, 0.4, 0.3), (-1, -1.01, 0.01), (2.34, 2.35, 0.01), (3, 3, 0)],
)
def test_the_boundary_is_included_on_the_decimal_text(
    expected: Any, actual: Any, epsilon: float
) -> None:
    assert within(expected, actual, ParamRule(epsilon=epsilon)) is True


def test_integers_of_any_size_are_compared_exactly() -> None:
    assert within(10**400, 10**400 + 1, DEFAULT) is False
    assert within(10**400, 10**400 + 1, ParamRule(epsilon=1)) is True


@pytest.mark.parametrize("text", ["5", "+5", " 5.0 ", "5.", ".5e1", "50E-1", "\u00a05\n"])
def test_decimal_notation_is_a_number(text: str) -> None:
    assert within(text, 5, DEFAULT) is True


@pytest.mark.parametrize(
    "text", ["", ".", "5%", "5kg", "0x5", "1_000", "1,000", "5e", "e5", "\uff15", "--5", "snan"]
)
def test_nothing_else_is_a_number(text: str) -> None:
    assert within(text, 5, DEFAULT) is None


@pytest.mark.parametrize("value", [True, None, [], {}])
def test_values_of_other_types_are_no_numbers(value: Any) -> None:
    assert within(value, 1, DEFAULT) is None
    assert within(1, value, DEFAULT) is None


def test_nan_and_infinity_agree_with_themselves_alone() -> None:
    assert within("NaN", float("nan"), DEFAULT) is True
    assert within("nan", 0, DEFAULT) is False
    assert within("Infinity", float("inf"), DEFAULT) is True
    assert within("inf", "-inf", DEFAULT) is False
    assert within(1, 1e999, ParamRule(epsilon=1e300)) is False


def test_a_relative_epsilon_is_a_fraction_of_the_expected_value() -> None:
    relative = ParamRule(epsilon=0.1, relative=True)
    assert within(-200, -220, relative) is True
    assert within(200, 221, relative) is False
    assert within(0, "1e-400", relative) is False


@pytest.mark.parametrize(
    ("expected", "actual", "answer"),
    [
        ("1e999999999", 0, False),
        ("1e-999999999", 0, True),
        ("1e999999999", "1e-999999999", False),
        ("1e99999999999999999999999", 1, False),
        ("1e-99999999999999999999999", 0, True),
        ("9" * 200_000, "9" * 200_000 + ".01", True),
        ("9" * 200_000, "9" * 200_000 + ".0100001", False),
        ("9" * 500_000 + "x", 1, None),
        ("1" * 100_000 + "e5", "e", None),
    ],
)
def test_hostile_numbers_are_answered_at_once(expected: Any, actual: Any, answer: Any) -> None:
    start = time.process_time()
    assert within(expected, actual, DEFAULT) is answer
    assert time.process_time() - start < 2


def test_the_callers_decimal_context_is_neither_used_nor_changed() -> None:
    with localcontext() as context:
        context.prec = 3
        assert within("1000.5", "1000.51", DEFAULT) is True
        assert within("1000.5", "1000.52", DEFAULT) is False
        assert getcontext().prec == 3
        assert not any(context.flags.values())


@settings(max_examples=100)
@given(
    st.decimals(-1000, 1000, places=3),
    st.decimals(-1000, 1000, places=3),
    st.sampled_from([0.0, 0.01, 0.5, 3.0]),
)
def test_the_answer_is_that_of_plain_arithmetic(
    left: Decimal, right: Decimal, epsilon: float
) -> None:
    expected = abs(left - right) <= Decimal(repr(epsilon))
    assert within(str(left), float(right), ParamRule(epsilon=epsilon)) is expected
