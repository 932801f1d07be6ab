"""Renders reports full of hostile texts and counts what got out of its place.

Mentions, fences, pipes, HTML, workflow commands, bidirectional and control characters,
lone surrogates and texts of 2 MB stand in every place that may come from outside. Each
document must have the shape that it has with harmless texts::

    python tests/soak/escaping.py 20000
    python tests/soak/escaping.py 500 --seed 7

Where ``cmarkgfm`` is installed, GitHub's own dialect of Markdown is checked, too.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from time import monotonic
from traceback import format_exc

# the builders stand with the tests of the reports
sys.path[:0] = [
    str(Path(__file__).parents[1] / "report"),
    str(Path(__file__).parents[2] / "server"),
]

import hostile_documents as hostile  # noqa: E402 - the path comes first
import report_builders  # noqa: E402

from toolgauge.model.report import Report  # noqa: E402
from toolgauge.report.escape import log_line  # noqa: E402
from toolgauge.report.markdown import markdown  # noqa: E402

try:
    from cmarkgfm import github_flavored_markdown_to_html
    from cmarkgfm.cmark import Options
except ImportError:
    github_flavored_markdown_to_html = None

HUGE = 2_000_000
GFM_TAGS = re.compile(
    "h2|h3|p|strong|code|pre|ul|li|details|summary|sub|span|table|thead|tbody|tr|th|td"
)


def templates() -> list[Report]:
    """Return small reports that are quick to render, and last one of everything."""
    whole = report_builders.rich_report()
    weather = replace(whole.suites[0], steady=whole.suites[0].steady[-4:])
    small = replace(whole, suites=(weather,))
    return [small, small, small, report_builders.unmeasured_report(), whole]


def main(arguments: list[str]) -> int:
    """Run, print the counts, and return 1 where anything got out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("documents", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args(arguments)
    *small, whole = [
        (report, hostile.shapes_of(hostile.rewritten(report, hostile.harmless_text())))
        for report in templates()
    ]
    counts: Counter[str] = Counter()
    began = monotonic()
    for number in range(options.documents):
        rng = Random(options.seed + number)
        report, shapes = whole if number % 100 == 0 else rng.choice(small)
        made = hostile.rewritten(report, _texts(rng, counts, is_huge=number % 200 == 7))
        try:
            hostile.check_report(made, shapes)
            _check_gfm(made, counts)
            _check_log(made, counts, is_shown=number % 10 == 0)
        except Exception:  # noqa: BLE001 - whatever it is, it is counted and shown
            counts["break-outs"] += 1
            sys.stderr.write(f"seed {options.seed + number}\n{format_exc()}\n")
        counts["reports"] += 1
    _print(counts, monotonic() - began)
    return 1 if counts["break-outs"] else 0


def _texts(rng: Random, counts: Counter[str], *, is_huge: bool) -> object:
    source = hostile.hostile_texts(rng)
    huge_at = counts["texts"] + rng.randrange(40) if is_huge else -1

    def text() -> str:
        made = source()
        if counts["texts"] == huge_at:
            made += made * (HUGE // len(made))
            counts["texts of 2 MB"] += 1
        counts["texts"] += 1
        hostile.check_line(made)
        return made

    return text


class _Tags(HTMLParser):
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert GFM_TAGS.fullmatch(tag), tag
        names = {name for name, _ in attrs}
        assert names <= ({"align"} | ({"class", "lang"} if tag in {"code", "pre"} else set())), (
            attrs
        )


def _check_gfm(report: Report, counts: Counter[str]) -> None:
    if github_flavored_markdown_to_html is None:
        return
    document = markdown(report)
    html = github_flavored_markdown_to_html(document, options=Options.CMARK_OPT_UNSAFE)
    _Tags().feed(html)
    counts["documents through cmark-gfm"] += 1


def _check_log(report: Report, counts: Counter[str], *, is_shown: bool) -> None:
    if not is_shown:
        return
    shown = hostile.terminal_text(report)
    assert not hostile.unseen_characters(shown)
    safe = "\n".join(log_line(line) for line in shown.split("\n"))
    assert not hostile.runner_commands(safe)
    counts["terminal documents"] += 1


def _print(counts: Counter[str], seconds: float) -> None:
    counts["Markdown, HTML, XML and JSON documents"] = counts["reports"] * 6
    for name, number in sorted(counts.items()):
        sys.stdout.write(f"{number:>9,}  {name}\n")
    sys.stdout.write(f"{counts['break-outs']:>9,}  break-outs, in {seconds:.0f} s\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
