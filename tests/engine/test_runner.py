from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from builders import FakeGateway, Kept, called, reply, said, suite
from toolgauge.engine.plan import Plan
from toolgauge.engine.runner import run_plan
from toolgauge.errors import GatewayError
from toolgauge.model.run import RunOptions
from toolgauge.model.target import Target
from toolgauge.model.trial import TrialKey

pytestmark = pytest.mark.anyio


def cases(count: int) -> list[dict]:
    return [
        {"id": f"c{n}", "prompt": f"Weather in city {n}?", "expected_tool": "get_weather"}
        for n in range(count)
    ]


def plan(count: int = 3, *targets: str, **options: object) -> Plan:
    names = targets or ("openai/a",)
    return Plan(suite(*cases(count)), tuple(Target(n, n) for n in names), RunOptions(**options))


async def test_every_case_is_asked_of_every_target_as_often_as_wanted() -> None:
    kept = Kept()
    done = await run_plan(
        plan(3, "openai/a", "openai/b", repeats=2), kept.parts(FakeGateway()), job_id="j"
    )
    asked = {(t.key.target, t.key.case_id, t.key.repeat) for t in kept.trials}
    assert asked == {
        (target, f"c{n}", repeat)
        for target in ("openai/a", "openai/b")
        for n in range(3)
        for repeat in range(2)
    }
    assert [(s.target, s.n_trials, s.n_passed) for s in done.summaries] == [
        ("openai/a", 6, 6),
        ("openai/b", 6, 6),
    ]


async def test_a_deterministic_target_is_asked_once_whatever_repeats_says() -> None:
    kept = Kept()
    await run_plan(plan(2, "builtin/lexical", repeats=5), kept.parts(FakeGateway()), job_id="j")
    assert len(kept.trials) == 2


async def test_what_is_finished_is_not_asked_again() -> None:
    kept = Kept()
    whole = plan(3)
    resumed = Plan(
        whole.suite, whole.targets, whole.options, frozenset({TrialKey("c1", "openai/a", 0)})
    )
    await run_plan(resumed, kept.parts(FakeGateway()), job_id="j")
    assert sorted(t.key.case_id for t in kept.trials) == ["c0", "c2"]


async def test_one_case_that_fails_costs_one_trial_never_its_neighbours() -> None:
    def answer(request):
        return GatewayError("bad_request", "no") if request.case_id == "c1" else reply()

    kept = Kept()
    done = await run_plan(plan(3), kept.parts(FakeGateway(answer)), job_id="j")
    errored = [t for t in kept.trials if t.error]
    assert [(t.key.case_id, t.error.kind, t.passed, t.scored) for t in errored] == [
        ("c1", "provider", None, None)
    ]
    assert (done.summaries[0].n_errored, done.summaries[0].n_passed) == (1, 2)


async def test_a_crash_in_an_adapter_is_one_errored_trial() -> None:
    def answer(request):
        if request.case_id == "c1":
            raise ZeroDivisionError
        return reply()

    kept = Kept()
    await run_plan(plan(3), kept.parts(FakeGateway(answer)), job_id="j")
    assert sum(t.error is not None for t in kept.trials) == 1


async def test_models_of_one_provider_run_in_turn_and_providers_side_by_side() -> None:
    running: set[str] = set()
    together: set[frozenset[str]] = set()

    async def answer(request):
        running.add(request.target.name)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
            together.add(frozenset(running))
        running.discard(request.target.name)
        return reply()

    kept = Kept()
    await run_plan(
        plan(4, "one/a", "one/b", "two/c", concurrency=1),
        kept.parts(FakeGateway(answer)),
        job_id="j",
    )
    assert frozenset({"one/a", "one/b"}) not in together
    assert frozenset({"one/a", "two/c"}) in together


async def test_no_more_trials_are_under_way_than_concurrency_allows() -> None:
    now, most = [0], [0]

    async def answer(_request):
        now[0] += 1
        most[0] = max(most[0], now[0])
        await anyio.lowlevel.checkpoint()
        now[0] -= 1
        return reply()

    await run_plan(plan(30, concurrency=4), Kept().parts(FakeGateway(answer)), job_id="j")
    assert most[0] == 4


async def test_events_come_in_the_order_of_the_first_system() -> None:
    kept = Kept()
    await run_plan(plan(2, concurrency=1), kept.parts(FakeGateway()), job_id="j")
    assert [event.type for event in kept.events] == [
        "tool_eval_init",
        *(["job_progress", "tool_eval_progress", "tool_eval_result"] * 2),
        "tool_eval_summary",
    ]
    assert kept.events[0].total_cases == 2
    assert [e.current for e in kept.events if e.type == "tool_eval_progress"] == [1, 2]


async def test_a_trial_is_kept_before_it_is_told() -> None:
    kept = Kept()
    order: list[str] = []

    async def sink(*_trials) -> None:
        order.append("kept")

    async def emit(event) -> None:
        if event.type == "tool_eval_result":
            order.append("told")

    parts = kept.parts(FakeGateway())
    await run_plan(
        plan(1),
        type(parts)(parts.gateway, sink, emit, parts.cost_of, parts.clock, parts.rng),
        job_id="j",
    )
    assert order == ["kept", "told"]


async def test_a_worker_asks_on_while_its_trial_is_being_kept() -> None:
    kept, asked_on = Kept(), anyio.Event()

    def answer(request):
        if request.case_id == "c1":
            asked_on.set()
        return reply()

    async def sink(*trials) -> None:
        with anyio.fail_after(5):
            await asked_on.wait()
        await kept.sink(*trials)

    parts = replace(kept.parts(FakeGateway(answer)), sink=sink)
    await run_plan(plan(3, concurrency=1), parts, job_id="j")
    assert len(kept.trials) == 3


