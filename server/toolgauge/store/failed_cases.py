"""The cases that a run failed, each with its first failed trial: one query, whatever the size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sqlalchemy import Integer, ScalarSelect, String, bindparam
from sqlalchemy.orm import aliased
from sqlmodel import and_, col, func, select
from sqlmodel.sql.expression import Select

from toolgauge.model import trial_json
from toolgauge.model.trial import Trial
from toolgauge.store.database import Database
from toolgauge.store.tables import TrialRow
from toolgauge.store.trials import Outcome


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case that a target failed: its first failed trial, and how many of its scored ones."""

    first: Trial
    failed: int
    scored: int


async def failed_cases(database: Database, run_id: str, *, most: int) -> list[FailedCase]:
    """Return the first cases that targets failed, by target and case, at most so many.

    Confirmations count, but a case that they alone failed is none of these. Each row is found
    by an index, so that it takes as long for a run of a million trials as for a small one.
    """
    async with database.reading() as session:
        found = await session.exec(_query(), params={"run_id": run_id, "most": most})
        return [
            FailedCase(trial_json.from_json(row.document), failed, failed + passed)
            for row, failed, passed in found
        ]


# made once: putting it together takes longer than carrying it out
@cache
def _query() -> Select[TrialRow, int, int]:
    run_id, most = bindparam("run_id", type_=String), bindparam("most", type_=Integer)
    target, case_id = col(TrialRow.target), col(TrialRow.case_id)
    of_run = col(TrialRow.run_id) == run_id
    failed = and_(of_run, col(TrialRow.outcome) == "failed")
    firsts = (
        select(target, case_id, func.min(TrialRow.repeat).label("repeat"))
        .where(failed, col(TrialRow.batch) != "confirm")
        .group_by(target, case_id)
        .order_by(target, case_id)
        .limit(most)
        .subquery()
    )

    def counted(ended: Outcome) -> ScalarSelect[int]:
        of_case = and_(of_run, target == firsts.c.target, case_id == firsts.c.case_id)
        counting = select(func.count()).select_from(TrialRow)
        return counting.where(of_case, col(TrialRow.outcome) == ended).scalar_subquery()

    trial = aliased(TrialRow)
    is_first = and_(
        col(trial.run_id) == run_id,
        col(trial.target) == firsts.c.target,
        col(trial.case_id) == firsts.c.case_id,
        col(trial.repeat) == firsts.c.repeat,
    )
    return (
        select(trial, counted("failed"), counted("passed"))
        .join(firsts, is_first)
        .order_by(col(trial.target), col(trial.case_id))
    )
