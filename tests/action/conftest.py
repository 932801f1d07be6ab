from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from action.checkout import Origin
from action.desk import Desk
from action.fake_clock import FakeClock
from action.github_double import REPOSITORY, GitHubDouble
from action.runner_simulator import Runner
from toolgauge_action.github import Clock, GitHub
from toolgauge_action.repository import Repository


@pytest.fixture
def github() -> Iterator[GitHubDouble]:
    """A GitHub that held every request and answer against its own description."""
    with GitHubDouble() as double:
        yield double
    assert double.violations == []
    assert double.leaks == [], "the token was sent to the storage of artifacts"


@pytest.fixture
def desk(tmp_path: Path, github: GitHubDouble) -> Desk:
    """The sample repository, with a run on main behind it where a test asks for one."""
    return Desk(
        Origin(tmp_path), github, Runner(tmp_path / "machine", github), tmp_path / "checkouts"
    )


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def client(github: GitHubDouble, clock: FakeClock) -> Iterator[GitHub]:
    """The client that the action has, but for its clock."""
    with httpx.Client(
        base_url=github.url,
        follow_redirects=True,
        headers={"Authorization": "Bearer t"},
        trust_env=False,
    ) as http:
        yield GitHub(http, Clock(lambda: clock.time, clock.sleep, lambda: 0.5))


@pytest.fixture
def repository(client: GitHub) -> Repository:
    return Repository(client, REPOSITORY)
