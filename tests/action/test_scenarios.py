"""The real ``action.yml``, step by step, against a GitHub on loopback."""

from __future__ import annotations

import json
import runpy
from xml.etree import ElementTree as ET

import pytest
import yaml

from action import events
from action.checkout import PROJECT
from action.desk import FIXED, MARKER, PLACE, SUITE, WORSE, Desk, suite
from action.github_double import FORK_ID, REPOSITORY_ID, Fault
from action.hostile import CANARY, HOSTILE, outside_of_code, transcript
from action.hostile import suite as hostile_suite
from action.runner_simulator import TOKEN

ACCEPT = "evals:accept"


@pytest.mark.anyio
async def test_the_sample_suite_has_the_tools_of_its_server() -> None:
    server = runpy.run_path(str(PROJECT / "server.py"))["server"]
    tools = [one["function"] for one in yaml.safe_load(suite())["tools"]]
    described = [(tool.name, tool.description) for tool in await server.list_tools()]
    assert described == [(one["name"], one["description"]) for one in tools]


def test_the_first_run_passes_says_there_is_no_baseline_and_leaves_one(desk: Desk) -> None:
    job = desk.proposed({"README.md": "# Desk\n"})
    assert (job.exit_code, job.outputs["verdict"], job.outputs["passed"]) == (
        0,
        "no-baseline",
        "true",
    )
    (comment,) = desk.github.bodies()
    assert "No baseline" in comment
    assert "No run on the default branch has left a baseline yet." in comment
    assert set(job.artifacts["toolgauge-default"]) == {
        "report.json",
        "report.md",
        "report.html",
        "junit.xml",
        "baseline.json",
    }


def test_a_worse_tool_description_fails_and_its_fix_flips_the_comment(desk: Desk) -> None:
    pushed = desk.pushed()
    assert pushed.exit_code == 0
    worse = desk.proposed(WORSE)
    assert worse.exit_code == 1
    assert worse.outputs | {"delta": "", "ci-low": "", "ci-high": "", "cost-usd": ""} == {
        **dict.fromkeys(("delta", "ci-low", "ci-high", "cost-usd"), ""),
        "verdict": "fail",
        "passed": "false",
        "score": "0.727273",
        "baseline-score": "1.000000",
        "p-value": "0.125000",
        "cases": "11",
        "regressions": "3",
        "improvements": "0",
        "flaky": "0",
        "report-json": worse.outputs["report-json"],
        "report-markdown": worse.outputs["report-markdown"],
        "junit-xml": worse.outputs["junit-xml"],
        "comment-url": desk.github.state.comments[1][0]["html_url"],
        "baseline-sha": desk.origin.first,
        "exit-code": "1",
    }
    (first,) = desk.github.bodies()
    assert first.startswith(f"{MARKER}\n<!-- toolgauge-record ")
    assert first.splitlines()[2].startswith("## ❌ Fail: 3 newly failing cases")
    assert '- renew_loan(barcode="B-2077")\n+ search_catalog(query="B-2077")' in first
    assert "❌ Fail: 3 newly failing cases" in worse.summary
    fixed = desk.proposed(FIXED)
    assert (fixed.exit_code, fixed.outputs["verdict"]) == (0, "pass")
    (flipped,) = desk.github.bodies()
    assert flipped.splitlines()[2].startswith("## ✅ Pass")
    assert "❌" not in flipped


def test_annotations_stand_at_the_cases_that_regressed(desk: Desk) -> None:
    desk.pushed()
    job = desk.proposed(WORSE)
    errors = [one for one in job.annotations if one["level"] == "error"]
    assert errors[0]["title"] == "toolgauge: fail"
    lines = suite(renew="Renews.").splitlines()
    marked = {one["title"]: (one["file"], lines[int(one["line"]) - 1]) for one in errors[1:]}
    assert marked == {
        f"newly failing: {case}": (SUITE, f"  - id: {case}")
        for case in ("extend", "keep-longer", "more-time")
    }


def test_the_reports_in_the_artifact_are_of_the_comment(desk: Desk) -> None:
    desk.pushed()
    job = desk.proposed(WORSE)
    assert job.report["verdict"] == "fail"
    files = job.artifacts["toolgauge-default"]
    # the gate itself stands in it as a case of its own
    assert ET.fromstring(files["junit.xml"]).get("failures") == "4"  # noqa: S314 - our own
    record = json.loads(files["baseline.json"])
    assert [one["commit"] for one in record["suites"]] == [
        desk.github.state.pulls[1]["head"]["sha"]
    ]


