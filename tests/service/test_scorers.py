from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from builders import called, suite
from toolgauge.errors import UsageError
from toolgauge.gateway.extract import trajectory
from toolgauge.scoring import score_trial
from toolgauge.service import scorers
from toolgauge.service.scorers import load_scorers

OWN = """
from toolgauge.model.trial import Score

def brevity(case, trajectory):
    return Score(1.0 if len(trajectory.calls) <= 1 else 0.0, f"{len(trajectory.calls)} calls")

async def later(case, trajectory): ...
def wrong(case): ...
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_scorers", raising=False)
    (tmp_path / "own_scorers.py").write_text(OWN)
    return tmp_path


def test_a_scorer_of_ones_own_stands_beside_the_others(folder: Path) -> None:
    own = load_scorers(["brevity=own_scorers:brevity"], [folder])
    (case,) = suite().cases
    found = trajectory([called("get_weather", city="Rome")], [])
    scored = score_trial(case, found, extra=own)
    assert (scored.scores["brevity"].value, scored.scores["brevity"].reason) == (1.0, "1 calls")
    assert scored.scores["overall"] == score_trial(case, found).scores["overall"]


def test_an_installed_package_offers_scorers_by_name(folder: Path, monkeypatch) -> None:
    found = EntryPoints([EntryPoint("brevity", "own_scorers:brevity", scorers.GROUP)])
    monkeypatch.setattr(scorers, "entry_points", lambda group: found.select(group=group))
    monkeypatch.syspath_prepend(folder)
    assert list(load_scorers(["brevity"])) == ["brevity"]
    with pytest.raises(UsageError, match="installed: brevity"):
        load_scorers(["charm"])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("no_such_module:f", "ModuleNotFoundError"),
        ("own_scorers:wrong", "takes"),
        ("sys:path", "called"),
    ],
)
def test_an_entry_point_that_does_not_work_is_one_message(
    value: str, told: str, folder: Path, monkeypatch
) -> None:
    found = EntryPoints([EntryPoint("mine", value, scorers.GROUP)])
    monkeypatch.setattr(scorers, "entry_points", lambda group: found.select(group=group))
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(UsageError, match=told):
        load_scorers(["mine"])


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (["overall=own_scorers:brevity"], "another score has this name"),
        (["a=own_scorers:brevity", "a=own_scorers:brevity"], "another score has this name"),
        (["own_scorers:brevity"], "write NAME=package.module:callable"),
        (["a=own_scorers"], "write package.module:callable"),
        (["a=own_scorers:nothing"], "has no 'nothing'"),
        (["a=own_scorers:wrong"], "takes \\(case, trajectory\\)"),
        (["a=own_scorers:later"], "not an async one"),
        (["charm"], "no installed package"),
    ],
)
def test_what_is_no_scorer_is_refused_before_anything_is_asked(
    wanted: list[str], told: str, folder: Path
) -> None:
    with pytest.raises(UsageError, match=told):
        load_scorers(wanted, [folder])


def test_without_a_wish_there_are_none() -> None:
    assert load_scorers([]) == {}
