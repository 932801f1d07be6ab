"""The geometry of a page's charts: where marks stand, as percentages of a chart's width.

Positions in percent let the charts of a page grow and shrink with it, without their
circles and letters. Templates draw them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toolgauge.model.experiment import TimelineEntry
from toolgauge.model.report import CaseSide, Confusion, Report
from toolgauge.report.wording import effect_of

_MOST_PIPS = 20
_MOST_TOOLS = 24
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_TICKS = 6
_TIMELINE_MARGIN = 3.0


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from ``low`` to ``high`` (low < high), with a tick every ``step``."""

    low: float
    high: float
    step: float

    def at(self, value: float) -> float:
        """Return where a value stands, in percent of the axis; beyond it, at its end."""
        within = min(max(value, self.low), self.high)
        return round(100 * (within - self.low) / (self.high - self.low), 2)

    @property
    def ticks(self) -> tuple[float, ...]:
        first, last = round(self.low / self.step), round(self.high / self.step)
        return tuple(round(number * self.step, 4) for number in range(first, last + 1))


RATES = Axis(0.0, 1.0, 0.25)


def change_axis(report: Report) -> Axis:
    """Return an axis for all suites' changes and their intervals, with 0 in its middle."""
    ends = [report.policy.max_drop, 0.02]
    for suite in report.suites:
        if effect := effect_of(suite.numbers, report.policy.metric):
            delta = effect.delta
            ends += [abs(one) for one in (delta.value, delta.low, delta.high) if one is not None]
    return _around(0.0, max(ends))


@dataclass(frozen=True, slots=True)
class Mark:
    """One run of a timeline: ``x`` and ``y`` in percent from the left and from the top."""

    entry: TimelineEntry
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """The runs of a timeline that have a score, the oldest first, and their axis."""

    marks: tuple[Mark, ...]
    axis: Axis

    @property
    def segments(self) -> tuple[tuple[Mark, Mark], ...]:
        return tuple(zip(self.marks, self.marks[1:], strict=False))


def timeline_chart(entries: Sequence[TimelineEntry]) -> Timeline | None:
    """Return the marks of a timeline; None with fewer than two scores, where it says nothing."""
    scored = [(entry, entry.score) for entry in entries if entry.score is not None]
    if len(scored) < 2:
        return None
    values = [score for _, score in scored]
    middle = (min(values) + max(values)) / 2
    axis = _between(middle, max(max(values) - middle, 0.02) * 1.1)
    span, inner = len(scored) - 1, 100 - 2 * _TIMELINE_MARGIN
    marks = [
        Mark(entry, round(_TIMELINE_MARGIN + inner * i / span, 2), round(100 - axis.at(score), 2))
        for i, (entry, score) in enumerate(scored)
    ]
    return Timeline(tuple(marks), axis)


def pips(side: CaseSide) -> tuple[str, ...]:
    """Return a word per trial: passed ones, failed ones, errored ones; none for over 20."""
    if side.runs + side.errored > _MOST_PIPS:
        return ()
    failed = side.runs - side.passes
    return ("passed",) * side.passes + ("failed",) * failed + ("errored",) * side.errored


@dataclass(frozen=True, slots=True)
class Matrix:
    """Expected tools by called tools; a cell is None where neither side ever called so.

    ``hidden`` counts expected tools that are left out: only the first 24 are shown.
    """

    called: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Confusion | None, ...]], ...]
    hidden: int = 0


def confusion_matrix(pairs: Iterable[Confusion]) -> Matrix:
    """Return a matrix whose right calls stand near its diagonal, confused tools first."""
    cells = {(pair.expected, pair.called): pair for pair in pairs}
    wrong = sorted(
        (pair for pair in cells.values() if not pair.is_right), key=lambda p: -p.head_calls
    )
    expected = list(dict.fromkeys([*(p.expected for p in wrong), *(e for e, _ in cells)]))
    shown = expected[:_MOST_TOOLS]
    right = [p.called for e in shown for p in cells.values() if p.expected == e and p.is_right]
    others = [p.called for p in wrong if p.expected in shown]
    called = list(dict.fromkeys([*right, *others]))[: 2 * _MOST_TOOLS]
    # what is no tool stands last, so that the diagonal goes on to its end
    called.sort(key=lambda name: not name)
    shown.sort(key=lambda name: not name)
    rows = tuple((one, tuple(cells.get((one, name)) for name in called)) for one in shown)
    return Matrix(tuple(called), rows, len(expected) - len(shown))


def share(calls: int, trials: int) -> float:
    """Return calls per trial, at most 1; 0 without trials."""
    return min(calls / trials, 1.0) if trials else 0.0


def _around(middle: float, reach: float) -> Axis:
    step = _step(2 * reach)
    steps = -int(-reach // step)
    return Axis(round(middle - steps * step, 4), round(middle + steps * step, 4), step)


def _between(middle: float, reach: float) -> Axis:
    """Return an axis within [0, 1] on round ends around both values."""
    step = _step(2 * reach)
    low = max(0.0, int((middle - reach) / step) * step)
    high = min(1.0, -int(-(middle + reach) // step) * step)
    return Axis(round(low, 4), round(high, 4), step)


def _step(span: float) -> float:
    return next((step for step in _STEPS if span / step <= _MOST_TICKS), _STEPS[-1])