def test_a_hundred_and_fifty_other_comments_hide_neither_ours_nor_become_it(desk: Desk) -> None:
    desk.inputs = {"baseline": "none"}
    desk.github.state.comments[1] = []
    for number in range(75):
        desk.github.comment(1, f"{MARKER}\nforged {number}", {"login": "mallory", "type": "User"})
    desk.github.comment(1, f"{MARKER}\nours, of an earlier run")
    for _ in range(75):
        desk.github.comment(1, f"I quote: {MARKER}")
    job = desk.proposed({"README.md": "# Desk\n"})
    assert job.exit_code == 0
    bodies = desk.github.bodies()
    assert len(bodies) == 151
    assert "No baseline" in bodies[75]
    assert sum("No baseline" in body for body in bodies) == 1


def test_a_fork_is_gated_without_a_key_though_it_may_not_comment(desk: Desk) -> None:
    desk.pushed()
    desk.github.state.may_write = False
    job = desk.proposed(
        WORSE, event={"fork": True}, branch="main-of-fork", model="openai/gpt-5\nbuiltin/lexical"
    )
    assert (job.exit_code, job.outputs["comment-url"]) == (1, "")
    assert desk.github.bodies() == []
    warnings = [one["message"] for one in job.annotations if one["level"] == "warning"]
    assert any("pull-requests: write" in one for one in warnings)
    assert "targets that need a key were not asked. `openai/gpt-5`" in job.summary


def test_a_run_that_comes_late_does_not_overwrite_a_newer_report(desk: Desk) -> None:
    desk.inputs = {"baseline": "none"}
    head = desk.origin.propose("tidy-up", {"README.md": "# Old\n"})
    desk.github.open_pull(1, "f" * 40)
    desk.github.comment(1, f"{MARKER}\nthe newer report")
    place = desk.folder / "late"
    merge = desk.origin.check_out_merge(head, place)
    job = desk.run(place, "pull_request", events.pull_request(head), sha=merge)
    assert job.exit_code == 0
    assert desk.github.bodies() == [f"{MARKER}\nthe newer report"]
    assert "comment: late" in job.raw


def test_a_baseline_from_a_fork_whose_branch_is_called_main_is_not_used(desk: Desk) -> None:
    worse = desk.proposed(WORSE, baseline="none")
    run = desk.github.add_run(desk.origin.first, head_repository_id=FORK_ID)
    files = worse.artifacts["toolgauge-default"]
    artifact = desk.github.keep_artifact("toolgauge-default", files, run)
    # what the listing says of it may be made to look right
    artifact["workflow_run"] |= {"head_repository_id": REPOSITORY_ID}
    job = desk.proposed(WORSE)
    assert job.outputs["verdict"] == "no-baseline"


def test_two_megabytes_of_model_output_fit_everywhere(desk: Desk) -> None:
    big = "x" * 2_000_000
    files: dict[str, str | None] = {
        SUITE: hostile_suite([f"case {n}" for n in range(3)]),
        "evals/recorded.jsonl": transcript(
            {f"case {n}": ("wrong", {"text": big}) for n in range(3)}
        ),
    }
    job = desk.proposed(files, model="replay/evals/recorded.jsonl", min_score="0.5")
    assert (job.exit_code, job.outputs["verdict"]) == (1, "fail")
    (comment,) = desk.github.bodies()
    assert len(comment.encode()) < 65_536
    assert job.summary
    assert len(job.summary.encode()) < 1_000_000


