"""Code that the person who runs toolgauge names: ``package.module:callable``.

Such names come from the command line or the project file, never from a suite.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from toolgauge.errors import UsageError

_log = logging.getLogger(__name__)


def load_callable(dotted: str, import_roots: Iterable[Path] = ()) -> Callable[..., Any]:
    """Return what ``package.module:callable`` names; the callable may be ``Class.method``.

    The folders of ``import_roots`` and then the working directory are looked through
    before what is installed, and stay on the path, for imports that come later.

    Raises:
        UsageError: the name is no such name, or nothing callable can be imported by it.
    """
    module_name, _, attribute = dotted.partition(":")
    if not attribute or not all(part.isidentifier() for part in module_name.split(".")):
        raise UsageError(f"{dotted!r} names no code; write package.module:callable")
    _put_on_path([*import_roots, Path.cwd()])
    found: Any = _module(module_name)
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise UsageError(f"{dotted!r}: {module_name} has no {attribute!r}")
        found = getattr(found, name)
    if not callable(found):
        raise UsageError(f"{dotted!r} is {type(found).__name__}, which cannot be called")
    loaded: Callable[..., Any] = found
    return loaded


def _put_on_path(roots: Iterable[Path]) -> None:
    folders = [str(root.resolve()) for root in roots]
    sys.path[:0] = [folder for folder in dict.fromkeys(folders) if folder not in sys.path]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        wanted = error.name or ""
        if name == wanted or name.startswith(f"{wanted}."):
            raise UsageError(
                f"there is no module {name!r} in the working directory, in import_roots of "
                ".toolgauge.yml, or installed"
            ) from error
        raise UsageError(f"{name} needs the module {wanted!r}, which is not installed") from error
    except (Exception, SystemExit) as error:
        # whatever the module does when it is imported
        _log.info("%s cannot be imported", name, exc_info=error)
        raise UsageError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
