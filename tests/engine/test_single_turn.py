from __future__ import annotations

import random

import pytest

from builders import FakeGateway, reply, suite
from toolgauge.engine.limits import Patience, ProviderLimit, TrialBudget
from toolgauge.engine.single_turn import Refusals, ask, first_request, system_prompt
from toolgauge.errors import GatewayError
from toolgauge.gateway.gateway import Reply
from toolgauge.model.run import RunOptions
from toolgauge.model.target import Target

TARGET = Target("mini", "openai/gpt-mini", system_prompt="of the target")


def patience() -> Patience:
    return Patience(
        ProviderLimit(1), attempts=1, attempt_timeout_s=5, clock=lambda: 0.0, rng=random.Random(0)
    )


def case(**fields: object):
    stated = {"id": "a", "prompt": "p", "expected_tool": "get_weather"} | fields
    return suite(stated, system_prompt="of the suite").cases[0]


@pytest.mark.parametrize(
    ("own", "run", "target", "sent"),
    [
        ("of the case", {"_global": "of the run"}, TARGET, "of the case"),
        (None, {"mini": "of the name", "_global": "of the run"}, TARGET, "of the name"),
        (None, {"openai/gpt-mini": "of the model", "_global": "g"}, TARGET, "of the model"),
        (None, {"openai::gpt-mini": "as S1 writes it"}, TARGET, "as S1 writes it"),
        (None, {"_global": "of the run"}, TARGET, "of the run"),
        (None, {}, TARGET, "of the target"),
        (None, {}, Target("x", "openai/x"), "of the suite"),
        ("", {"_global": "of the run"}, TARGET, ""),
    ],
)
def test_one_system_prompt_is_sent_the_most_specific(own, run, target, sent) -> None:
    asked = case(system_prompt=own) if own is not None else case()
    assert system_prompt(asked, target, RunOptions(system_prompts=run)) == sent


def test_the_system_prompt_stands_before_the_case_and_an_empty_one_is_left_out() -> None:
    made = suite({"id": "a", "prompt": "p", "expected_tool": None, "system_prompt": ""})
    request = first_request(made, made.cases[0], TARGET, RunOptions(), repeat=0)
    assert [message["role"] for message in request.messages] == ["user"]


def test_a_targets_parameters_win_over_the_runs_temperature_and_that_over_the_suites() -> None:
    made = suite(defaults={"temperature": 0.3, "max_tokens": 7})
    plain = first_request(made, made.cases[0], TARGET, RunOptions(), repeat=0)
    assert plain.parameters == {"temperature": 0.3, "max_tokens": 7}
    warm = first_request(made, made.cases[0], TARGET, RunOptions(temperature=0.9), repeat=0)
    assert warm.parameters["temperature"] == 0.9
    own = Target("t", "openai/t", parameters={"temperature": 1.0, "max_tokens": None})
    assert first_request(
        made, made.cases[0], own, RunOptions(temperature=0.9), repeat=0
    ).parameters == {"temperature": 1.0}


@pytest.mark.anyio
async def test_required_falls_back_to_auto_once_per_target_and_only_as_unsupported() -> None:
    refused = GatewayError("tool_choice_rejected", "tool_choice is not supported", status=400)
    gateway = FakeGateway(lambda r: refused if r.tool_choice == "required" else reply())
    made, refusals = suite(), Refusals()
    request = first_request(made, made.cases[0], TARGET, RunOptions(), repeat=0)
    for _ in range(2):
        await ask(request, gateway, patience=patience(), refusals=refusals, budget=TrialBudget(300))
    assert [r.tool_choice for r in gateway.requests] == ["required", "auto", "auto"]


@pytest.mark.anyio
@pytest.mark.parametrize("fault", ["auth", "rate_limit", "server", "bad_request"])
async def test_other_faults_never_trigger_the_fallback(fault: str) -> None:
    gateway = FakeGateway(lambda _: GatewayError(fault, "tool_choice"))
    made = suite()
    request = first_request(made, made.cases[0], TARGET, RunOptions(), repeat=0)
    with pytest.raises(GatewayError):
        await ask(
            request, gateway, patience=patience(), refusals=Refusals(), budget=TrialBudget(300)
        )
    assert len(gateway.requests) == 1


@pytest.mark.anyio
async def test_a_temperature_that_a_model_does_not_take_is_left_out_from_then_on() -> None:
    refused = GatewayError("unsupported_param", "gpt-5 does not support temperature=0", status=400)
    gateway = FakeGateway(lambda r: refused if "temperature" in r.parameters else reply())
    made, refusals = suite(), Refusals()
    request = first_request(made, made.cases[0], TARGET, RunOptions(), repeat=0)
    for _ in range(2):
        await ask(request, gateway, patience=patience(), refusals=refusals, budget=TrialBudget(300))
    assert ["temperature" in r.parameters for r in gateway.requests] == [True, False, False]


@pytest.mark.anyio
async def test_an_answer_without_a_choice_is_the_providers_failure_not_the_models() -> None:
    made = suite()
    request = first_request(made, made.cases[0], TARGET, RunOptions(), repeat=0)
    with pytest.raises(GatewayError, match="without a choice") as failed:
        await ask(
            request,
            FakeGateway(lambda _: Reply(())),
            patience=patience(),
            refusals=Refusals(),
            budget=TrialBudget(300),
        )
    assert failed.value.is_retryable
