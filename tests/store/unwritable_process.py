"""A process without rights, or with a limit on file sizes, that tries to store something.

Arguments: URL, ``unprivileged`` or ``limited``. Prints the fault and the message.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile

import anyio
from store_builders import a_trial, store_run

from toolgauge.errors import CannotStore
from toolgauge.store import trials
from toolgauge.store.database import open_database
from toolgauge.store.trial_writer import TrialWriter

_NOBODY = 65534
_LIMIT_BYTES = 2_000_000


async def import_everything() -> None:
    """Open a scratch database, so that nothing is left to import without rights."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_database(f"sqlite:///{folder}/scratch.db") as database:
            await store_run(database)


async def fill(url: str) -> int:
    """Write until it fails; return how many trials were kept before."""
    kept = 0
    async with open_database(url) as database:
        await store_run(database)
        try:
            async with TrialWriter(database, "run-1") as writer:
                while True:
                    await writer.keep(a_trial(repeat=kept, said="x" * 2_000))
                    kept += 1
        except CannotStore as error:
            sys.stdout.write(f"{error.fault}\n{error}\n")
        assert await trials.count(database, "run-1") == kept
    return kept


def main(url: str, how: str) -> None:
    anyio.run(import_everything)
    if how == "limited":
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LIMIT_BYTES, _LIMIT_BYTES))
    elif os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    try:
        sys.stdout.write(f"{anyio.run(fill, url)} kept\n")
    except CannotStore as error:
        sys.stdout.write(f"{error.fault}\n{error}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
