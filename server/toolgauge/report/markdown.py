"""A report as Markdown: a comment of a pull request, a summary of a job.

The document is made of whole blocks. Where it is longer than its budget, blocks go, the
least important first, and the footer says which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from toolgauge.model.report import Report
from toolgauge.report import wording
from toolgauge.report.escape import link_target, prose
from toolgauge.report.markdown_parts import (
    MARKS,
    changed_cases,
    confusion_pairs,
    findings_list,
    footer_lines,
    notice_line,
    regression,
    resources_table,
    suite_table,
    worst_first,
)

COMMENT_BUDGET = 60_000
SUMMARY_BUDGET = 900_000
LEAST_BUDGET = 8_000
_MOST_SUITES = 20
_BYTES_A_FINDING = 3_000
"""A budget's share of one regression, so that the other blocks have room beside twenty."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the document that stays or goes as a whole.

    The highest ``rank`` goes first, among equals the last; 0 always stays. ``what`` names
    it for the footer.
    """

    text: str
    rank: int
    what: str = ""


def markdown(
    report: Report,
    *,
    budget: int = COMMENT_BUDGET,
    links: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a report as Markdown of at most ``budget`` bytes of UTF-8.

    ``links`` are put under the numbers, by label; labels and addresses are the caller's
    own, never from outside.

    Raises:
        ValueError: the budget is below 8,000 bytes, or an address is no http(s) address.
    """
    if budget < LEAST_BUDGET:
        raise ValueError(f"a report cannot be told in {budget} bytes; {LEAST_BUDGET} are needed")
    most = max(20, budget // _BYTES_A_FINDING)
    blocks = [*_head(report, links), *_suites(report), *_regressions(report, most)]
    return _fitted([*blocks, *_folded(report, most)], report, budget)


def _head(report: Report, links: Mapping[str, str]) -> list[Block]:
    sentence = wording.verdict_sentence(report.verdict, report.reason)
    line = wording.numbers_in_short(report.totals, report.policy.metric)
    if len(report.suites) == 1:
        effect = wording.effect_of(report.totals, report.policy.metric)
        line += f"; p {wording.chance(effect)}" if effect else ""
    linked = "".join(f" · [{label}]({link_target(url)})" for label, url in links.items())
    return [
        Block(f"## {MARKS[report.verdict]} {prose(sentence)}", 0),
        Block(f"{line}{linked}", 0),
        *(Block(notice_line(notice), 1, "notice") for notice in report.notices),
    ]


def _suites(report: Report) -> list[Block]:
    ordered = worst_first(report.suites)
    blocks = [Block(suite_table(ordered[:_MOST_SUITES], report.policy.metric), 1, "suite table")]
    if rest := ordered[_MOST_SUITES:]:
        table = suite_table(rest, report.policy.metric)
        blocks.append(_fold(f"{wording.count(len(rest), 'more suite')}", table, 5, "more suites"))
    return blocks if report.suites else []


def _regressions(report: Report, most: int) -> list[Block]:
    found = [(suite, one) for suite in worst_first(report.suites) for one in suite.regressions]
    if not found:
        return []
    kinds = Counter(
        "confirmed regression" if one.status == "confirmed" else "newly failing case"
        for _, one in found
    )
    title = " and ".join(wording.count(number, kind) for kind, number in kinds.items())
    shown = [Block(regression(suite, one), 3, "regression") for suite, one in found[:most]]
    rest = len(found) - len(shown)
    beyond = [Block(f"And {wording.count(rest, 'more regression')}.", 2)] if rest else []
    return [Block(f"### {title}", 2), *shown, *beyond]


def _folded(report: Report, most: int) -> list[Block]:
    """Return the parts that a reader opens, in reading order; ranks say what goes first."""
    suites = report.suites
    lists = [
        ("suspect", [(s, one) for s in suites for one in s.suspects], 4),
        ("improved case", [(s, one) for s in suites for one in s.improved], 6),
        ("flaky case", [(s, one) for s in suites for one in s.flaky], 7),
    ]
    blocks = [
        _fold(wording.count(len(found), noun), findings_list(found, most), rank, f"{noun}s")
        for noun, found, rank in lists
        if found
    ]
    if text := changed_cases(suites, most):
        blocks.append(_fold("Changed, new and removed cases", text, 8, "changed cases"))
    if text := confusion_pairs(suites, most):
        blocks.append(_fold("Confusion: expected tool and called tool", text, 9, "confusion pairs"))
    table = resources_table(report.resources)
    return [*blocks, _fold("Cost, latency and tokens", table, 10, "cost and latency")]


def _fold(summary: str, text: str, rank: int, what: str) -> Block:
    """Return a folded block; the blank lines let Markdown begin and end inside of HTML."""
    html = f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"
    return Block(html, rank, what)


def _fitted(blocks: Sequence[Block], report: Report, budget: int) -> str:
    going = sorted(
        (index for index, block in enumerate(blocks) if block.rank),
        key=lambda index: (blocks[index].rank, index),
    )
    dropped: list[int] = []
    size = sum(_bytes(block.text) + 2 for block in blocks)
    footer = _footer(report, ())
    while size + _bytes(footer) > budget and going:
        dropped.append(going.pop())
        size -= _bytes(blocks[dropped[-1]].text) + 2
        footer = _footer(report, [blocks[index].what for index in sorted(dropped)])
    left = set(dropped)
    kept = [block.text for index, block in enumerate(blocks) if index not in left]
    return "\n\n".join([*kept, footer])


def _footer(report: Report, dropped: Sequence[str]) -> str:
    lines = footer_lines(report)
    if numbers := Counter(filter(None, dropped)):
        names = [
            wording.count(number, name) if name in {"notice", "regression"} else name
            for name, number in numbers.items()
        ]
        lines.append(f"left out for size: {', '.join(names)}; the full report has everything")
    return f"<sub>{' · '.join(lines)}</sub>\n"


def _bytes(text: str) -> int:
    return len(text.encode())
