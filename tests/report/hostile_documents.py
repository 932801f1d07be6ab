"""Hostile texts and reports, and what of a rendered report must not change with them.

The shape of a document is what is left of it when its texts are taken out: tags and
their attributes, tokens of Markdown, elements of XML. A report that is rendered with
hostile texts must have the shape that it has with harmless ones.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from html.parser import HTMLParser
from io import StringIO
from itertools import count
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

from markdown_it import MarkdownIt
from rich.console import Console

from toolgauge.model.report import Report
from toolgauge.report.escape import (
    command_data,
    command_property,
    file_name,
    json_text,
    log_line,
    one_line,
    step_output,
)
from toolgauge.report.html_page import html_page
from toolgauge.report.json_report import report_text
from toolgauge.report.junit import junit
from toolgauge.report.markdown import COMMENT_BUDGET, LEAST_BUDGET, SUMMARY_BUDGET, markdown
from toolgauge.report.terminal_gate import gate_table

# chosen from fixed words by toolgauge itself
OURS = frozenset({"verdict", "rule", "status", "code", "batch"})
SNIPPETS = (
    "@org/team", "#123", "GH-1", "user/repo#7", "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678", "`",
    "``", "```", "````````", "~~~", "```\n@team\n```", "`@team`", "\\`", "`\n\n`", "|", "\\|",
    "\\\\|", "||", "| a | b |\n|---|---|", "\n\n# Forged: pass\n\n", "\n---\n", "\n\n- item\n",
    "\n1. item", "> quote", "    indented", "***", "**bold**", "__b__", "~~s~~",
    "![x](https://evil.example/p.png)", "[x](javascript:alert(1))", "<https://evil.example>",
    "https://evil.example/?q=1", "www.evil.example", "mail@evil.example",
    "[ref]: https://evil.example", "<script>alert(1)</script>", "</details>", "<details open>",
    "</summary>", "<!--", "-->", "<!-- toolgauge:v1:default -->", "</sub>",
    "<img src=x onerror=alert(1)>", "<b", "</pre></code>", "</style>", "</title>", "</svg>",
    '" onmouseover="alert(1)', "' x='", "&lt;b&gt;", "&#64;team", "&commat;team", "{{ 7*7 }}",
    "{% raw %}", "$x$", "$$x$$", "$`x`$", ":smile:", "]]>", "<![CDATA[", "<?xml version='1.0'?>",
    "<!DOCTYPE x [<!ENTITY e 'x'>]>", "&e;", "</testcase>", "</failure>", "::error::forged",
    "  ::set-output name=verdict::pass", "##[error]forged", "x ##[add-mask]y",
    "::stop-commands::t", "\n::add-mask::x", "\r::error::x", "%0A::error::x", "EOF", "\nEOF\nx=y",
    "\x1b[31mred\x1b[0m", "\x1b]8;;https://evil.example\x07l\x1b]8;;\x07", "\x9b31m", "\x00",
    "\x07", "\x08\x08", "\x0b\x0c", "\x7f", "\x85", "\r", "\r\n", "\n", "\t", "\u2028", "\u2029",
    "\u202e", "\u2066x\u2069", "\u200b", "\u200d", "\ufeff", "\u00ad", "\U000e0041", "\ufffe",
    "\uffff", "\ud800", "\udfff", "\ud83d\ude00", "\u0301" * 9, "\U0001f468\u200d\U0001f469",
    "عربى", "שלום", "漢字", "\uff41\uff44", " ", "   ", "../../etc/passwd", "C:\\x", "con", "\\",
    "\\n", "%s", "{0}", "-->\n\n@a",
)  # fmt: skip

ALLOWED_TOKENS = re.compile(
    "inline|text|code_inline|fence|softbreak|html_block|html_inline"
    "|(heading|paragraph|strong|bullet_list|list_item|table|thead|tbody|tr|th|td)_(open|close)"
)
ALLOWED_HTML = re.compile(
    r"(</?sub>|</?span>|</details>|<details><summary>[\w ,:]+</summary>)\s*", re.ASCII
)
_LIVE_TEXT = re.compile(r"@\w|#\d|://|www\.|\bGH-\d|:\w+:|\$\S.*\$", re.ASCII)
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def hostile_text(rng: Random, *, huge: int = 0) -> str:
    """Return snippets in a row, some characters of any kind between them."""
    parts = []
    for _ in range(rng.choice((1, 1, 2, 3, 5, 9))):
        parts.append(rng.choice(SNIPPETS))
        if rng.random() < 0.3:
            parts.append(chr(rng.randrange(0x110000)) * rng.choice((1, 1, 3)))
    text = "".join(parts) or "x"
    return text * (huge // len(text) + 1) if huge else text


def harmless_text() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"word{next(numbers)}"


def hostile_texts(rng: Random) -> Callable[[], str]:
    """Return a source of hostile texts of which no two are the same: ids stay ids."""
    numbers = count(1)
    return lambda: f"{hostile_text(rng)}{next(numbers)}"


def rewritten(value: Any, text: Callable[[], str]) -> Any:
    """Return a report whose every text that may be from outside is made anew; none is empty."""
    if isinstance(value, str):
        return text() if value else ""
    if isinstance(value, dict):
        # keys of arguments are a model's; those of a call are the format's
        is_call = "name" in value
        return {key if is_call else text(): rewritten(one, text) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(rewritten(item, text) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        made = {
            one.name: rewritten(getattr(value, one.name), text)
            for one in fields(value)
            if one.name not in OURS
        }
        return replace(value, **made)
    return value


def markdown_shape(text: str) -> list[str]:
    """Return the block tokens, and the inline ones that are neither text nor code.

    Raises:
        AssertionError: something got out: a token, an element or a live text that is not ours.
    """
    shape: list[str] = []
    for token in _MARKDOWN.parse(text):
        for one in [token, *(token.children or ())]:
            assert ALLOWED_TOKENS.fullmatch(one.type), (one.type, one.content[:200])
            if one.type.startswith("html_"):
                pieces = [piece for piece in one.content.split("\n") if piece]
                assert all(ALLOWED_HTML.fullmatch(piece) for piece in pieces), one.content[:200]
            if one.type == "fence":
                assert one.info == "diff"
            if one.type == "text":
                assert not _LIVE_TEXT.search(one.content), one.content[:200]
            if one.type not in {"text", "code_inline", "softbreak"}:
                shape.append(f"{one.type} {one.content if one.type.startswith('html_') else ''}")
    return shape


class _Shape(HTMLParser):
    """Collects tags; what stands in a ``pre`` is checked and left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self._in_pre = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._in_pre:
            assert tag == "span", tag
            assert [name for name, _ in attrs] == ["class"], attrs
            return
        free = {"title", "aria-label"}
        shown = [f"{name}={'' if name in free else value}" for name, value in attrs]
        self.tags.append(f"<{tag} {' '.join(shown)}>")
        self._in_pre = tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._in_pre = False
        if not self._in_pre:
            self.tags.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:200]}")

    def handle_decl(self, decl: str) -> None:
        assert decl == "doctype html"


