from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
SUITES = sorted(path for path in GOLDEN.glob("*.json") if path.name != "invalid_suites.json")


def same(got: Any, expected: Any) -> bool:
    """Compare as the vectors say: numbers within 1e-9, everything else exactly."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return got.keys() == expected.keys() and all(same(got[k], expected[k]) for k in expected)
    if isinstance(expected, list) and isinstance(got, list):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, bool) or isinstance(got, bool) or expected is None:
        return got is expected
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return abs(got - expected) <= 1e-9 or got == expected
    return type(got) is type(expected) and got == expected


def differences(trial: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    wrong = [
        f"{name}: {trial['scores'].get(name, 'missing')} is not {value}"
        for name, value in expected["scores"].items()
        if name not in trial["scores"] or not same(trial["scores"][name], value)
    ]
    fields = ("passed", "failure_kind", "format", "schema_valid", "calls")
    return wrong + [
        f"{name}: {trial[name]} is not {expected[name]}"
        for name in fields
        if name in expected and not same(trial[name], expected[name])
    ]


@pytest.mark.parametrize("vectors", SUITES, ids=lambda path: path.stem)
def test_every_vector_passes_end_to_end(vectors: Path, toolgauge, tmp_path: Path) -> None:
    golden = json.loads(vectors.read_text())
    (tmp_path / "suite.json").write_text(json.dumps(golden["suite"]))
    lines = [json.dumps(line) for line in golden["transcripts"]]
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n")
    scored = toolgauge("score", "suite.json", "--transcripts", "t.jsonl", "--json").json()
    by_key = {(t["case_id"], t["target"], t["repeat"]): t for t in scored["trials"]}
    wrong = {
        expected["note"]: found
        for expected in golden["expected"]
        if (
            found := differences(
                by_key[expected["case_id"], expected["target"], expected["repeat"]], expected
            )
        )
    }
    assert wrong == {}
    assert len(golden["expected"]) == len(scored["trials"])
    for name, mean in golden.get("aggregate", {}).items():
        assert same(scored["aggregate"][name], mean), name


def line(case_id: str, **fields: Any) -> str:
    return json.dumps({"case_id": case_id, "target": "x/y", "repeat": 0, "messages": []} | fields)


def test_a_table_shows_the_means_and_what_failed(toolgauge, weather, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(line("paris") + "\n" + line("thanks") + "\n")
    done = toolgauge("score", weather, "-t", "t.jsonl")
    assert done.code == 0
    assert "1/2 50%" in done.out
    assert "no_call" in done.out


def test_a_recorded_failure_is_an_error_never_a_zero(toolgauge, weather, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(line("paris", error="timed out") + "\n" + line("thanks"))
    scored = toolgauge("score", weather, "-t", "t.jsonl", "--json").json()
    assert set(scored["trials"][0]["scores"].values()) == {None}
    assert scored["aggregate"]["overall"] == {
        "macro": 1.0,
        "n": 1,
        "n_unscored": 0,
        "n_errored": 1,
    }


def test_a_line_about_an_unknown_case_is_named_with_its_line(toolgauge, weather, tmp_path) -> None:
    (tmp_path / "t.jsonl").write_text(line("paris") + "\n" + line("rome") + "\n")
    done = toolgauge("score", weather, "-t", "t.jsonl")
    assert done.code == 2
    assert "line 2" in done.err
    assert "rome" in done.err
