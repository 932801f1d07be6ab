"""Rates that hold across processes: one row per limit, one statement per call (GCRA)."""

from __future__ import annotations

from sqlmodel import case, col

from toolgauge.store.database import Database
from toolgauge.store.tables import RateRow


async def take(
    database: Database,
    name: str,
    *,
    per_s: float,
    burst: float,
    now: float,
    weight: float = 1.0,
) -> float:
    """Return how long to wait before this call, in seconds; 0.0 where it may go at once.

    A limit lets through ``per_s`` units of weight per second (calls, or tokens), and
    ``burst`` more after a rest. ``now`` is seconds since any epoch that all processes
    share. ``tat = max(tat, now - burst / per_s) + weight / per_s``; the wait is
    ``tat - now``. Each caller's turn is its own, so nobody has to ask again.
    """
    rested = now - burst / per_s
    cost = weight / per_s
    tat = col(RateRow.tat)
    statement = (
        database.insert(RateRow)
        .values(name=name, tat=rested + cost)
        .on_conflict_do_update(
            index_elements=[col(RateRow.name)],
            set_={"tat": case((tat > rested, tat), else_=rested) + cost},
        )
        .returning(tat)
    )
    async with database.writing() as session:
        turn: float = (await session.exec(statement)).scalar_one()
    return max(0.0, turn - now)
