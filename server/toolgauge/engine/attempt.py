"""One trial: ask, read the calls, score. Whatever goes wrong costs this trial alone."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from toolgauge.engine.budget import most_cost
from toolgauge.engine.embeddings import Embedder
from toolgauge.engine.limits import Patience, ProviderLimit, TrialBudget
from toolgauge.engine.multi_turn import ConversationLost, converse
from toolgauge.engine.plan import Parts
from toolgauge.engine.single_turn import Conversation, Refusals, ask, first_request
from toolgauge.errors import CannotScore, GatewayError
from toolgauge.gateway.extract import trajectory
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.model.case import Case
from toolgauge.model.run import RunOptions
from toolgauge.model.suite import Suite
from toolgauge.model.target import Target
from toolgauge.model.tools import Trajectory
from toolgauge.model.trial import ErrorKind, Scored, Trial, TrialError, TrialKey, Usage
from toolgauge.scoring import Scorer, score_trial, texts_to_embed

NO_SCORERS: Mapping[str, Scorer] = {}
_log = logging.getLogger(__name__)


class Asker:
    """Attempts trials of one target, under its provider's limit."""

    def __init__(
        self,
        suite: Suite,
        target: Target,
        options: RunOptions,
        *,
        parts: Parts,
        limit: ProviderLimit,
    ) -> None:
        self._suite = suite
        self._target = target
        self._options = options
        self._gateway = parts.gateway
        self._cost_of = parts.cost_of
        self._budget = parts.budget
        self._scorers = parts.scorers
        self._refusals = Refusals()
        self._patience = Patience(
            limit,
            attempts=options.attempts,
            attempt_timeout_s=options.attempt_timeout_s,
            clock=parts.clock,
            rng=parts.rng,
        )
        model = options.embedding_model or suite.embedding_model
        self._embedder = Embedder(parts.gateway, model, self._patience) if model else None

    async def attempt(self, case: Case, repeat: int) -> Trial:
        """Return the finished trial, scored or errored.

        Raises:
            BudgetSpent: it could have cost more than is left; nothing was asked.
        """
        request = first_request(self._suite, case, self._target, self._options, repeat=repeat)
        if self._budget is None:
            return await self._attempt(case, request)
        # prices were checked before the run; without one the trial reserves nothing
        async with self._budget.reserved(most_cost(case, request, self._cost_of) or 0.0) as bill:
            trial = await self._attempt(case, request)
            bill.cost_usd = trial.usage.cost_usd
            return trial

    async def _attempt(self, case: Case, request: Request) -> Trial:
        budget = TrialBudget(self._options.trial_timeout_s)
        conversation, found = Conversation(), Trajectory(())
        scored: Scored | None = None
        error: TrialError | None = None
        try:
            conversation = await converse(case, request, lambda r: self._ask(r, budget))
            found = trajectory(conversation.messages, [tool.name for tool in case.tools])
            scored = await score(case, found, self._embedder, budget, extra=self._scorers)
        except ConversationLost as lost:
            conversation, error = lost.so_far, error_of(lost.__cause__)
        except Exception as failure:  # noqa: BLE001 - the trial border: nothing may pass it
            error = error_of(failure)
        return Trial(
            key=TrialKey(case.id, self._target.name, request.repeat),
            scored=scored,
            calls=found.calls,
            format=found.format,
            tool_choice_used=conversation.tool_choice_used,
            error=error,
            latency_ms=conversation.latency_ms,
            usage=self._priced(conversation.usage),
            cached=conversation.cached,
            attempts=budget.attempts,
            messages=conversation.messages,
        )

    async def _ask(self, request: Request, budget: TrialBudget) -> Reply:
        return await ask(
            request,
            self._gateway,
            patience=self._patience,
            refusals=self._refusals,
            budget=budget,
        )

    def _priced(self, usage: Usage) -> Usage:
        if usage.cost_usd is not None:
            return usage
        return replace(usage, cost_usd=self._cost_of(self._target, usage))


async def score(
    case: Case,
    found: Trajectory,
    embedder: Embedder | None,
    budget: TrialBudget,
    *,
    extra: Mapping[str, Scorer] = NO_SCORERS,
) -> Scored:
    """Return what scoring says of a trajectory; texts that need vectors get them first.

    Raises:
        CannotScore: a scorer could not finish, or vectors are needed and nobody makes them.
        GatewayError: the embedding model did not answer.
    """
    texts = texts_to_embed(case, found)
    if not texts:
        return score_trial(case, found, extra=extra)
    if embedder is None:
        raise CannotScore(case.id, "semantic", "no embedding model is set")
    return score_trial(case, found, await embedder.vectors(texts, budget), extra=extra)


def error_of(error: BaseException | None) -> TrialError:
    """Return a failure as the trial that it cost shows it."""
    if isinstance(error, GatewayError):
        kinds: dict[str, ErrorKind] = {"timeout": "timeout", "setup": "setup"}
        kind = kinds.get(error.fault, "provider")
        return TrialError(kind, str(error), error.fault, error.status)
    if isinstance(error, CannotScore):
        return TrialError("scoring", str(error))
    _log.error("a trial failed in an unforeseen way", exc_info=error)
    return TrialError("setup", f"unforeseen: {type(error).__name__}", "other")
