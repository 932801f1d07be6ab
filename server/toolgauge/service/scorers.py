"""Scorers of the user's own: named on the command line, never by a suite.

``NAME=package.module:callable`` is imported; ``NAME`` alone is an installed package's
entry point of the group ``toolgauge.scorers``. A scorer takes (case, trajectory) and
returns a ``Score``; its scores stand beside ours and change neither ``overall`` nor
``passed``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from toolgauge.errors import UsageError
from toolgauge.gateway.dotted_path import load_callable
from toolgauge.scoring import NAMES, Scorer

GROUP = "toolgauge.scorers"


def load_scorers(wanted: Iterable[str], import_roots: Iterable[Path] = ()) -> dict[str, Scorer]:
    """Return the scorers that were asked for, by the names of their scores, in order.

    Raises:
        UsageError: a name belongs to another score, or nothing of (case, trajectory) can
            be imported by it.
    """
    roots = tuple(import_roots)
    scorers: dict[str, Scorer] = {}
    for asked in wanted:
        name, is_dotted, dotted = (part.strip() for part in asked.partition("="))
        if not name.isidentifier():
            raise UsageError(f"--scorer {asked!r}: write NAME=package.module:callable")
        if name in NAMES or name in scorers:
            raise UsageError(f"--scorer {asked!r}: another score has this name; choose another")
        loaded = load_callable(dotted, roots) if is_dotted else _installed(name)
        _check(asked, loaded)
        scorers[name] = loaded
    return scorers


def _installed(name: str) -> Callable[..., Any]:
    found = entry_points(group=GROUP)
    if name not in found.names:
        known = ", ".join(sorted(found.names)) or "none"
        raise UsageError(
            f"--scorer {name}: no installed package has this scorer (installed: {known}); "
            "write NAME=package.module:callable for code of your own"
        )
    try:
        loaded = found[name].load()
    except (Exception, SystemExit) as error:
        # whatever the package does when it is imported
        raise UsageError(f"--scorer {name}: {type(error).__name__}: {error}") from error
    if not callable(loaded):
        raise UsageError(f"--scorer {name}: {found[name].value} cannot be called")
    scorer: Callable[..., Any] = loaded
    return scorer


def _check(asked: str, scorer: Callable[..., Any]) -> None:
    """Refuse what cannot be called with a case and a trajectory, before anything is paid."""
    try:
        inspect.signature(scorer).bind(None, None)
    except TypeError as error:
        message = "a scorer takes (case, trajectory) and returns a Score"
        raise UsageError(f"--scorer {asked!r}: {message}: {error}") from error
    except ValueError:
        return  # a callable of C tells nothing about itself
    if inspect.iscoroutinefunction(scorer):
        raise UsageError(f"--scorer {asked!r}: a scorer is a plain function, not an async one")