async def test_no_more_trials_wait_to_be_kept_than_workers_ask() -> None:
    asked: list[str] = []
    most_ahead = [0]
    kept = Kept()

    def answer(request):
        asked.append(request.case_id)
        return reply()

    async def slow_sink(*trials) -> None:
        for _ in range(50):
            await anyio.lowlevel.checkpoint()
        most_ahead[0] = max(most_ahead[0], len(asked) - len(kept.trials))
        await kept.sink(*trials)

    parts = replace(kept.parts(FakeGateway(answer)), sink=slow_sink)
    await run_plan(plan(40, concurrency=2), parts, job_id="j")
    assert len(kept.trials) == 40
    assert most_ahead[0] <= 4


async def test_what_is_finished_when_a_run_is_stopped_is_kept() -> None:
    kept = Kept()
    keeping = anyio.Event()

    async def sink(*trials) -> None:
        await kept.sink(*trials)
        if not keeping.is_set():
            keeping.set()
            await anyio.sleep_forever()

    answered: list[str] = []

    async def answer(request):
        if keeping.is_set() and len(answered) == 3:
            scope.cancel()
            await anyio.sleep_forever()
        answered.append(request.case_id)
        return reply()

    parts = replace(kept.parts(FakeGateway(answer)), sink=sink)
    with anyio.CancelScope() as scope:
        await run_plan(plan(9, concurrency=2), parts, job_id="j")
    assert [trial.key.case_id for trial in kept.trials] == answered


async def test_a_target_without_a_key_is_given_up_after_its_first_trials() -> None:
    gateway = FakeGateway(lambda _: GatewayError("setup", "set OPENAI_API_KEY"))
    kept = Kept()
    done = await run_plan(plan(100, concurrency=2), kept.parts(gateway), job_id="j")
    assert len(kept.trials) <= 3
    assert done.given_up["openai/a"].message == "set OPENAI_API_KEY"


async def test_a_server_that_never_answers_is_given_up_but_one_that_did_once_is_not() -> None:
    def dead(_request):
        return GatewayError("connection", "refused")

    kept = Kept()
    given_up = await run_plan(
        plan(100, concurrency=2, attempts=1), kept.parts(FakeGateway(dead)), job_id="j"
    )
    assert len(kept.trials) < 12
    assert "openai/a" in given_up.given_up

    flaky, later = Kept(), FakeGateway(lambda r: reply() if r.case_id == "c0" else dead(r))
    done = await run_plan(plan(30, attempts=1, concurrency=1), flaky.parts(later), job_id="j")
    assert (len(flaky.trials), done.given_up) == (30, {})


async def test_a_recording_without_an_answer_costs_that_trial_alone() -> None:
    def answer(request):
        return reply() if request.case_id == "c2" else GatewayError("not_found", "no answer")

    kept = Kept()
    done = await run_plan(
        plan(3, "replay/x.jsonl", concurrency=1), kept.parts(FakeGateway(answer)), job_id="j"
    )
    assert (len(kept.trials), done.given_up) == (3, {})


async def test_a_trial_shows_what_was_sent_how_often_and_what_came_back() -> None:
    left = [1]

    def answer(_request):
        if left[0]:
            left[0] -= 1
            return GatewayError("server", "503", retry_after_s=0)
        return reply(tool_choice_sent="auto")

    kept = Kept()
    await run_plan(plan(1), kept.parts(FakeGateway(answer)), job_id="j")
    (trial,) = kept.trials
    assert (trial.attempts, trial.tool_choice_used, trial.format) == (2, "auto", "native")
    assert trial.messages == (called("get_weather", city="Paris"),)


async def test_semantic_parameters_are_compared_by_vectors_fetched_once_per_text() -> None:
    case = {
        "id": "a",
        "prompt": "p",
        "expected_tool": "get_weather",
        "expected_params": {"city": "the French capital"},
        "param_scoring": "semantic",
    }
    gateway, kept = FakeGateway(), Kept()
    one = Plan(
        suite(case),
        (Target("openai/a", "openai/a"),),
        RunOptions(repeats=3, embedding_model="openai/e", concurrency=1),
    )
    await run_plan(one, kept.parts(gateway), job_id="j")
    assert [sorted(texts) for texts in gateway.embedded] == [["Paris", "the French capital"]]
    assert all(trial.error is None for trial in kept.trials)


async def test_a_scorer_that_cannot_finish_is_an_error_of_that_trial() -> None:
    case = {
        "id": "a",
        "prompt": "p",
        "expected_tool": "get_weather",
        "expected_params": {"city": "(a|aa)+$"},
        "param_scoring": "regex",
    }
    gateway = FakeGateway(lambda _: reply(called("get_weather", city="a" * 60 + "!")))
    kept = Kept()
    one = Plan(suite(case), (Target("openai/a", "openai/a"),), RunOptions())
    await run_plan(one, kept.parts(gateway), job_id="j")
    assert kept.trials[0].error.kind == "scoring"
    assert "(a|aa)+$" in kept.trials[0].error.message


async def test_a_model_that_says_nothing_callable_is_scored_not_errored() -> None:
    kept = Kept()
    await run_plan(plan(1), kept.parts(FakeGateway(lambda _: reply(said("hello")))), job_id="j")
    assert (kept.trials[0].error, kept.trials[0].scored.failure_kind) == (None, "no_call")
