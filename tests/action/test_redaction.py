from __future__ import annotations

import base64
import html
import json
from dataclasses import dataclass
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge_action.redaction import Redactor, secrets_of

SECRETS = st.text(st.characters(codec="utf-8"), min_size=6, max_size=40).filter(
    lambda text: len(text.strip()) >= 6 and not text.isspace() and "*" not in text
)


@dataclass(frozen=True)
class Leaf:
    text: str
    number: int = 1


@given(SECRETS, st.text(max_size=5), st.text(max_size=5))
@settings(max_examples=60)
def test_a_secret_is_hidden_as_it_is_and_as_it_may_be_encoded(
    secret: str, before: str, after: str
) -> None:
    hide = Redactor([secret]).text
    data = secret.encode()
    for form in (
        secret,
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        html.escape(secret),
        data.hex(),
    ):
        assert form not in hide(before + form + after)


@given(st.binary(max_size=5), st.binary(max_size=5))
@settings(max_examples=60)
def test_a_secret_within_base64_is_hidden_wherever_it_stands(before: bytes, after: bytes) -> None:
    secret = "correct-horse-battery"
    encoded = base64.b64encode(before + secret.encode() + after).decode()
    shown = Redactor([secret]).text(f"Authorization: Basic {encoded}")
    assert encoded not in shown
    left = shown.partition("Basic ")[2]
    assert len(left) < 24


def test_every_text_of_a_report_is_redacted_keys_of_arguments_too() -> None:
    report = (Leaf("a sk-123456 b"), {"sk-123456": [{"deep": "xsk-123456"}]}, 7, None)
    assert Redactor(["sk-123456"]).value(report) == (
        Leaf("a *** b"),
        {"***": [{"deep": "x***"}]},
        7,
        None,
    )


def test_without_secrets_nothing_is_touched() -> None:
    value = {"a": "b"}
    assert Redactor([]).value(value) is value
    assert Redactor(["abc", ""]).text("abc stays: it is too short to be a secret") != "***"


def test_secrets_are_known_by_their_names_and_by_what_the_workflow_allows() -> None:
    environment = {
        "OPENAI_API_KEY": "1-aaaaaaaa",
        "MY_SECRET": "2-aaaaaaaa",
        "DB_PASSWORD": "3-aaaaaaaa",
        "GITHUB_TOKEN": "4-aaaaaaaa",
        "URL": "https://user:5-aaaaaaaa@example.org/",
        "WEATHER": "6-aaaaaaaa",
        "INPUT_COMMENT_KEY": "default",
        "GIT_AUTHOR_NAME": "Ada Lovelace",
        "KEYBOARD": "qwertz-layout",
        "PWD": "/home/runner/work",
        "GITHUB_ACTION_PATH": "/home/runner/action",
    }
    found = secrets_of(environment, ["WEATHER"])
    assert sorted(one[0] for one in found) == ["1", "2", "3", "4", "5", "6"]


def test_each_line_of_a_key_file_is_a_secret() -> None:
    key = "-----BEGIN KEY-----\nMIIEowIBAAKCAQEA\nq8Zt1mLxQW\n-----END KEY-----"
    assert Redactor([key]).text("leaked: MIIEowIBAAKCAQEA") == "leaked: ***"
