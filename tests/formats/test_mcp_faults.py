from __future__ import annotations

from toolgauge.formats.mcp_faults import Seen, why_unread, without


def test_the_first_error_within_groups_is_told() -> None:
    error = ExceptionGroup("outer", [ExceptionGroup("inner", [ValueError("odd\nly")])])
    assert str(why_unread(error, "x", Seen(is_program=False))).endswith("odd\\x0aly")


def test_only_the_refusal_of_the_last_message_counts() -> None:
    seen = Seen(is_program=False)
    seen.note("POST", 404)
    seen.note("POST", 200)
    seen.note("GET", 405)
    assert seen.status is None
    seen.note("POST", 503)
    assert seen.status == 503


def test_secrets_are_hidden_as_they_are_trimmed_and_quoted() -> None:
    shown = without(r"a s3cret, 's3\\cret\n', s3\cret", ("s3cret\n", "s3\\cret\n", ""))
    assert "s3" not in shown
