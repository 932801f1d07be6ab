from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolgauge.gateway.prices import PriceTable
from toolgauge.model.target import Prices, Target
from toolgauge.model.trial import Usage

ENTRIES: dict[str, Any] = {
    "gpt-x": {
        "litellm_provider": "openai",
        "input_cost_per_token": 2.8e-07,
        "output_cost_per_token": 1e-05,
    },
    "cloud/model-y": {
        "litellm_provider": "cloud",
        "input_cost_per_token": 0,
        "output_cost_per_token": 0.0,
    },
    "model-z": {
        "litellm_provider": "bedrock_converse",
        "input_cost_per_token": 1e-06,
        "output_cost_per_token": 2e-06,
    },
    "half": {"litellm_provider": "openai", "input_cost_per_token": 1e-06},
    "text": {
        "litellm_provider": "openai",
        "input_cost_per_token": "see the site",
        "output_cost_per_token": True,
    },
    "garbage": 5,
}


@pytest.fixture
def table(tmp_path: Path) -> PriceTable:
    file = tmp_path / "prices.json"
    file.write_text(json.dumps(ENTRIES), encoding="utf-8")
    return PriceTable(file)


def target(model: str, prices: Prices | None = None) -> Target:
    return Target(name=model, model=model, prices=prices)


@pytest.mark.parametrize("model", ["gpt-x", "openai/gpt-x"])
def test_a_model_is_found_with_and_without_its_provider(table: PriceTable, model: str) -> None:
    assert table.price_of(model) == Prices(input_per_million=0.28, output_per_million=10.0)


def test_a_free_model_has_a_price_of_0(table: PriceTable) -> None:
    prices = Prices(input_per_million=0, output_per_million=0)
    assert table.price_of("cloud/model-y") == prices


def test_a_product_of_the_provider_is_of_the_provider(table: PriceTable) -> None:
    assert table.price_of("bedrock/model-z") is not None


@pytest.mark.parametrize(
    "model", ["azure/gpt-x", "open/gpt-x", "nobody/unknown", "cloud", "", "openai/", "garbage"]
)
def test_a_model_of_another_provider_is_not_known(table: PriceTable, model: str) -> None:
    assert table.price_of(model) is None


@pytest.mark.parametrize("model", ["openai/half", "openai/text"])
def test_an_entry_without_both_prices_is_not_known(table: PriceTable, model: str) -> None:
    assert table.price_of(model) is None


def test_cost_is_tokens_times_price(table: PriceTable) -> None:
    cost = table.cost_usd(target("openai/gpt-x"), Usage(1_000_000, 200_000))
    assert cost == pytest.approx(0.28 + 2.0)


def test_the_targets_own_prices_win(table: PriceTable) -> None:
    own = Prices(input_per_million=1, output_per_million=3)
    assert table.cost_usd(target("openai/gpt-x", own), Usage(2_000_000, 1_000_000)) == 5.0
    assert table.cost_usd(target("local/unknown", own), Usage(2_000_000, 1_000_000)) == 5.0


@pytest.mark.parametrize("usage", [Usage(), Usage(1, None), Usage(None, 1)])
def test_unknown_tokens_cost_an_unknown_amount(table: PriceTable, usage: Usage) -> None:
    assert table.cost_usd(target("openai/gpt-x"), usage) is None


def test_an_unknown_price_is_no_cost_of_0(table: PriceTable) -> None:
    assert table.cost_usd(target("local/unknown"), Usage(1, 1)) is None


@pytest.mark.parametrize("model", ["builtin/lexical", "replay/answers.jsonl"])
def test_asking_nobody_costs_nothing(table: PriceTable, model: str) -> None:
    assert table.cost_usd(target(model), Usage()) == 0.0


@pytest.mark.parametrize("text", ["{", "[]", None])
def test_a_table_that_cannot_be_read_knows_no_prices(
    tmp_path: Path, text: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "prices.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert PriceTable(file).price_of("gpt-x") is None
    assert ("costs are unknown" in caplog.text) == (text != "[]")


def test_the_installed_table_is_read_without_importing_litellm() -> None:
    program = (
        "import sys\n"
        "from toolgauge.gateway.prices import PriceTable\n"
        "known = PriceTable().price_of('openai/gpt-4o')\n"
        "assert known.output_per_million > known.input_per_million > 0\n"
        "assert 'litellm' not in sys.modules\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env=environment)
