"""Vectors for ``semantic``, fetched through the gateway once per text."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable

from toolgauge.engine.limits import Patience, TrialBudget
from toolgauge.gateway.gateway import Gateway

_MOST_KEPT = 4096


class Embedder:
    """Vectors of one embedding model; keeps the most recently used ones."""

    def __init__(self, gateway: Gateway, model: str, patience: Patience) -> None:
        self._gateway = gateway
        self._model = model
        self._patience = patience
        self._kept: OrderedDict[str, array[float]] = OrderedDict()

    async def vectors(self, texts: Iterable[str], budget: TrialBudget) -> dict[str, array[float]]:
        """Return a vector per text; one request for those that are not known yet.

        Raises:
            GatewayError: the embedding model did not answer.
        """
        wanted = dict.fromkeys(texts)
        missing = tuple(text for text in wanted if text not in self._kept)
        fetched: dict[str, array[float]] = {}
        if missing:
            answers = await self._patience.send(
                lambda _: self._gateway.embed(self._model, missing), budget
            )
            fetched = {
                text: array("d", vector) for text, vector in zip(missing, answers, strict=True)
            }
        found = {text: fetched.get(text) or self._kept[text] for text in wanted}
        for text, vector in found.items():
            self._kept[text] = vector
            self._kept.move_to_end(text)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return found
