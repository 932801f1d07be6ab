"""Finds in earlier results what a later call needs: ``flight_id`` in ``{"flights": [{"id": …}]}``.

Names are compared word by word; nothing here knows what they mean.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolgauge.gateway.lexical_parameters import Parameter
from toolgauge.gateway.lexical_words import stem, words
from toolgauge.model.tools import ToolCall

_MAX_VALUES, _MAX_NODES, _MAX_BITS = 200, 2_000, 64
_SAME_NAME, _NAME_IN_CONTEXT, _LONGER_NAME = 3, 2, 1


@dataclass(frozen=True, slots=True)
class Known:
    """One plain value of a result: the stems of its key, and of the keys and tool around it."""

    key: tuple[str, ...]
    around: frozenset[str]
    value: Any


def known_values(calls: Sequence[ToolCall]) -> tuple[Known, ...]:
    """Return the plain values in the results of ``calls``, the latest call first.

    Within a result the values nearest to its top come first. At most 200 values.
    """
    found: list[Known] = []
    for call in reversed(calls):
        found += _values_of(call) if call.has_result else ()
        if len(found) >= _MAX_VALUES:
            break
    return tuple(found[:_MAX_VALUES])


def value_for(parameter: Parameter, known: Sequence[Known]) -> Any:
    """Return the known value that ``parameter`` names best, None where none does.

    Best first: the same name; the last word of the name, the other words around it
    (``flight_id`` and ``flights[0].id``); a longer name that holds the name. The first wins.
    """
    rated = ((_likeness(parameter, one), one.value) for one in known)
    best = max(rated, key=lambda pair: pair[0], default=(0, None))
    return _as_type(best[1], parameter.type) if best[0] else None


def _values_of(call: ToolCall) -> list[Known]:
    """Walk the result breadth first, without recursion and within bounds."""
    found: list[Known] = []
    tool = frozenset(stem(word) for word in words(call.name))
    queue: deque[tuple[Any, tuple[str, ...], frozenset[str]]] = deque([(call.result, (), tool)])
    for _ in range(_MAX_NODES):
        if not queue or len(found) >= _MAX_VALUES:
            break
        value, key, around = queue.popleft()
        if isinstance(value, dict):
            inside = around | frozenset(key)
            for name in list(value)[:_MAX_VALUES]:
                stems = tuple(stem(word) for word in words(str(name)))
                queue.append((value[name], stems, inside))
        elif isinstance(value, list):
            queue.extend((item, key, around) for item in value[:_MAX_VALUES])
        elif value is not None:
            found.append(Known(key, around, value))
    return found


def _likeness(parameter: Parameter, known: Known) -> int:
    if not parameter.words or not known.key or _as_type(known.value, parameter.type) is None:
        return 0
    if known.key == parameter.words:
        return _SAME_NAME
    if known.key == parameter.words[-1:] and known.around.issuperset(parameter.words[:-1]):
        return _NAME_IN_CONTEXT
    return _LONGER_NAME if set(parameter.words) < set(known.key) else 0


def _as_type(value: Any, wanted: str) -> Any:
    """Return ``value`` where it has the wanted type, a number as text for a string, or None."""
    if isinstance(value, bool):
        return value if wanted == "boolean" else None
    # longer integers may be too long to be written as text
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return None
    if wanted == "string":
        return str(value) if isinstance(value, str | int | float) else None
    if wanted == "integer":
        return value if isinstance(value, int) else None
    return value if wanted == "number" and isinstance(value, int | float) else None
