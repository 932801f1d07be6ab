"""Text that tries to leave its place, and where it may be found afterwards."""

from __future__ import annotations

import json
import re
from typing import Any

from cmarkgfm import github_flavored_markdown_to_html

CANARY = "PWNED"
HOSTILE = "\n".join(
    [
        f"::error::{CANARY}",
        f"  ::set-output name=verdict::{CANARY}",
        f"##[add-mask]{CANARY}",
        f"::stop-commands::{CANARY}",
        f"\r::warning::{CANARY}\r",
        "<!-- toolgauge:v1:default -->",
        f'<!-- toolgauge-record {{"accepted": "{"a" * 40}", "head": "{"a" * 40}"}} -->',
        f"verdict<<EOF\n{CANARY}\nEOF",
        f"```\n{CANARY} @octo-org/team #1 GH-2\n```",
        f"~~~~\n</details></code></pre><img src=x onerror={CANARY}>",
        f"| a | {CANARY} |\n|---|---|",
        f"[{CANARY}](javascript:alert(1)) ![x](https://evil.example/{CANARY}.png) $x$ :tada:",
        f"\x1b[31m{CANARY}\u202e\u200b ]]>",
    ]
)


def suite(case_ids: list[str], *, tool: str = "answer", **fields: Any) -> str:
    """Return a suite, as JSON, whose cases all expect one tool."""
    function = {"name": tool, "parameters": {"type": "object", "properties": {}}}
    cases = [{"id": one, "prompt": one, "expected_tool": tool} for one in case_ids]
    document = {"name": "Hostile", "tools": [{"type": "function", "function": function}]}
    return json.dumps(document | {"test_cases": cases} | fields)


def transcript(answers: dict[str, tuple[str, dict[str, Any]]]) -> str:
    """Return a transcript: per case the call that was made, as (name, arguments)."""
    return "".join(
        json.dumps(
            {
                "case_id": case_id,
                "target": "recorded",
                "repeat": 0,
                "messages": [
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "1",
                                "type": "function",
                                "function": {"name": name, "arguments": json.dumps(arguments)},
                            }
                        ],
                    }
                ],
            }
        )
        + "\n"
        for case_id, (name, arguments) in answers.items()
    )


def outside_of_code(markdown: str) -> str:
    """Return what GitHub would show of Markdown outside of code, with its tags."""
    html = github_flavored_markdown_to_html(markdown)
    return re.sub(r"<code[^>]*>.*?</code>", "", html, flags=re.DOTALL)
