from __future__ import annotations

import re
from datetime import timedelta
from html.parser import HTMLParser
from importlib import resources

import hostile_documents as hostile
import pytest
from report_builders import (
    AT,
    case_side,
    finding,
    report,
    rich_report,
    suite_report,
    unmeasured_report,
)
from test_charts import entries

from toolgauge.report.html_page import html_page

STYLE = (resources.files("toolgauge.report") / "templates" / "style.css").read_text("utf-8")
VOID = {"meta", "br", "circle", "line"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and keeps what loads or runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def test_the_page_is_well_formed() -> None:
    page = Page(html_page(rich_report(), timeline=entries(0.5, 0.7)))
    assert page.open == []


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    text = html_page(rich_report(), timeline=entries(0.5, 0.7))
    page = Page(text)
    policy = next(value for _, name, value in page.attributes if name == "content")
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert {tag for tag, *_ in page.attributes} & {"script", "link", "img", "iframe"} == set()
    for _, name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "srcset", "action", "formaction", "data", "poster"}
        assert name != "href" or (value or "").startswith("#suite-")
    assert not re.search(r"url\(|@import|https?://", text)


def test_it_shows_every_suite_case_and_confused_pair() -> None:
    text = html_page(rich_report())
    for shown in ("calendar_email", "city-16", "provider-was-down", "old-2", "get_forecast"):
        assert shown in text
    assert text.count('<li><span><span class="name"') == 27 + 12 + 23


def test_a_case_has_a_mark_for_each_of_its_trials() -> None:
    steady = finding("a", "steady", baseline=None, head=case_side(2, 3, errored=1))
    text = html_page(report(suite_report(regressions=(), steady=(steady,))))
    row = text.split('title="a"')[1].split("</li>")[0]
    assert re.findall(r'<i class="(\w+)">', row) == ["passed", "passed", "failed", "errored"]


def test_more_trials_than_can_be_seen_become_a_bar() -> None:
    steady = finding("a", "steady", baseline=None, head=case_side(30, 40))
    text = html_page(report(suite_report(regressions=(), steady=(steady,))))
    assert "--part:0.75" in text.split('title="a"')[1].split("</li>")[0]


def test_a_page_of_nothing_is_a_page() -> None:
    text = html_page(unmeasured_report())
    assert "Nothing was measured." in text
    assert "nothing to compare with" in text
    assert Page(text).open == []


def test_there_is_a_timeline_only_where_there_is_one() -> None:
    assert "Timeline" not in html_page(report())
    assert "Timeline" not in html_page(report(), timeline=entries(0.5))
    text = html_page(report(), timeline=entries(0.5, None, 0.7))
    assert "Timeline" in text
    assert f"{AT + timedelta(days=2):%Y-%m-%d}" in text


def test_a_hostile_timeline_stays_inside_its_chart() -> None:
    (first, second) = entries(0.5, 0.7)
    calm = hostile.html_shape(html_page(report(), timeline=(first, second)))
    made = hostile.rewritten((first, second), lambda: "</title></svg><script>\u202e&\x00")
    assert hostile.html_shape(html_page(report(), timeline=made)) == calm


def test_a_text_of_2_mb_is_clipped() -> None:
    huge = hostile.rewritten(report(), lambda: "<b>" * 700_000)
    assert len(html_page(huge)) < 500_000


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by WCAG 2, from 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_on_what_it_stands_on(scheme: str) -> None:
    light, dark = STYLE.split("prefers-color-scheme: dark")[:2]
    colour = colours(light) if scheme == "light" else colours(dark.split("* {")[0])
    pairs = [(text, under) for text in ("ink", "soft") for under in ("card", "sunk", "page")]
    pairs += [(tone, f"{tone}-wash") for tone in ("pass", "fail", "warn", "none", "error")]
    pairs += [("ink", f"{tone}-wash") for tone in ("pass", "fail", "warn")]
    pairs += [(tone, "card") for tone in ("pass", "fail", "warn", "error")]
    weak = {pair: contrast(colour[pair[0]], colour[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