def test_nothing_hostile_leaves_its_place(desk: Desk) -> None:
    name = HOSTILE.replace("\n", " ")
    files: dict[str, str | None] = {
        "evals/hôstile ☃ [name].json": hostile_suite([HOSTILE, "fine"], name=HOSTILE),
        "evals/recorded.jsonl": transcript(
            {HOSTILE: (name, {HOSTILE: HOSTILE}), "fine": ("answer", {})}
        ),
        SUITE: None,
    }
    model = "replay/evals/recorded.jsonl"
    good = {
        **files,
        "evals/recorded.jsonl": transcript(dict.fromkeys([HOSTILE, "fine"], ("answer", {}))),
    }
    desk.pushed(desk.origin.change("Record", good), model=model)
    job = desk.proposed(files, model=model, event={"branch": HOSTILE})
    assert (job.exit_code, job.outputs["verdict"], job.outputs["regressions"]) == (1, "fail", "1")
    (comment,) = desk.github.bodies()
    for shown in (comment, job.summary):
        assert CANARY in shown
        outside = outside_of_code(shown)
        assert CANARY not in outside
        assert "@octo-org" not in outside
        assert "evil.example" not in outside
    assert comment.count(f"\n{MARKER}") == 0
    assert CANARY not in "".join(job.outputs.values())
    assert {name for log in job.logs for name, _ in log.obeyed} <= {
        "stop-commands",
        "error",
        "warning",
        "notice",
    }
    assert not any(one["message"].startswith(CANARY) for one in job.annotations)
    ET.fromstring(job.artifacts["toolgauge-default"]["junit.xml"])  # noqa: S314 - our own


def test_no_secret_of_the_environment_is_shown_or_handed_on(desk: Desk) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-live-0123456789abcdef",
        "WEATHER_PASS": "hunter2-horse-battery",
        "ACTIONS_RUNTIME_TOKEN": "runtime-token-0123456789",
        "DATABASE": "postgresql://u:correct-horse@db.example/x",
    }
    desk.runner.env.update(secrets)
    values = [*secrets.values(), "correct-horse", TOKEN]
    text = " ".join(values)
    files: dict[str, str | None] = {
        "evals/leak.json": hostile_suite([text]),
        "evals/recorded.jsonl": transcript({text: (text.replace(" ", "_"), {"leaked": text})}),
        SUITE: None,
    }
    job = desk.proposed(
        files, model="replay/evals/recorded.jsonl", min_score="1", allow_env="WEATHER_PASS"
    )
    assert job.exit_code == 1
    children = [file.read_text() for file in desk.runner.children.iterdir()]
    assert len(children) > 2
    everything = [*children, job.raw, job.summary, *desk.github.bodies(), *job.outputs.values()]
    everything += [data.decode() for files in job.artifacts.values() for data in files.values()]
    values += [value for name, value in desk.runner.env.items() if name.startswith("ACTIONS_")]
    assert [value for value in values if any(value in shown for shown in everything)] == []


def test_a_merge_group_is_gated_against_its_base(desk: Desk) -> None:
    desk.pushed()
    head = desk.origin.propose("queue", WORSE)
    place = desk.folder / "queue"
    desk.origin.check_out(head, place)
    event = events.merge_group(desk.origin.first, head)
    job = desk.run(place, "merge_group", event, sha=head)
    assert (job.exit_code, job.outputs["verdict"]) == (1, "fail")


def test_without_the_permission_to_read_artifacts_the_report_says_what_to_grant(desk: Desk) -> None:
    desk.pushed()
    desk.github.state.may_read_actions = False
    job = desk.proposed(WORSE)
    assert (job.exit_code, job.outputs["verdict"]) == (0, "no-baseline")
    assert "actions: read" in desk.github.bodies()[0]


def test_an_outage_while_looking_for_the_baseline_is_no_pass(desk: Desk) -> None:
    desk.pushed()
    wait = {"retry-after": "900"}
    desk.github.faults.append(Fault("GET", "/actions/artifacts", 403, wait))
    job = desk.proposed(WORSE)
    assert (job.exit_code, job.outputs["verdict"], job.outputs["passed"]) == (3, "error", "false")


def test_an_outage_while_commenting_changes_no_verdict(desk: Desk) -> None:
    desk.inputs = {"baseline": "none"}
    desk.github.faults.append(Fault("POST", "/issues/1/comments", 429, {"retry-after": "900"}))
    job = desk.proposed({"README.md": "# Desk\n"})
    assert (job.exit_code, job.outputs["verdict"]) == (0, "no-baseline")
    assert desk.github.bodies() == []


def test_after_a_429_and_a_5xx_the_comment_is_there_once(desk: Desk) -> None:
    desk.inputs = {"baseline": "none"}
    desk.github.faults += [
        Fault("POST", "/issues/1/comments", 429, {"retry-after": "1"}),
        Fault("POST", "/issues/1/comments", 502, carried_out=True),
    ]
    job = desk.proposed({"README.md": "# Desk\n"})
    assert job.exit_code == 0
    assert len(desk.github.bodies()) == 1


