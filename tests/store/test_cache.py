from __future__ import annotations

from typing import Any

import pytest
from store_builders import a_question, at

from toolgauge.gateway.caching import ReplyStore
from toolgauge.store.cache import StoredReplies, explain
from toolgauge.store.database import Database

pytestmark = pytest.mark.anyio
ANSWER = {"messages": [{"role": "assistant", "content": "\x00 \ud83d"}], "usage": None}


def replies_at(database: Database, minutes: float = 0) -> ReplyStore:
    return StoredReplies(database, lambda: at(minutes))


@pytest.fixture
def replies(database: Database) -> ReplyStore:
    return replies_at(database)


async def test_a_kept_answer_is_found_again(replies: ReplyStore) -> None:
    assert await replies.find(a_question()) is None
    await replies.keep(a_question(), ANSWER)
    assert await replies.find(a_question()) == ANSWER


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/gpt-y"},
        {"parameters": {"temperature": 0}},
        {"messages": ({"role": "user", "content": "Weather in Rome?"},)},
        {"tools": ()},
        {"tool_choice": "auto"},
        {"repeat": 1},
    ],
)
async def test_every_part_of_the_question_and_the_repeat_tell_answers_apart(
    replies: ReplyStore, change: dict[str, Any]
) -> None:
    await replies.keep(a_question(), ANSWER)
    assert await replies.find(a_question(**change)) is None


async def test_the_name_of_the_case_does_not_matter(replies: ReplyStore) -> None:
    await replies.keep(a_question(case_id="paris"), ANSWER)
    assert await replies.find(a_question(case_id="renamed")) == ANSWER


async def test_the_first_answer_stays(replies: ReplyStore) -> None:
    await replies.keep(a_question(), ANSWER)
    await replies.keep(a_question(), {"messages": []})
    assert await replies.find(a_question()) == ANSWER


async def test_a_stored_request_is_explained_as_stored(
    database: Database, replies: ReplyStore
) -> None:
    await replies.keep(a_question(), ANSWER)
    found = await explain(database, a_question())
    assert found.is_stored
    assert (found.stored_at, found.differences) == (at(0), ())


async def test_a_changed_tool_is_shown_as_a_diff(database: Database, replies: ReplyStore) -> None:
    await replies.keep(a_question(), ANSWER)
    tool = {"type": "function", "function": {"name": "get_weather", "description": "Neü"}}
    found = await explain(database, a_question(tools=(tool,)))
    assert not found.is_stored
    assert found.nearest_key == a_question().key
    (difference,) = found.differences
    assert difference.part == "tools"
    assert '+      "description": "Neü",' in difference.diff
    assert difference.diff[:2] == ("--- stored", "+++ asked")


async def test_the_nearest_request_is_the_one_with_the_most_equal_parts(
    database: Database,
) -> None:
    near = a_question(parameters={"temperature": 0.5})
    far = a_question(parameters={"temperature": 1.0}, tools=(), model="openai/gpt-y")
    await replies_at(database, 0).keep(near, ANSWER)
    await replies_at(database, 1).keep(far, ANSWER)
    found = await explain(database, a_question())
    assert found.nearest_key == near.key
    assert [difference.part for difference in found.differences] == ["parameters"]
    assert found.differences[0].diff[-2:] == ('+  "temperature": 0.0', " }")


async def test_of_equally_near_requests_the_newest_counts(database: Database) -> None:
    for minutes in range(3):
        await replies_at(database, minutes).keep(a_question(repeat=minutes + 1), ANSWER)
    found = await explain(database, a_question(repeat=0))
    assert found.nearest_key == a_question(repeat=3).key
    assert found.differences[0].diff[-2:] == ("-3", "+0")


async def test_a_renamed_case_is_found_by_its_messages(
    database: Database, replies: ReplyStore
) -> None:
    await replies.keep(a_question(case_id="old", repeat=4), ANSWER)
    found = await explain(database, a_question(case_id="new"))
    assert [difference.part for difference in found.differences] == ["repeat"]


async def test_where_nothing_is_near_nothing_is_named(
    database: Database, replies: ReplyStore
) -> None:
    other = a_question(case_id="rome", messages=({"role": "user", "content": "Rome?"},))
    await replies.keep(other, ANSWER)
    found = await explain(database, a_question())
    assert (found.nearest_key, found.stored_at, found.is_stored) == (None, None, False)
