"""What plain scalars mean in the YAML 1.2 core schema.

Only ``true`` and ``false`` are truth values; dates and clock times are text.
"""

from __future__ import annotations

import re
from typing import Any

_CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NUMBER_STARTS = frozenset("+-.0123456789")


def resolve(text: str) -> Any:
    """Return what a plain scalar means in the YAML 1.2 core schema.

    Raises:
        ValueError: an integer of more digits than Python converts.

    >>> [resolve(text) for text in ("12", "1e3", "true", "no", "2026-05-04", "")]
    [12, 1000.0, True, 'no', '2026-05-04', None]
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def is_text(plain: str) -> bool:
    """Return whether a plain scalar means text."""
    try:
        return isinstance(resolve(plain), str)
    except ValueError:
        return False
