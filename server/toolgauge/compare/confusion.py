"""Which tool was called where another was expected, on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from toolgauge.model.comparison import CasePair, CaseTally
from toolgauge.model.report import Confusion

ANY_CALL = "any call"


def confusion_of(pairs: Iterable[CasePair]) -> tuple[Confusion, ...]:
    """Return the pairs of expected and called tools: wrong ones first, the head's most first.

    A call that is not among the expected is left out where its case always passed on a
    side that made the same call: it is a prerequisite there, or a call that was allowed.
    Where any call is expected, every call is right.
    """
    calls: dict[tuple[str, str, bool], list[int]] = {}
    trials: Counter[tuple[str, int]] = Counter()
    for pair in pairs:
        label, names = _expected(pair.head.case.expected)
        allowed = _called_while_passing(pair.head) | _called_while_passing(pair.baseline)
        for side, tally in enumerate((pair.head, pair.baseline)):
            trials[label, side] += tally.runs
            for called, count in tally.called_tools.items():
                is_right = called in names or (label == ANY_CALL and bool(called))
                if is_right or called not in allowed:
                    calls.setdefault((label, called, is_right), [0, 0])[side] += count
    found = [
        Confusion(label, called, is_right, on_head, trials[label, 0], on_base, trials[label, 1])
        for (label, called, is_right), (on_head, on_base) in calls.items()
    ]
    return tuple(sorted(found, key=_wrong_and_frequent_first))


def _expected(expected: Any) -> tuple[str, frozenset[str]]:
    """Return what an expectation is called, and the names that fulfil it."""
    if isinstance(expected, str):
        return (ANY_CALL, frozenset()) if expected == ANY_CALL else ("", frozenset({""}))
    calls = [expected] if isinstance(expected, dict) else list(expected or ())
    names = [str(call.get("name", "")) for call in calls]
    alternatives = frozenset(name for joined in names for name in joined.split(" | "))
    return " + ".join(names), alternatives or frozenset({""})


def _called_while_passing(tally: CaseTally) -> set[str]:
    return set(tally.called_tools) if tally.runs and tally.passes == tally.runs else set()


def _wrong_and_frequent_first(one: Confusion) -> tuple[bool, int, int, str, str]:
    return one.is_right, -one.head_calls, -one.baseline_calls, one.expected, one.called
