"""Plots of an experiment's timeline, in the terminal and as files.

Both libraries are optional: ``pip install 'toolgauge[plots]'`` brings them.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from toolgauge.errors import MissingSetting, UsageError
from toolgauge.service.experiments import Timeline

_SUFFIXES = (".svg", ".png")
_HEIGHT = 15


def in_terminal(shown: Timeline, *, width: int) -> str:
    """Return the scores over the runs as text; how to get it, where the library is missing."""
    if find_spec("plotext") is None:
        return "to see a plot here: pip install 'toolgauge[plots]'"
    plotext = importlib.import_module("plotext")
    places, scores = _points(shown)
    plotext.clear_figure()
    plotext.plot_size(min(width, 100), _HEIGHT)
    plotext.plot(places, scores, marker="braille")
    plotext.ylim(0, 1)
    plotext.xticks(places, [f"{entry.at:%m-%d}" for entry in _scored(shown)])
    return str(plotext.build())


def draw(shown: Timeline, path: Path) -> None:
    """Write the timeline as an SVG or PNG picture.

    Raises:
        UsageError: another kind of file is wanted, or it cannot be written.
        MissingSetting: the library that draws is not installed.
    """
    if path.suffix not in _SUFFIXES:
        raise UsageError(f"{path}: a plot is written as {' or '.join(_SUFFIXES)}")
    if find_spec("matplotlib") is None:
        raise MissingSetting("drawing needs matplotlib. Install it: pip install 'toolgauge[plots]'")
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(8, 4), layout="tight")
    _draw_on(figure.subplots(), shown)
    try:
        figure.savefig(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def _draw_on(axes: Any, shown: Timeline) -> None:
    places, scores = _points(shown)
    axes.plot(places, scores, marker="o")
    base = next((e.score for e in shown.entries if e.is_baseline and e.score is not None), None)
    if base is not None:
        axes.axhline(base, linestyle="--", linewidth=1, color="grey", label="baseline")
        axes.legend(loc="lower right")
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("score")
    axes.set_title(shown.experiment.name, parse_math=False)
    axes.set_xticks(places, [f"{entry.at:%m-%d %H:%M}" for entry in _scored(shown)], rotation=30)


def _scored(shown: Timeline) -> list[Any]:
    return [entry for entry in shown.entries if entry.score is not None]


def _points(shown: Timeline) -> tuple[list[int], list[float]]:
    entries = _scored(shown)
    return list(range(1, len(entries) + 1)), [entry.score for entry in entries]
