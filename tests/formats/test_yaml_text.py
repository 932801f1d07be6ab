from __future__ import annotations

import contextlib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.formats import yaml_text
from toolgauge.formats.places import path_text
from toolgauge.formats.yaml_text import UnreadableText, load_yaml


def load(text: str, *, max_expansion: int = 10_000) -> Any:
    content = load_yaml(text, max_expansion=max_expansion)
    assert content.found == []
    return content.data


def told(text: str) -> list[tuple[str, int | None]]:
    found = load_yaml(text, max_expansion=10_000).found
    return [(path_text(item.loc), item.line) for item in found]


def refusal(text: str, *, max_expansion: int = 10_000) -> str:
    with pytest.raises(UnreadableText) as caught:
        load_yaml(text, max_expansion=max_expansion)
    return str(caught.value.problem)


def test_anchors_aliases_and_merge_keys_are_read() -> None:
    data = load("a: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: *x\n  q: 3\nd:\n  <<: [*x, {r: 4}]\n")
    assert data["b"] == {"p": 1, "q": 2}
    assert data["c"] == {"p": 1, "q": 3}
    assert data["d"] == {"p": 1, "q": 2, "r": 4}


def test_a_quoted_merge_key_is_a_key() -> None:
    assert load('"<<": 1') == {"<<": 1}


def test_merging_what_is_no_object_is_told() -> None:
    assert told("a:\n  <<: 3\n") == [("a.<<", 2)]


def test_an_alias_may_be_a_key_or_an_item() -> None:
    assert load("a: &x city\nb: {*x : 1}\nc: [*x, *x]") == {
        "a": "city",
        "b": {"city": 1},
        "c": ["city", "city"],
    }


def test_alias_bombs_are_refused_before_they_expand() -> None:
    levels = ['a0: &a0 ["lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol"]']
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert "expand too far" in refusal("\n".join(levels), max_expansion=50_000_000)


def test_a_long_text_counts_by_its_length_each_time_it_is_meant() -> None:
    text = f"a: &a {'x' * 1000}\nb: [{', '.join(['*a'] * 20)}]"
    assert "line 2: its aliases expand too far" in refusal(text)
    assert load(text, max_expansion=20 * 1001)["b"][19] == "x" * 1000


def test_depth_made_by_aliases_counts_as_depth() -> None:
    chain = "\n".join(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200))
    assert "expand too far" in refusal(f"a0: &a0 []\n{chain}", max_expansion=1_000_000)


def test_recursive_and_unknown_aliases_are_refused() -> None:
    assert "stands inside of what it means" in refusal("a: &a [1, *a]")
    assert "line 2: the alias `*b` has no anchor" in refusal("a: 1\nc: *b")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_at_once(opening: str) -> None:
    assert "nests deeper than 100 levels" in refusal(opening * 200_000)


def test_every_tag_is_told_and_nothing_is_constructed() -> None:
    text = "a: !!python/object/apply:os.system ['true']\nb: !!str 1\nc: ! x\nd: 1"
    assert told(text) == [("a", 1), ("b", 2), ("c", 3)]
    assert load_yaml(text, max_expansion=10).data["a"] == ["true"]


def test_keys_that_are_no_text_are_told_with_their_lines() -> None:
    text = "a:\n  1: x\n  true: y\n  null: z\n  no: fine\n"
    assert [line for _, line in told(text)] == [2, 3, 4]
    assert load_yaml(text, max_expansion=10).data == {"a": {"no": "fine"}}


def test_a_list_as_a_key_is_refused() -> None:
    assert "line 1: a key must be text" in refusal("? [a, b]\n: 1")


def test_a_second_key_of_the_same_name_is_told_where_it_stands() -> None:
    assert told("a:\n- b: 1\n  c: 2\n  b: 3\n") == [("a[0].b", 4)]


def test_a_number_too_long_to_convert_is_told() -> None:
    assert told(f"a: 1\nb: {'9' * 5000}") == [("b", 2)]
    assert told(f"? {'9' * 5000}\n: 1") == [("", 1)]


def test_what_is_no_yaml_says_the_line() -> None:
    assert refusal("a: 1\nb: [1, 2\nc: 3").startswith("line 3: is not valid YAML")


def test_a_tab_as_indentation_is_named() -> None:
    assert refusal("a:\n\tb: 1") == "line 2: is indented with a tab; YAML takes only spaces"


def test_a_control_character_is_refused() -> None:
    assert "control characters are not allowed" in refusal("a: \x01")


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_a_text_without_a_document_holds_null(text: str) -> None:
    assert load(text) is None


def test_a_second_document_is_refused() -> None:
    assert refusal("a: 1\n---\nb: 2") == "line 2: holds more than one document; keep one"


def test_lines_are_those_of_keys_and_list_entries() -> None:
    text = "a:\n  b:\n    - c: 1\n      d: 2\n    -\n      [x,\n       y]\ne: 3\n"
    lines = load_yaml(text, max_expansion=10, with_lines=True).lines
    assert {path_text(loc): line for loc, line in lines.items()} == {
        "a": 1,
        "a.b": 2,
        "a.b[0]": 3,
        "a.b[0].c": 3,
        "a.b[0].d": 4,
        "a.b[1]": 6,
        "a.b[1][0]": 6,
        "a.b[1][1]": 7,
        "e": 8,
    }


def test_the_python_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &x [1, no, 'q']\nb: {c: *x, <<: {d: 1e3}}\n? k\n: |\n  text\n"
    fast = load(text)
    monkeypatch.setattr(yaml_text, "_LOADER", yaml.SafeLoader)
    assert load(text) == fast


TEXT = st.text(st.characters(exclude_categories=["Nd", "Cs"]))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
        max_leaves=20,
    )
)
def test_what_a_yaml_writer_writes_is_read_back(value: Any) -> None:
    assert load(yaml.safe_dump({"v": value})) == {"v": value}


@given(st.text(alphabet="[]{}:,-?&*!|>'\"#%@` \n\tab1~<", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(UnreadableText):
        lines = load_yaml(text, max_expansion=1000, with_lines=True).lines.values()
        assert max(lines, default=1) <= text.count("\n") + 1


def test_quotes_make_text_and_nothing_makes_null() -> None:
    assert load("[12, '12', \"true\"]") == [12, "12", "true"]
    assert load("a:\nb: 1\n") == {"a": None, "b": 1}
