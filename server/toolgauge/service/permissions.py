"""What callers of a server may do to the machine it runs on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from toolgauge.errors import UnknownTarget, UsageError

_LOCAL_TARGETS = ("python:", "replay/")


@dataclass(frozen=True, slots=True)
class Permissions:
    """What is allowed beyond the database; nothing by default.

    ``folders`` are where files may be read. ``urls`` allows servers at addresses that the
    project file does not name, ``commands`` programs that it does not name.
    ``local_targets`` allows targets that load code or files (``python:``, ``replay/``).
    """

    folders: tuple[Path, ...] = ()
    urls: bool = False
    commands: bool = False
    local_targets: bool = False

    def file(self, path: str) -> Path:
        """Return the file of a path that may be read, links followed.

        Raises:
            UsageError: it is in none of the allowed folders.
        """
        found = Path(path).expanduser().resolve()
        if any(found.is_relative_to(folder.resolve()) for folder in self.folders):
            return found
        allowed = ", ".join(map(str, self.folders)) or "none"
        raise UsageError(
            f"{path}: files may be read in these folders only: {allowed}. Pass the content itself"
        )

    def check_targets(self, names: Iterable[str], named: Iterable[str]) -> None:
        """Make sure that no target loads code or files which nobody allowed.

        Raises:
            UnknownTarget: one does, and the project file does not name it.
        """
        known = frozenset(named)
        for name in names:
            if name not in known and name.startswith(_LOCAL_TARGETS) and not self.local_targets:
                raise UnknownTarget(
                    f"{name!r} loads code or files of this machine, which is not allowed here "
                    "unless the project file names it as a target, or toolgauge mcp was started "
                    "with --allow-commands"
                )
