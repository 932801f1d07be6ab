"""Escapes: what makes hostile text harmless in each place where it is shown."""

from __future__ import annotations

import unicodedata

# bidirectional controls can make shown text read otherwise than it is
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
CLIP_MARK = "…"


def clip(text: str, most: int) -> str:
    """Return ``text``, or its first ``most - 1`` characters and a mark that says so."""
    return text if len(text) <= most else text[: most - 1] + CLIP_MARK


def one_line(text: str, most: int = 200) -> str:
    r"""Return text that is safe to print on one line of a terminal or log.

    Control characters (escape sequences among them), bidirectional controls, line and
    paragraph separators and lone surrogates are shown as ``\xNN`` or ``\uNNNN``.

    >>> print(one_line("a\x1b[31mb\nc"))
    a\x1b[31mb\x0ac
    """
    return "".join(map(_shown, clip(text, most)))


def _shown(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    if character in _BIDI or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
        code = ord(character)
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return character
