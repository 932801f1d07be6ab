"""What tokens cost: the price table that litellm ships, read as a file.

Importing litellm takes seconds and may reach for the network; reading its table does
neither. A price that is not known is None, never 0.
"""

from __future__ import annotations

import json
import logging
from decimal import Decimal
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from toolgauge.model.target import DETERMINISTIC_PROVIDERS, Prices, Target
from toolgauge.model.trial import Usage

_FILE = "model_prices_and_context_window_backup.json"
# the table tells some providers' products apart: bedrock_converse, vertex_ai-language-models
_PROVIDER_KINDS = ("-", "_converse", "_chat")
_log = logging.getLogger(__name__)


class PriceTable:
    """List prices per model; the file is read at the first question, once."""

    def __init__(self, file: Path | None = None) -> None:
        """Read ``file``, or the table of the installed litellm where none is given."""
        self._file = file

    def price_of(self, model: str) -> Prices | None:
        """Return the list prices of ``provider/model``; None where they are not known.

        The exact name is looked up first, then the name without the provider, which
        counts only where the entry is of that provider. An entry that lacks one of the
        two prices is not known. Discounts (caching, batches, long contexts) are left out.
        """
        if model in self._entries:
            return _prices(self._entries[model])
        provider, _, name = model.partition("/")
        entry = self._entries.get(name)
        if entry is None or not _is_of(provider, entry.get("litellm_provider")):
            return None
        return _prices(entry)

    def cost_usd(self, target: Target, usage: Usage) -> float | None:
        """Return what ``usage`` costs in US dollars; None where tokens or prices are unknown.

        ``(input_tokens * input price + output_tokens * output price) / 1,000,000``, by
        the target's own prices where it states some. Targets that ask nobody cost 0.0.
        """
        if target.provider in DETERMINISTIC_PROVIDERS:
            return 0.0
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        prices = target.prices or self.price_of(target.model)
        if prices is None:
            return None
        paid_in = usage.input_tokens * prices.input_per_million
        return (paid_in + usage.output_tokens * prices.output_per_million) / 1_000_000

    @cached_property
    def _entries(self) -> dict[str, dict[str, Any]]:
        file = self._file or _installed_file()
        try:
            table = json.loads(file.read_text(encoding="utf-8")) if file else {}
        except (OSError, ValueError) as error:
            _log.warning("the price table cannot be read, costs are unknown: %s", error)
            return {}
        entries = table.items() if isinstance(table, dict) else ()
        return {name: entry for name, entry in entries if isinstance(entry, dict)}


def _installed_file() -> Path | None:
    """Return where litellm's table is; finding a top-level package does not import it."""
    spec = find_spec("litellm")
    folders = (spec.submodule_search_locations if spec else None) or []
    return next((Path(folder) / _FILE for folder in folders), None)


def _is_of(provider: str, stated: Any) -> bool:
    if not isinstance(stated, str):
        return False
    rest = stated.removeprefix(provider)
    return stated.startswith(provider) and (not rest or rest.startswith(_PROVIDER_KINDS))


def _prices(entry: dict[str, Any]) -> Prices | None:
    paid_in = _per_million(entry.get("input_cost_per_token"))
    paid_out = _per_million(entry.get("output_cost_per_token"))
    if paid_in is None or paid_out is None:
        return None
    return Prices(input_per_million=paid_in, output_per_million=paid_out)


def _per_million(per_token: Any) -> float | None:
    if isinstance(per_token, bool) or not isinstance(per_token, int | float) or per_token < 0:
        return None
    # by its decimal text, so that 2.8e-07 becomes 0.28 and not 0.27999999999999997
    return float(Decimal(repr(per_token)).scaleb(6))
