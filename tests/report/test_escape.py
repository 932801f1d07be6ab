from __future__ import annotations

import doctest
from random import Random

import hostile_documents as hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from toolgauge.report import escape

ANY_TEXT = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from(hostile.SNIPPETS), max_size=5
).map("".join)
QUICK = settings(max_examples=150, deadline=None)


def inline(text: str) -> list[tuple[str, str]]:
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = markdown.parse(text)
    return [(one.type, one.content) for token in tokens for one in token.children or ()]


def test_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(escape).failed == 0


@QUICK
@given(ANY_TEXT)
def test_no_hostile_text_leaves_the_escape_of_its_place(text: str) -> None:
    hostile.check_line(text)


@QUICK
@given(ANY_TEXT)
def test_a_code_span_is_one_span_that_shows_the_whole_text(text: str) -> None:
    span = escape.code_span(text)
    shown = escape.clip(escape.one_line(text, 120), 120)
    assert inline(f"a {span} b") == (
        [("text", "a "), ("code_inline", shown), ("text", " b")]
        if text
        else [("text", "a (empty) b")]
    )


@QUICK
@given(ANY_TEXT)
def test_a_cell_of_a_table_stays_one_cell(text: str) -> None:
    tokens = (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .parse(f"| a | b |\n|---|---|\n| {escape.cell_code(text)} | x |")
    )
    assert [token.type for token in tokens].count("td_open") == 2
    assert "|" not in escape.cell_code(text)


@QUICK
@given(ANY_TEXT)
def test_a_sentence_from_elsewhere_becomes_code_or_plain_words(text: str) -> None:
    hostile.markdown_shape(f"## x {escape.prose(text)}")


@pytest.mark.parametrize(
    "sentence",
    [
        "The pass rate dropped by 12.0 points (p < 0.0001); 2 confirmed regressions.",
        "Both sides always answer alike, so the policy is strict here: no chance, no tests.",
        "confirming it against 1 baseline run takes 19 fresh repeats, more than 20",
        "The score 61.2% is below min_score.",
    ],
)
def test_our_own_sentences_are_shown_as_written(sentence: str) -> None:
    assert inline(escape.prose(sentence)) == [("text", sentence)]


@QUICK
@given(st.lists(ANY_TEXT, max_size=4))
def test_nothing_inside_a_fence_ends_it(lines: list[str]) -> None:
    tokens = MarkdownIt().parse(f"before\n\n{escape.fenced(lines, 'diff')}\n\nafter")
    kinds = [token.type for token in tokens if token.type in {"fence", "paragraph_open"}]
    assert kinds == ["paragraph_open", "fence", "paragraph_open"]
    assert [token.info for token in tokens if token.type == "fence"] == ["diff"]


@QUICK
@given(ANY_TEXT)
def test_text_for_xml_holds_nothing_that_xml_cannot(text: str) -> None:
    shown = escape.xml_text(text)
    assert not hostile.unseen_characters(shown)
    assert not {"\ufffe", "\uffff"} & set(shown)


def test_lines_of_text_for_xml_stay_lines() -> None:
    assert escape.xml_text("a\r\n\tb\x07") == "a\n    b\\x07"


def test_two_names_never_share_a_file() -> None:
    names = ["a/b", "a b", "a_b", "a:b", "", " ", "con", "CON", "a" * 200, "a" * 201, "é", "."]
    made = [escape.file_name(name) for name in names]
    assert len(set(made)) == len(names)
    assert escape.file_name("a_b") == "a_b"
    assert not any(name.lower() == "con" for name in made)


def test_invisible_characters_are_shown() -> None:
    text = "a\u200bb\u202ec\U000e0041d\u00ade\ufefff\ud800g\uffffh"
    expected = r"a\u200bb\u202ec\U000e0041d\xade\ufefff\ud800g\uffffh"
    assert escape.one_line(text) == expected


def test_letters_of_any_script_are_left_alone() -> None:
    text = "Zürich 東京 القاهرة 🌦 ñ"
    assert escape.one_line(text) == text


def test_a_clipped_text_says_so() -> None:
    assert escape.one_line("x" * 300, 5) == "xxxx…"
    assert len(escape.code_span("\x00" * 300, 50)) == 52


def test_an_output_never_holds_its_own_delimiter() -> None:
    with pytest.raises(ValueError, match="holds the delimiter"):
        escape.step_output("verdict", "a\nend_1\nforged=1", "end_1")
    with pytest.raises(ValueError, match="not a name"):
        escape.step_output("verdict\nforged", "a", "end_1")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "//evil.example", "https://", "data:text/html,x", "x"]
)
def test_only_web_addresses_become_links(url: str) -> None:
    with pytest.raises(ValueError, match="no link"):
        escape.link_target(url)


def test_a_link_cannot_end_its_own_brackets() -> None:
    target = escape.link_target("https://example.org/a)[x](y) <b>")
    assert not set(target) & set("()[]<> ")


def test_a_huge_text_costs_no_more_than_what_is_shown() -> None:
    huge = "\x1b`|" * 1_000_000
    for shown in (
        escape.one_line(huge),
        escape.code_span(huge),
        escape.log_line(huge),
        escape.xml_text(huge),
        escape.command_data(huge),
    ):
        assert len(shown) < 50_000


def test_the_snippets_are_what_they_claim_to_be() -> None:
    # unescaped, most of them do get out; otherwise the other tests would show nothing
    rng = Random(1)
    caught = 0
    for _ in range(100):
        try:
            hostile.markdown_shape(f"- `{hostile.hostile_text(rng)}` and\n")
        except AssertionError:
            caught += 1
    assert caught > 20
