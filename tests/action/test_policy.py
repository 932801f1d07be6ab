from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from toolgauge.errors import UnknownTarget
from toolgauge.formats.project_file import GateDocument
from toolgauge.model.policy import Policy
from toolgauge.model.target import Target
from toolgauge.service.project import Project
from toolgauge_action.event import Event
from toolgauge_action.inputs import DEFAULT_SUITES, Inputs, read_inputs
from toolgauge_action.policy import (
    SuitesShareName,
    choose_targets,
    globs_of,
    load_distinct,
    policy_of,
)

OWN = Event("pull_request", "a" * 40, "main", 1)
FORK = Event("pull_request", "a" * 40, "main", 1, lacks_secrets=True)
SUITE = "name: {name}\n{more}test_cases: [{{prompt: hi, expected_tool: null}}]\n"


@pytest.fixture
def loaded(tmp_path: Path) -> Any:
    def of(*targets: str, name: str = "a") -> Any:
        file = tmp_path / f"{name}.yaml"
        more = f"targets: [{', '.join(targets)}]\n" if targets else ""
        file.write_text(SUITE.format(name=name, more=more))
        return load_distinct((file,))

    return of


def test_what_the_workflow_states_goes_before_the_project_file() -> None:
    project = Project(gate=GateDocument(policy="strict", max_drop=0.1, fail_on="case"))
    assert policy_of(Inputs(), project) == Policy(policy="strict", max_drop=0.1, fail_on="case")
    stated = Inputs(policy="report-only", max_drop=0.0, min_score=0.5, on_missing_baseline="fail")
    assert policy_of(stated, project) == Policy(
        policy="report-only",
        max_drop=0.0,
        min_score=0.5,
        fail_on="case",
        on_missing_baseline="fail",
    )


def test_a_default_of_the_action_does_not_overrule_the_project_file() -> None:
    project = Project(suites=("mine/*.yaml",), gate=GateDocument(max_drop=0.1))
    inputs = read_inputs({"INPUT_MAX_DROP": "0.02", "INPUT_SUITES": DEFAULT_SUITES})
    assert policy_of(inputs, project).max_drop == 0.1
    assert globs_of(inputs, project) == ("mine/*.yaml",)
    assert globs_of(Inputs(suites=("other/*",)), project) == ("other/*",)


def test_without_any_target_the_keyword_baseline_is_asked(loaded: Any) -> None:
    assert choose_targets(Inputs(), OWN, loaded(), Project()) == (("builtin/lexical",), ())


def test_suites_keep_their_own_targets_unless_the_workflow_names_others(loaded: Any) -> None:
    suites = loaded("openai/a")
    assert choose_targets(Inputs(), OWN, suites, Project()) == ((), ())
    assert choose_targets(Inputs(model=("openai/b",)), OWN, suites, Project()) == (
        ("openai/b",),
        (),
    )


def test_without_secrets_keyless_targets_stay_and_the_others_are_named(loaded: Any) -> None:
    project = Project(targets={"mine": Target("mine", "openai/x")})
    inputs = Inputs(model=("mine", "replay/a.jsonl", "builtin/lexical"))
    targets, (notice,) = choose_targets(inputs, FORK, loaded(), project)
    assert targets == ("replay/a.jsonl", "builtin/lexical")
    assert notice.details == ("mine",)


def test_without_secrets_and_keyless_targets_the_keyword_baseline_stands_in(loaded: Any) -> None:
    targets, (notice,) = choose_targets(Inputs(), FORK, loaded("openai/a"), Project())
    assert (targets, notice.details) == (("builtin/lexical",), ("openai/a",))


def test_a_keyless_gate_is_the_same_on_a_fork(loaded: Any) -> None:
    for suites in (loaded(), loaded("builtin/lexical")):
        assert choose_targets(Inputs(), FORK, suites, Project()) == choose_targets(
            Inputs(), OWN, suites, Project()
        )


def test_a_target_that_does_not_exist_is_no_reason_to_pass(loaded: Any) -> None:
    with pytest.raises(UnknownTarget):
        choose_targets(Inputs(model=("no-such",)), FORK, loaded(), Project())


def test_two_suites_of_one_name_are_refused(tmp_path: Path) -> None:
    for file in ("one.yaml", "two.yaml"):
        (tmp_path / file).write_text(SUITE.format(name="same", more=""))
    with pytest.raises(SuitesShareName, match=r"one\.yaml and .*two\.yaml"):
        load_distinct((tmp_path / "one.yaml", tmp_path / "two.yaml"))
