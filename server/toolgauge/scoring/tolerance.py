"""Whether two numbers lie within a tolerance, decided on their decimal text.

Binary floats would refuse ``1`` and ``1.01`` at ``0.01``. Decimals of any size and
exponent are compared without ever being written out, so that ``1e999999999`` costs
nothing.
"""

from __future__ import annotations

import decimal
import re
from decimal import Decimal
from typing import Any

from toolgauge.model.case import ParamRule
from toolgauge.scoring.json_types import is_number

# possessive throughout: a long run of digits that is no number after all costs linear time
_NUMERIC = re.compile(
    r"[+-]?+(?:(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:e[+-]?+[0-9]++)?+|nan|inf(?:inity)?+)",
    re.ASCII | re.IGNORECASE,
)
_PRECISION = 50


def within(expected: Any, actual: Any, rule: ParamRule) -> bool | None:
    """Return whether two numbers are at most ``rule.epsilon`` apart, boundary included.

    Numbers are ints, floats (their shortest decimal text) and numeric strings: decimal
    notation with optional sign, exponent and surrounding space, ``nan``, ``inf``,
    ``infinity``. With ``rule.relative`` epsilon is a fraction of the expected value.
    NaN agrees with NaN alone, an infinity with the same infinity alone. None where one
    of the two is no number. Source: ``scoring.md`` section 2.

    >>> rule = ParamRule(epsilon=0.01)
    >>> within(1, 1.01, rule), within("1e3", 1001, rule), within("5kg", 5, rule)
    (True, False, None)
    """
    left, right = _decimal(expected), _decimal(actual)
    if left is None or right is None:
        return None
    if not (left.is_finite() and right.is_finite()):
        return (left.is_nan() and right.is_nan()) or left == right
    if left == right:
        return True
    limit, precision = Decimal(repr(rule.epsilon)), _PRECISION
    if rule.relative:
        precision += _digit_count(left)
        limit = _context(decimal.ROUND_DOWN, precision).multiply(limit, left).copy_abs()
    # Rounding away from zero to at least as many digits as the limit has never moves the
    # distance across the limit, so the answer is exact.
    distance = _context(decimal.ROUND_UP, precision).subtract(left, right)
    return distance.copy_abs() <= limit


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, str):
        return _decimal_of_text(value.strip())
    if not is_number(value):
        return None
    return Decimal(repr(value) if isinstance(value, float) else value)


def _decimal_of_text(text: str) -> Decimal | None:
    if not _NUMERIC.fullmatch(text):
        return None
    own_context = decimal.Context(traps=[decimal.InvalidOperation])  # whatever the caller's does
    try:
        return Decimal(text, own_context)
    except decimal.InvalidOperation:  # an exponent of more than 18 digits: infinite, or nothing
        return _context(decimal.ROUND_DOWN, _PRECISION).create_decimal(text)


def _digit_count(number: Decimal) -> int:
    return len(number.as_tuple().digits)


def _context(rounding: str, precision: int) -> decimal.Context:
    return decimal.Context(
        prec=precision, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[]
    )
