from __future__ import annotations

import pytest

from action.fake_clock import FakeClock
from action.github_double import REPOSITORY, Fault, GitHubDouble
from toolgauge_action.github import CannotAskGitHub, GitHub, connect

PULL = f"/repos/{REPOSITORY}/pulls/1"
COMMENTS = f"/repos/{REPOSITORY}/issues/1/comments"
SHA = "a" * 40


@pytest.fixture(autouse=True)
def _opened(github: GitHubDouble) -> None:
    github.open_pull(1, SHA)


def test_a_server_error_is_asked_again_after_growing_pauses(
    client: GitHub, github: GitHubDouble, clock: FakeClock
) -> None:
    github.faults += [Fault("GET", "/pulls", status) for status in (500, 502, 503)]
    assert client.get(PULL)["head"]["sha"] == SHA
    assert clock.slept == [1.5, 2.5, 4.5]


def test_a_limit_is_waited_for_as_long_as_github_says(
    client: GitHub, github: GitHubDouble, clock: FakeClock
) -> None:
    reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(clock.time) + 20)}
    github.faults += [
        Fault("GET", "/pulls", 429, {"retry-after": "7"}),
        Fault("GET", "/pulls", 403, reset),
    ]
    assert client.get(PULL)["number"] == 1
    assert clock.slept == [7.0, 13.0]


def test_a_secondary_limit_without_a_time_is_waited_for_a_minute(
    client: GitHub, github: GitHubDouble, clock: FakeClock
) -> None:
    said = "You have exceeded a secondary rate limit."
    github.faults.append(Fault("GET", "/pulls", 403, message=said))
    assert client.get(PULL)["number"] == 1
    assert clock.slept == [60.0]


def test_what_would_take_longer_than_two_minutes_is_given_up_at_once(
    client: GitHub, github: GitHubDouble, clock: FakeClock
) -> None:
    github.faults.append(Fault("GET", "/pulls", 429, {"retry-after": "3600"}))
    with pytest.raises(CannotAskGitHub) as caught:
        client.get(PULL)
    assert (clock.slept, caught.value.is_refusal) == ([], False)


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_a_refusal_is_not_asked_again(
    client: GitHub, github: GitHubDouble, clock: FakeClock, status: int
) -> None:
    github.faults.append(Fault("GET", "/pulls", status, message="Resource not accessible"))
    with pytest.raises(CannotAskGitHub, match="Resource not accessible") as caught:
        client.get(PULL)
    assert (clock.slept, caught.value.status, caught.value.is_refusal) == ([], status, True)


def test_a_comment_that_may_have_been_made_is_not_made_again(
    client: GitHub, github: GitHubDouble
) -> None:
    github.faults.append(Fault("POST", "/comments", 502, carried_out=True))
    with pytest.raises(CannotAskGitHub) as caught:
        client.write("POST", COMMENTS, {"body": "x"})
    assert caught.value.may_have_happened
    assert len(github.bodies()) == 1


def test_writes_are_a_second_apart(client: GitHub, github: GitHubDouble, clock: FakeClock) -> None:
    for number in range(3):
        client.write("POST", COMMENTS, {"body": str(number)})
    assert clock.slept == [1.0, 1.0]
    assert github.bodies() == ["0", "1", "2"]


def test_every_page_of_a_list_is_read(client: GitHub, github: GitHubDouble) -> None:
    for number in range(250):
        github.comment(1, str(number))
    assert [one["body"] for one in client.pages(COMMENTS)] == [str(n) for n in range(250)]
    assert len(github.requests) == 3


def test_a_download_follows_to_the_storage_without_the_token_and_within_its_limit(
    client: GitHub, github: GitHubDouble
) -> None:
    run = github.add_run(SHA)
    artifact = github.keep_archive("a", b"x" * 5000, run)
    path = f"/repos/{REPOSITORY}/actions/artifacts/{artifact['id']}/zip"
    assert client.raw(path, most=5000) == b"x" * 5000
    with pytest.raises(CannotAskGitHub, match="larger than 4,999 bytes"):
        client.raw(path, most=4999)


def test_nobody_listening_is_an_error_that_names_no_token(clock: FakeClock) -> None:
    github = connect("http://127.0.0.1:9", "ghs_secret")
    github._clock = type(github._clock)(lambda: clock.time, clock.sleep, lambda: 0.0)
    with pytest.raises(CannotAskGitHub) as caught:
        github.get(PULL)
    assert "ghs_secret" not in str(caught.value)
    assert caught.value.status is None
    github._http.close()