def html_shape(page: str) -> list[str]:
    """Return the tags of a page with their attributes, but for texts and differences of calls."""
    parser = _Shape()
    parser.feed(page)
    parser.close()
    return parser.tags


def xml_shape(document: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the elements of an XML document with the names of their attributes."""
    root = ET.fromstring(document.encode())  # noqa: S314 - our own document
    return [(element.tag, tuple(element.attrib)) for element in root.iter()]


def unseen_characters(text: str) -> set[str]:
    """Return the characters of a text, but for line ends, that no terminal should get."""
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return {c for c in set(text) - {"\n"} if unicodedata.category(c) in hidden}


def runner_commands(log: str) -> list[str]:
    """Return the lines of a log that a workflow runner would take for commands."""
    lines = re.split(r"[\r\n]+", log)
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of a report's documents."""

    markdown: list[str]
    html: list[str]
    xml: list[tuple[str, tuple[str, ...]]]


def shapes_of(report: Report) -> Shapes:
    """Return the shapes of all documents of a report.

    Raises:
        AssertionError: something hostile got out of its place.
        ParseError: the JUnit document is no XML.
    """
    return Shapes(
        markdown_shape(markdown(report, budget=SUMMARY_BUDGET)),
        html_shape(html_page(report)),
        xml_shape(junit(report)),
    )


def terminal_text(report: Report) -> str:
    """Return a report as a terminal without colours shows it."""
    screen = Console(file=StringIO(), width=140, color_system=None, highlight=False, markup=False)
    screen.print(gate_table(report))
    return screen.file.getvalue()


def check_report(report: Report, expected: Shapes) -> None:
    """Check every document of a hostile report against its harmless twin.

    Raises:
        AssertionError: a document has another shape, is over its budget, or is no text.
    """
    found = shapes_of(report)
    assert found.html == expected.html
    assert found.xml == expected.xml
    assert found.markdown == expected.markdown
    for budget in (COMMENT_BUDGET, LEAST_BUDGET):
        comment = markdown(report, budget=budget)
        assert len(comment.encode()) <= budget
        markdown_shape(comment)
        assert not unseen_characters(comment) - {"\ufe0f"}  # the one in our warning sign
    json.loads(report_text(report).encode())


def check_line(text: str) -> None:
    """Check the escapes of single values for one hostile text.

    Raises:
        AssertionError: the text got out of its place.
    """
    assert not runner_commands(log_line(text))
    assert not unseen_characters(one_line(text))
    assert len(command_data(text).splitlines()) <= 1
    assert not set(command_property(text)) & set("\r\n:,")
    name = file_name(text)
    assert re.fullmatch(r"[\w.-]{1,100}", name, re.ASCII), name
    assert not name.startswith(".")
    output = step_output("name", json_text(text), "end_4f1c")
    assert output.split("\n")[0] == "name<<end_4f1c"
    assert output.endswith("\nend_4f1c\n")
    assert output.split("\n").count("end_4f1c") == 1
