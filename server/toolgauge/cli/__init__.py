"""The command line: parses, calls one service function, renders. Holds no logic.

One module per command group; each imports its services inside the command, so that
``--help`` stays quick. Begin with ``app``.
"""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line and exit with the code that ``engine.md`` section 7 names."""
    gc.disable()  # imports only add; ``loop`` turns it on again for the work
    from toolgauge.cli.app import run_app

    code = run_app(sys.argv[1:])
    gc.freeze()  # what is left goes with the process; nothing need be searched before
    sys.exit(code)
