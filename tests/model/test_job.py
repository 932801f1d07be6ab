from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from toolgauge.errors import CannotMove, Superseded
from toolgauge.model.job import Job, JobState, moved

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=1)
QUEUED = Job("job-1", "run", {}, NOON)
RUNNING = moved(QUEUED, "running", now=NOON, executor="p1")
STATES: tuple[JobState, ...] = get_args(JobState)
WAYS = {
    ("queued", "running"),
    ("queued", "cancelled"),
    ("running", "completed"),
    ("running", "failed"),
    ("running", "cancelled"),
    ("running", "truncated"),
    ("running", "queued"),
    ("failed", "queued"),
    ("cancelled", "queued"),
    ("truncated", "queued"),
}


@pytest.mark.parametrize("start", STATES)
@pytest.mark.parametrize("to", STATES)
def test_only_the_listed_ways_exist(start: JobState, to: JobState) -> None:
    job = replace(QUEUED, state=start)
    if (start, to) in WAYS:
        assert moved(job, to, now=LATER).state == to
    else:
        with pytest.raises(CannotMove) as refused:
            moved(job, to, now=LATER)
        assert (refused.value.state, refused.value.wanted) == (start, to)


def test_taking_a_job_stamps_it_and_counts_the_attempt() -> None:
    assert (RUNNING.executor, RUNNING.started_at, RUNNING.attempts) == ("p1", NOON, 1)


@pytest.mark.parametrize("to", ["completed", "failed", "cancelled", "truncated"])
def test_ending_a_job_stamps_it_and_frees_its_process(to: JobState) -> None:
    over = moved(RUNNING, to, now=LATER, executor="p1", error="why")
    assert (over.finished_at, over.executor, over.error) == (LATER, None, "why")
    assert over.is_over


def test_resuming_clears_what_ended_it_and_keeps_its_progress() -> None:
    ended = replace(RUNNING, done=7, failed=1, cancel_requested=True)
    again = moved(moved(ended, "cancelled", now=LATER, error="stop"), "queued", now=LATER)
    assert again == replace(QUEUED, done=7, failed=1, attempts=1)
    assert not again.is_over


def test_only_its_own_process_ends_a_running_job() -> None:
    with pytest.raises(Superseded):
        moved(RUNNING, "completed", now=LATER, executor="p2")
    assert moved(RUNNING, "completed", now=LATER).state == "completed"
    assert moved(RUNNING, "queued", now=LATER, executor="p2").executor is None
