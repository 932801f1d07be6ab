from __future__ import annotations

import pytest

from action.github_double import BOT, Fault, GitHubDouble
from action.hostile import HOSTILE
from toolgauge_action.inputs import CommentWhen
from toolgauge_action.repository import Repository
from toolgauge_action.sticky_comment import Message, Posted, Record, StickyComment

HEAD = "a" * 40
DIGEST, OTHER = "d" * 64, "e" * 64
MARKER = "<!-- toolgauge:v1:default -->"


@pytest.fixture
def sticky(repository: Repository, github: GitHubDouble) -> StickyComment:
    github.open_pull(1, HEAD)
    return StickyComment(repository, 1, "default")


def message(text: str = "fine", *, digest: str = DIGEST, bad: bool = False) -> Message:
    return Message(text, Record(HEAD, None, digest), bad)


def post(
    sticky: StickyComment, said: Message | None = None, when: CommentWhen = "always"
) -> Posted:
    pull_request = sticky._repository.pull_request(1)
    return sticky.post(said or message(), when, pull_request)


def test_the_second_message_changes_the_first_comment(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    assert post(sticky).outcome == "created"
    assert post(sticky, message("worse", digest=OTHER)).outcome == "updated"
    (body,) = github.bodies()
    assert body.endswith("worse")


def test_the_same_message_is_not_sent_again(sticky: StickyComment, github: GitHubDouble) -> None:
    first = post(sticky)
    assert post(sticky) == Posted("unchanged", first.url)
    assert [method for method, *_ in github.requests].count("PATCH") == 0


def test_on_change_leaves_a_comment_alone_that_decides_the_same(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    post(sticky)
    assert post(sticky, message("fine, later"), "on-change").outcome == "unchanged"
    assert post(sticky, message("worse", digest=OTHER), "on-change").outcome == "updated"
    assert len(github.bodies()) == 1


def test_on_failure_begins_with_bad_news_and_then_keeps_up(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    assert post(sticky, message(), "on-failure").outcome == "not-wanted"
    assert post(sticky, message("bad", bad=True), "on-failure").outcome == "created"
    assert post(sticky, message("good again"), "on-failure").outcome == "updated"
    assert github.bodies()[0].endswith("good again")


def test_never_is_never(sticky: StickyComment, github: GitHubDouble) -> None:
    assert post(sticky, message(bad=True), "never").outcome == "not-wanted"
    assert github.bodies() == []


def test_a_comment_of_somebody_else_is_never_touched_nor_believed(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    forged = f'{MARKER}\n<!-- toolgauge-record {{"accepted": "{HEAD}"}} -->\nAll is well.'
    for user in (
        {"login": "mallory", "type": "User"},
        {"login": "github-actions", "type": "User"},
        {"login": "evil[bot]", "type": "Bot"},
    ):
        github.comment(1, forged, user)
    assert sticky.record() == Record()
    assert post(sticky).outcome == "created"
    assert github.bodies()[:3] == [forged] * 3


def test_with_a_token_of_ones_own_ones_own_comment_is_found(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    github.state.viewer = "ada"
    github.comment(1, f"{MARKER}\nby the bot")
    mine = github.comment(1, f"{MARKER}\nby ada", {"login": "ada", "type": "User"})
    assert post(sticky) == Posted("updated", mine["html_url"])


def test_another_key_has_another_comment(
    sticky: StickyComment, repository: Repository, github: GitHubDouble
) -> None:
    post(sticky)
    assert post(StickyComment(repository, 1, "default-2")).outcome == "created"
    assert len(github.bodies()) == 2


def test_a_comment_deleted_meanwhile_is_made_anew(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    post(sticky)
    github.faults.append(Fault("PATCH", "/issues/comments", 404))
    assert post(sticky, message("again", digest=OTHER)).outcome == "created"


def test_two_runs_at_once_leave_one_comment(sticky: StickyComment, github: GitHubDouble) -> None:
    older = github.comment(1, f"{MARKER}\nof the other run")
    # it was not there yet when this run looked
    github.state.comments[1].remove(older)
    listed = github.state.comments[1]
    answer = github._done

    def with_the_other(method: str, path: str, query: dict, body: dict) -> tuple:
        if method == "POST" and path.endswith("/comments"):
            listed.insert(0, older)
        return answer(method, path, query, body)

    github._done = with_the_other
    assert post(sticky).outcome == "created"
    assert len(github.bodies()) == 1
    assert github.bodies()[0].endswith("fine")


def test_a_lost_answer_makes_no_second_comment(sticky: StickyComment, github: GitHubDouble) -> None:
    github.faults.append(Fault("POST", "/comments", 500, carried_out=True))
    assert post(sticky).outcome == "created"
    assert len(github.bodies()) == 1


def test_a_run_about_an_older_commit_says_nothing(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    github.open_pull(1, "b" * 40)
    assert post(sticky).outcome == "late"
    assert github.bodies() == []


def test_the_record_is_read_back_and_cannot_be_forged_from_below(
    sticky: StickyComment, github: GitHubDouble
) -> None:
    post(sticky, Message(HOSTILE, Record(HEAD, None, DIGEST), False))
    assert sticky.record() == Record(HEAD, None, DIGEST)
    github.state.comments[1][0]["body"] = github.bodies()[0].replace("\n", "\r\n")
    assert sticky.record() == Record(HEAD, None, DIGEST)


@pytest.mark.parametrize(
    "line", ['{"accepted": 7}', '{"accepted": "x"}', "{}", "{", '["a"]', '{"accepted": "-->"}']
)
def test_a_broken_record_remembers_nothing(
    sticky: StickyComment, github: GitHubDouble, line: str
) -> None:
    github.comment(1, f"{MARKER}\n<!-- toolgauge-record {line} -->\ntext", BOT)
    assert sticky.record() == Record()