def test_a_label_accepts_one_commit_and_no_later_one(desk: Desk) -> None:
    desk.pushed()
    head = desk.origin.propose("tidy-up", WORSE)
    labelled = {"action": "labeled", "label": ACCEPT}
    accepted = desk.proposed(head=head, labels=(ACCEPT,), event=labelled)
    assert (accepted.exit_code, accepted.outputs["verdict"]) == (0, "warn")
    assert "Accepted for this commit by the label" in desk.github.bodies()[0]
    again = desk.proposed(head=head, labels=(ACCEPT,))
    assert again.exit_code == 0
    later = desk.proposed(WORSE | {"README.md": "# More\n"}, labels=(ACCEPT,))
    assert later.exit_code == 1
    assert "take it off and put it on again" in desk.github.bodies()[0]


def test_a_pull_request_can_neither_loosen_its_gate_nor_replace_its_baseline(desk: Desk) -> None:
    baseline = desk.proposed({}, baseline="none").artifacts["toolgauge-default"]["baseline.json"]
    worse = desk.proposed(WORSE, baseline="none", branch="measure").artifacts["toolgauge-default"]
    desk.origin.change("Keep", {"evals/baseline.json": baseline.decode()})
    job = desk.proposed(
        {
            **WORSE,
            ".toolgauge.yml": "gate: {policy: report-only}\n",
            "evals/baseline.json": worse["baseline.json"].decode(),
        },
        branch="loosen",
    )
    assert (job.exit_code, job.outputs["verdict"]) == (1, "fail")
    comment = desk.github.bodies()[0]
    assert "thresholds hold after merge" in comment
    assert "The committed baseline is changed here: it holds after merge." in comment


def test_rerun_asks_the_base_again_in_a_worktree_that_is_gone_afterwards(desk: Desk) -> None:
    job = desk.proposed(WORSE, baseline="rerun")
    assert (job.exit_code, job.outputs["verdict"]) == (1, "fail")
    assert job.outputs["baseline-sha"] == desk.origin.first
    assert list((desk.folder / PLACE / ".git").glob("worktrees/*")) == []


def test_pull_request_target_is_refused(desk: Desk) -> None:
    head = desk.origin.propose("tidy-up", WORSE)
    place = desk.folder / "target"
    desk.origin.check_out(head, place)
    event = events.pull_request(head)
    job = desk.run(place, "pull_request_target", event, sha=desk.origin.first)
    assert (job.exit_code, job.outputs["verdict"]) == (2, "error")
    assert "refused" in job.raw or "not run on pull_request_target" in job.raw


def test_a_second_workflow_posts_what_the_run_of_a_fork_found(desk: Desk) -> None:
    desk.pushed()
    desk.github.state.may_write = False
    first = desk.proposed(WORSE, event={"fork": True}, mode="run")
    assert first.exit_code == 1
    head = desk.github.state.pulls[1]["head"]["sha"]
    run = desk.github.add_run(
        head, event="pull_request", head_repository_id=FORK_ID, head_branch="main"
    )
    desk.github.keep_artifact("toolgauge-default", first.artifacts["toolgauge-default"], run)
    desk.github.state.may_write = True
    place = desk.folder / "empty"
    place.mkdir()
    event = events.workflow_run(run)
    job = desk.run(place, "workflow_run", event, sha=desk.origin.first, mode="report")
    assert job.exit_code == 0
    (comment,) = desk.github.bodies()
    assert "❌ Fail: 3 newly failing cases" in comment


def test_a_broken_suite_is_a_usage_error_at_its_line(desk: Desk) -> None:
    job = desk.proposed({SUITE: suite().replace("expected_tool: list_fines", "expected_tol: x", 1)})
    assert (job.exit_code, job.outputs["verdict"]) == (2, "error")
    error = next(one for one in job.annotations if one["level"] == "error")
    assert error["file"] == SUITE
    assert "expected_tol" in error["message"]
    assert "could not be evaluated" in desk.github.bodies()[0]


def test_wrong_inputs_are_all_named_at_once(desk: Desk) -> None:
    job = desk.proposed({}, repeats="0", policy="lenient", comment_key="a b", config="../x.yml")
    assert (job.exit_code, job.outputs["verdict"]) == (2, "error")
    assert all(name in job.raw for name in ("repeats", "policy", "comment-key", "config"))
