"""What a run would ask and cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one target of one suite would take at most.

    ``calls`` counts requests, every round of a conversation among them; ``cached`` trials
    have their first reply stored and are in no other number. Tokens are estimated from
    characters. ``cost_usd`` is None where the price is unknown.
    """

    suite: str
    target: str
    trials: int
    cached: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
