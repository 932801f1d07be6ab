"""One comment per pull request and key, kept up to date; nobody else's is ever touched.

The first line marks it, the second is its record: the commit that it speaks of, the commit
that was accepted, and a digest of what it says. Text from outside stands below both.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from toolgauge_action.git import is_hash
from toolgauge_action.github import CannotAskGitHub
from toolgauge_action.inputs import CommentWhen
from toolgauge_action.repository import BOT, Comment, PullRequest, Repository

COMMENT_BYTES = 60_000
"""GitHub takes 65,536 characters at least, under every reading of its limit."""

Outcome = Literal["created", "updated", "unchanged", "not-wanted", "late"]
_RECORD = re.compile(r"<!-- toolgauge-record (\{[^<>]*\}) -->")


@dataclass(frozen=True, slots=True)
class Record:
    """What a comment remembers: hashes only, so that no text from outside can stand in it."""

    head: str | None = None
    accepted: str | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """What is to be said. ``is_bad_news`` decides where ``on-failure`` speaks up."""

    markdown: str
    record: Record
    is_bad_news: bool


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a message; ``url`` is None where no comment shows it."""

    outcome: Outcome
    url: str | None = None


class StickyComment:
    """The comment with this key. Every method raises ``CannotAskGitHub``."""

    def __init__(self, repository: Repository, pull_request: int, key: str) -> None:
        self._repository = repository
        self._number = pull_request
        self._marker = f"<!-- toolgauge:v1:{key} -->"

    def record(self) -> Record:
        """Return what the comment remembers; an empty record where there is none of ours."""
        mine = self._mine()
        return _record_of(mine[-1]) if mine else Record()

    def post(self, message: Message, when: CommentWhen, pull_request: PullRequest) -> Posted:
        """Return what became of a message: a comment made or changed, or why not.

        A run that is no longer about the pull request's head says nothing: a newer one
        does. ``on-change`` and ``on-failure`` keep a comment that exists up to date, so
        that it never shows what no longer holds.
        """
        if pull_request.head_sha != message.record.head:
            return Posted("late")
        mine = self._mine()
        if when == "never" or (when == "on-failure" and not message.is_bad_news and not mine):
            return Posted("not-wanted")
        body = self._body(message)
        if not mine:
            return self._created(body)
        newest = mine[-1]
        says_the_same = _record_of(newest).digest == message.record.digest
        if newest.body == body or (when == "on-change" and says_the_same):
            return Posted("unchanged", newest.url)
        return self._updated(newest, body)

    def _updated(self, comment: Comment, body: str) -> Posted:
        try:
            return Posted("updated", self._repository.update_comment(comment.id, body).url)
        except CannotAskGitHub as error:
            if error.status != 404:  # somebody has deleted it meanwhile
                raise
            return self._created(body)

    def _created(self, body: str) -> Posted:
        try:
            made = self._repository.create_comment(self._number, body)
        except CannotAskGitHub as error:
            if not error.may_have_happened:
                raise
            mine = self._mine()
            made = mine[-1] if mine else self._repository.create_comment(self._number, body)
        # two runs may have created one at the same time
        for older in self._mine():
            if older.id < made.id:
                self._repository.delete_comment(older.id)
        return Posted("created", made.url)

    def _mine(self) -> list[Comment]:
        """Return the comments with our marker that this token's owner wrote, oldest first."""
        comments = self._repository.comments(self._number)
        marked = [one for one in comments if one.body.splitlines()[:1] == [self._marker]]
        if not marked:
            return []
        viewer = self._repository.viewer()
        return [one for one in marked if _is_by(one, viewer)]

    def _body(self, message: Message) -> str:
        record = message.record
        shown = {"accepted": record.accepted, "digest": record.digest, "head": record.head}
        line = f"<!-- toolgauge-record {json.dumps(shown)} -->"
        return f"{self._marker}\n{line}\n{message.markdown}"


def _is_by(comment: Comment, viewer: str) -> bool:
    """Whether a comment is by this viewer; a bot's name is told with and without its suffix."""
    bot = viewer.removesuffix("[bot]") + "[bot]"
    if comment.is_bot:
        return comment.author == bot
    return comment.author == viewer and viewer != BOT


def _record_of(comment: Comment) -> Record:
    second = comment.body.splitlines()[1:2]
    found = _RECORD.fullmatch(second[0]) if second else None
    try:
        values = json.loads(found[1]) if found else {}
    except ValueError:
        values = {}
    known = {name: values.get(name) for name in ("head", "accepted", "digest")}
    return Record(**{name: value for name, value in known.items() if is_hash(value)})
