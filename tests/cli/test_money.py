"""Cost: estimated, limited, and never paid twice."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from provider import Provider, calling

PRICED = """
targets:
  priced:
    model: openai/stub
    prices: {input_per_million: 100, output_per_million: 1000}
"""


@pytest.fixture(autouse=True)
def priced(tmp_path: Path) -> Path:
    file = tmp_path / ".toolgauge.yml"
    file.write_text(PRICED)
    return file


def answer(_request: dict[str, Any]) -> tuple[int, Any]:
    return calling("get_weather", city="Paris")


def test_a_dry_run_says_what_would_be_asked_and_asks_nothing(toolgauge, weather) -> None:
    with Provider(answer) as provider:
        done = toolgauge(
            *("run", weather, "-m", "priced", "--repeats", 3, "--dry-run", "--json"),
            *("--api-base", provider.base),
        )
        assert provider.seen == []
    (found,) = done.json()["items"]
    assert (found["trials"], found["calls"], found["cached"]) == (6, 6, 0)
    assert found["output_tokens"] == 6 * 1024
    assert found["cost_usd"] > 6 * 1024 * 1000 / 1e6


def test_cost_is_what_the_tokens_cost(toolgauge, weather) -> None:
    with Provider(answer) as provider:
        done = toolgauge("run", weather, "-m", "priced", "--api-base", provider.base, "--json")
    (summary,) = done.json()["runs"][0]["summaries"]
    assert summary["cost_usd"] == pytest.approx(2 * (100 * 100 + 20 * 1000) / 1e6)


def test_an_unknown_price_is_shown_as_unknown_and_never_as_zero(toolgauge, weather) -> None:
    with Provider(answer) as provider:
        done = toolgauge("run", weather, "-m", "openai/stub", "--api-base", provider.base)
    assert "unknown" in done.out
    assert "$0.0000" not in done.out


def test_a_limit_on_money_needs_a_price(toolgauge, weather) -> None:
    done = toolgauge("run", weather, "-m", "openai/stub", "--max-cost", 1)
    assert done.code == 2
    assert "input_per_million" in done.err


def test_a_run_stops_before_it_could_cost_more_and_says_what_did_not_run(
    toolgauge, weather
) -> None:
    with Provider(answer) as provider:
        command = ("run", weather, "-m", "priced", "--repeats", 20, "--api-base", provider.base)
        done = toolgauge(*command, "--max-cost", 1.5)
        paid = len(provider.seen)
        assert done.code == 0
        assert "truncated" in done.err
        assert "toolgauge run --resume" in done.err
        assert 0 < paid < 40
        assert paid * 0.03 <= 1.5
        (run,) = toolgauge("runs", "list", "--json").json()["items"]
        assert run["status"] == "truncated"
        more = toolgauge(
            *("run", "--resume", run["id"], "--max-cost", 10, "--api-base", provider.base)
        )
        assert more.code == 0
        assert len(provider.seen) == 40


def test_cached_replies_cost_nothing_and_repeats_stay_apart(toolgauge, weather) -> None:
    with Provider(answer) as provider:
        command = ("run", weather, "-m", "priced", "--repeats", 2, "--api-base", provider.base)
        toolgauge(*command, "--cache")
        assert len(provider.seen) == 4
        again = toolgauge(*command, "--cache", "--json").json()["runs"][0]
        assert len(provider.seen) == 4
        assert again["summaries"][0]["cost_usd"] == 0.0
        assert all(trial["cached"] for trial in again["trials"])
        dry = toolgauge(*command, "--cache", "--dry-run", "--json").json()["items"][0]
        assert (dry["cached"], dry["calls"]) == (4, 0)
        only = toolgauge(*command, "--cache-only", "--repeats", 3, "--json").json()["runs"][0]
        assert len(provider.seen) == 4
        errored = [trial for trial in only["trials"] if trial["error"]]
        assert {trial["repeat"] for trial in errored} == {2}


def test_the_cache_explains_which_part_of_a_request_differs(toolgauge, weather) -> None:
    with Provider(answer) as provider:
        command = ("run", weather, "-m", "priced", "--api-base", provider.base)
        toolgauge(*command, "--cache")
        toolgauge(*command, "--temperature", "0.7")
    run = toolgauge("runs", "list", "--json").json()["items"][0]["id"]
    done = toolgauge("cache", "explain", run, "paris")
    assert "parameters" in done.out
    assert '-  "temperature": 0.0' in done.out
    assert '+  "temperature": 0.7' in done.out


def test_a_target_is_asked_no_more_often_than_it_allows(toolgauge, weather, priced) -> None:
    priced.write_text("targets: {slow: {model: openai/stub, calls_per_min: 300}}\n")
    asked_at: list[float] = []

    def timed(request: dict[str, Any]) -> tuple[int, Any]:
        asked_at.append(time.monotonic())
        return answer(request)

    with Provider(timed) as provider:
        toolgauge("run", weather, "-m", "slow", "--repeats", 3, "--api-base", provider.base)
    # six calls, 0.2 s apart, whatever the first ones took to arrive
    assert len(asked_at) == 6
    assert asked_at[-1] - asked_at[0] > 0.8
