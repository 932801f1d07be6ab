"""What a run would ask and cost, before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.engine.budget import most_usage
from toolgauge.engine.plan import Plan
from toolgauge.engine.single_turn import first_request
from toolgauge.gateway.caching import CacheMode, question_of
from toolgauge.gateway.prices import PriceTable
from toolgauge.model.estimate import Estimate
from toolgauge.model.target import Target
from toolgauge.model.trial import Usage
from toolgauge.service import wiring
from toolgauge.service.runs import Prepared
from toolgauge.settings import Settings
from toolgauge.store.cache import StoredReplies


async def estimate(
    prepared: Sequence[Prepared], settings: Settings, database: str | None, cache: CacheMode
) -> tuple[Estimate, ...]:
    """Return an estimate per suite and target. Nothing is asked and nothing stored.

    The database is opened only where the cache may serve something.
    """
    if cache == "off":
        return tuple([await _estimate(one, t, None) for one in prepared for t in one.targets])
    async with wiring.open_store(settings, database) as store:
        replies = wiring.stored_replies(store)
        return tuple([await _estimate(one, t, replies) for one in prepared for t in one.targets])


async def _estimate(one: Prepared, target: Target, replies: StoredReplies | None) -> Estimate:
    plan = Plan(one.suite, (target,), one.options)
    trials = cached = calls = 0
    usage = Usage(0, 0, 0.0)
    for case, repeat in plan.trials_of(target):
        trials += 1
        request = first_request(one.suite, case, target, one.options, repeat=repeat)
        if replies is not None and await replies.find(question_of(request)) is not None:
            cached += 1
            continue
        calls += case.max_rounds if case.runs_a_conversation else 1
        usage = usage.plus(most_usage(case, request))
    tokens = Usage(usage.input_tokens or 0, usage.output_tokens or 0)
    return Estimate(
        suite=one.suite.name,
        target=target.name,
        trials=trials,
        cached=cached,
        calls=0 if target.is_deterministic else calls,
        input_tokens=tokens.input_tokens or 0,
        output_tokens=tokens.output_tokens or 0,
        cost_usd=PriceTable().cost_usd(target, tokens),
    )
