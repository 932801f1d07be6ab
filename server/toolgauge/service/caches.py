"""Why the response cache does not answer a trial of a stored run."""

from __future__ import annotations

from dataclasses import dataclass

from toolgauge.engine.single_turn import first_request
from toolgauge.errors import NotStored
from toolgauge.gateway.caching import question_of
from toolgauge.service.evaluations import suite_of
from toolgauge.store import runs
from toolgauge.store.cache import Explanation, explain
from toolgauge.store.database import Database


@dataclass(frozen=True, slots=True)
class Explained:
    """What the cache knows of the first request of one case to one target."""

    target: str
    explanation: Explanation


async def explain_case(
    database: Database, run_id: str, case_id: str, *, repeat: int = 0
) -> tuple[Explained, ...]:
    """Return, per target of a run, how the cache relates to the case's first request.

    Raises:
        NotStored: there is no such run, or it has no such case.
    """
    run = (await runs.get(database, run_id)).run
    suite = await suite_of(database, run)
    case = next((case for case in suite.cases if case.id == case_id), None)
    if case is None:
        raise NotStored("case", case_id, tuple(case.id for case in suite.cases[:5]))
    found = []
    for target in run.targets:
        request = first_request(suite, case, target, run.options, repeat=repeat)
        found.append(Explained(target.name, await explain(database, question_of(request))))
    return tuple(found)
