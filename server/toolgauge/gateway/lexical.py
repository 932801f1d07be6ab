"""The target ``builtin/lexical``: a keyword baseline that asks nobody. It is no language model.

It ranks tools by the words that they share with the question and fills their parameters by
patterns. Its score is a floor: a suite on which it does well tests little. The same request
always gets the same answer, and editing a tool's description may change it, which makes it
the offline subject of demonstrations, tests and gates.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from toolgauge.errors import GatewayError
from toolgauge.gateway.extract import text_of, trajectory
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.gateway.lexical_arguments import Filled, Question, fill, one_per_item
from toolgauge.gateway.lexical_index import Ranked, ToolIndex
from toolgauge.gateway.lexical_results import known_values
from toolgauge.gateway.lexical_words import terms
from toolgauge.model.tools import Message
from toolgauge.model.trial import Usage

# evidence from which a tool is called; less is enough once the conversation called one
_THRESHOLD, _NEXT_THRESHOLD = 0.9, 0.5
# a tool that cannot be called completely may still need another one first
_INCOMPLETE_SHARE = 0.25
_MAX_CANDIDATES, _MAX_INDEXES, _MAX_QUESTION = 5, 32, 8_000
_ABSTAINS = (
    "No tool shares enough words with the question. (A keyword baseline, no language model.)"
)

_Call = tuple[str, dict[str, Any]]


class LexicalGateway:
    """A keyword baseline behind the protocol of a gateway: deterministic, offline, no model."""

    def __init__(self, *, clock: Callable[[], float] = time.perf_counter) -> None:
        """Measure latency by ``clock`` (seconds)."""
        self._clock = clock
        self._indexes: dict[tuple[int, ...], tuple[Sequence[Any], ToolIndex]] = {}

    async def complete(self, request: Request) -> Reply:
        """Return calls of the best tool, or a text where no tool passes the threshold.

        It never calls under ``none`` and always calls under ``required`` where there is a
        tool. The last user message is the question; within it a tool is called once, so a
        conversation ends when no further tool has words of the question that the names of
        the called tools do not hold. Costs no tokens and no money.
        """
        started = self._clock()
        calls = self._answer(request) if request.tools and request.tool_choice != "none" else []
        return Reply(
            (_as_message(calls, request.turn),),
            finish_reason="tool_calls" if calls else "stop",
            usage=Usage(input_tokens=0, output_tokens=0, cost_usd=0.0),
            latency_ms=(self._clock() - started) * 1000,
            tool_choice_sent=request.tool_choice if request.tools else None,
        )

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return nothing: a keyword baseline has no embeddings.

        Raises:
            GatewayError: always, with the fault ``setup``.
        """
        raise GatewayError(
            "setup",
            f"builtin/lexical has no embeddings ({len(texts)} texts for {model!r}); "
            "name an embedding model of a provider",
        )

    async def aclose(self) -> None:
        """Do nothing: there is no connection to close."""

    def _answer(self, request: Request) -> list[_Call]:
        index = self._index_of(request.tools)
        asked_at = _last_user_message(request.messages)
        content = request.messages[asked_at].get("content") if asked_at >= 0 else None
        question = Question.read((text_of(content) or "")[:_MAX_QUESTION])
        names = [tool.name for tool in index.tools]
        made = {call.name for call in trajectory(request.messages[asked_at + 1 :], names).calls}
        candidates = _candidates(index, question, made, required=request.tool_choice == "required")
        known = known_values(trajectory(request.messages, names).calls)
        filled = [(one, fill(one.tool.parameters, question, known)) for one in candidates]
        if not filled:
            return []
        best, arguments = max(filled, key=_worth)
        each = one_per_item(best.tool.parameters, question, arguments)
        return [(best.tool.name, one) for one in each]

    def _index_of(self, tools: Sequence[Any]) -> ToolIndex:
        """Return the index of ``tools``, which are held so that their ids stay theirs."""
        key = tuple(map(id, tools))
        if key not in self._indexes:
            if len(self._indexes) >= _MAX_INDEXES:
                del self._indexes[next(iter(self._indexes))]
            self._indexes[key] = (tools, ToolIndex(tools))
        return self._indexes[key][1]


def _last_user_message(messages: Sequence[Message]) -> int:
    places = (n for n in range(len(messages) - 1, -1, -1) if messages[n].get("role") == "user")
    return next(places, -1)


def _candidates(
    index: ToolIndex, question: Question, made: set[str], *, required: bool
) -> list[Ranked]:
    """Return the tools that may be called, none where not one passes the threshold.

    Where one does, those with less evidence are candidates too: the first may need them.
    """
    explained = {term for tool in index.tools if tool.name in made for term in tool.name_terms}
    ranked = index.rank(question.text, explained=explained)
    fresh = [one for one in ranked if one.tool.name not in made]
    # values say nothing about the topic: a question with many of them is no weaker
    root = math.sqrt(len(set(terms(question.topic())))) or 1.0
    threshold = (_NEXT_THRESHOLD if made else _THRESHOLD) * root
    if fresh and fresh[0].score >= threshold:
        close = [one for one in fresh if one.score >= _NEXT_THRESHOLD * root]
        return close[:_MAX_CANDIDATES]
    return (fresh or ranked)[:_MAX_CANDIDATES] if required else []


def _worth(candidate: tuple[Ranked, Filled]) -> tuple[float, int]:
    ranked, filled = candidate
    share = _INCOMPLETE_SHARE if filled.missing else 1.0
    return ranked.score * share, -len(filled.missing)


def _as_message(calls: Sequence[_Call], turn: int) -> Message:
    if not calls:
        return {"role": "assistant", "content": _ABSTAINS}
    sent = [
        {
            "id": f"call_{turn}_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": sent}
