"""What an agent should know to use the tools well, by topic."""

from __future__ import annotations

from types import MappingProxyType

_SUITES = """\
# Suites

A suite is an object with `name`, `tools` (as OpenAI takes them, or `{"mcp": SERVER}`) and
`test_cases`. A case has a `prompt` (or `messages`) and one expectation:

- `expected_tool` with `expected_params`: this one call. A list of names allows each of them.
- `expected_tool: null`: no call at all.
- `expected_calls`: several calls, each `{tool, params, optional}`; `order` says how strictly.
- `expect_any_call: true`: whatever, as long as something is called.

`param_scoring` compares arguments: `exact` by default. A case with `critical: true` fails a gate
by itself. Write cases that differ: near misses between similar tools, missing arguments, and
prompts for which nothing should be called. The schema is at toolgauge://schema/suite.
"""

_SCORES = """\
# Scores

All are in [0, 1]; null where a case does not define one. `tool`: was the right tool called.
`params`: the share of expected arguments that agree. `overall`: their weighted mean, 0.6 and 0.4
by default. `exact_match`: everything as expected. A trial passes when `overall` reaches the
suite's `pass_threshold` (1 by default). Every score has a reason from which it can be recomputed.
A trial that errored has no score and is in no mean.
"""

_RUNS = """\
# Runs

`start_run` returns at once. `get_run` with `wait_s` waits up to 50 s; call it again while the
status is `running`. Statuses: `completed`, `failed` (a target gave up), `cancelled`, `truncated`
(the budget of money was reached). What was finished is always kept. `builtin/lexical` needs no
model and no key: a floor to compare with. Repeats show how steady a model is; use 3 or more
before comparing.
"""

_COMPARING = """\
# Comparing

`compare_runs` pairs cases that expect the same and tests whether a difference is chance: exact
tests within cases, so few repeats can only show large drops. Read `reason` and the interval, not
the delta alone. To compare over time, put runs into an experiment: its first completed run is the
baseline until `pin_baseline` names another, and `run_best` repeats its best configuration.
"""

TOPICS = MappingProxyType(
    {"suites": _SUITES, "scores": _SCORES, "runs": _RUNS, "comparing": _COMPARING}
)
"""Markdown by topic."""
