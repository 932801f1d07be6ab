from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.errors import InvalidFile
from toolgauge.formats.document import read_source


def refusal(path: Path, raw: bytes, *, max_bytes: int = 10_000) -> str:
    path.write_bytes(raw)
    with pytest.raises(InvalidFile) as caught:
        read_source(path, max_bytes=max_bytes)
    assert caught.value.file == str(path)
    (problem,) = caught.value.problems
    return str(problem)


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "a.json", "A.JSON", ".toolgauge.yml"])
def test_the_suffix_says_how_a_file_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"a": [1, "ü"]}', encoding="utf-8")
    assert read_source(path).data == {"a": [1, "ü"]}


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a.txt", b"a: 1") == "must be a .yaml, .yml or .json file"


def test_a_json_file_holds_json(tmp_path: Path) -> None:
    assert "not valid JSON" in refusal(tmp_path / "a.json", b"a: 1")


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    for name in ("a.json", "a.yaml"):
        path = tmp_path / name
        path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
        assert read_source(path).data == {"a": 1}


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ('{"a": 1}'.encode("utf-16"), "is UTF-16; save it as UTF-8"),
        (b'{"a":\n"\xe9"}', "line 2: is not valid UTF-8; save it as UTF-8"),
        (b'{"a":\n"\0"}', "line 2: holds NUL bytes; is it a text file in UTF-8?"),
    ],
)
def test_what_is_no_text_gives_one_clear_message(
    tmp_path: Path, name: str, raw: bytes, message: str
) -> None:
    assert refusal(tmp_path / name, raw) == message


def test_an_empty_file_is_no_json_and_holds_null_in_yaml(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a.json", b"") == "is empty"
    (tmp_path / "a.yaml").write_bytes(b"")
    assert read_source(tmp_path / "a.yaml").data is None


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    assert "half of a character" in refusal(tmp_path / "a.json", b'["\\ud800"]')


def test_the_limit_of_size_is_the_callers(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    assert "larger than 10 bytes" in refusal(path, b"a: 12345678", max_bytes=10)
    assert read_source(path, max_bytes=11).data == {"a": 12345678}


def test_what_aliases_may_expand_to_grows_with_the_limit_of_size(tmp_path: Path) -> None:
    raw = f"a: &a {'x' * 100}\nb: [{', '.join(['*a'] * 20)}]".encode()
    path = tmp_path / "a.yaml"
    assert "expand too far" in refusal(path, raw, max_bytes=300)
    assert len(read_source(path, max_bytes=1000).data["b"]) == 20


def test_a_file_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(InvalidFile, match=r"cannot be opened|must be a \.yaml"):
            read_source(path)


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_a_field_without_a_line_of_its_own_has_that_of_what_it_stands_in(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text('{"a":\n {"b": 1}}')
    locate = read_source(path).locate
    assert locate(("a", "b")) == 2
    assert locate(("a", "missing", 0)) == 1
    assert locate(()) == 1
