from __future__ import annotations

import logging
import subprocess
import sys

from action.hostile import CANARY, HOSTILE
from action.runner_log import read_log
from toolgauge_action.__main__ import LogFormatter
from toolgauge_action.redaction import Redactor


def test_what_libraries_log_commands_nothing_and_tells_no_secret() -> None:
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "%s sk-123456", (HOSTILE,), None)
    shown = LogFormatter(Redactor(["sk-123456"])).format(record)
    log = read_log(shown)
    assert log.obeyed == []
    assert CANARY in log.text
    assert "sk-123456" not in log.text


def test_the_memory_of_the_step_is_hidden_from_other_programs_of_its_user() -> None:
    script = (
        "import ctypes; from toolgauge_action.__main__ import hide_memory\n"
        "hide_memory(); print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0"


def test_outside_of_a_runner_it_says_so_and_fails() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "toolgauge_action"],
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "GITHUB_EVENT_NAME" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_keyless_run_imports_nothing_that_speaks_to_models() -> None:
    script = "import sys, toolgauge_action.__main__; print('litellm' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
