"""The Berkeley Function Calling Leaderboard: questions and possible answers.

Both are files of JSON lines, ``BFCL_v4_<category>.json`` and the file of the same name in
``possible_answer/``. Cases get ``match: bfcl``, so that published verdicts come out the
same. Categories that are judged otherwise (several turns, memory, web search, Java,
JavaScript) are refused.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolgauge.errors import InvalidFile, Problem, UsageError
from toolgauge.formats.bfcl_tools import function_of, original_names, tool_name, tool_of
from toolgauge.formats.expected_in_order import single_calls
from toolgauge.formats.layout import Entry, Layout, Outgoing, own_id
from toolgauge.formats.places import did_you_mean, kind_of
from toolgauge.formats.prompts import conversation, messages_sent
from toolgauge.formats.records import BadRecord, Record, Records, read_lines
from toolgauge.model.case import Case

PACKAGE = "bfcl_eval"
ANSWERS = "possible_answer"
_VERSION = "BFCL_v4_"
_ELSEWHERE = ("java", "javascript")
_CATEGORY = re.compile(r"^(.*?)_?\d+(-\d+)*$")


def entry_of(record: dict[str, Any]) -> Entry:
    """Return a case from a question that was joined with its ``ground_truth``.

    Raises:
        BadRecord: the question is broken, or of a category that is judged otherwise.
    """
    case_id = record.get("id")
    if not isinstance(case_id, str) or not case_id:
        raise BadRecord("id", "is required, as text")
    category = _category(case_id)
    if category.endswith(_ELSEWHERE):
        raise BadRecord("id", f"{category} is judged by rules of its language; not supported")
    functions = record.get("function")
    if not isinstance(functions, list):
        raise BadRecord("function", "is required; without it calls are judged by running them")
    tools = [tool_of(one, f"function[{position}]") for position, one in enumerate(functions)]
    case = own_id(record, "id") | conversation(_question(record.get("question")))
    case |= {"tools": tools} | _expectation(record, category)
    return Entry(case | ({"category": category} if category else {}))


def record_of(outgoing: Outgoing) -> dict[str, Any]:
    """Return a question with its ``ground_truth``; ``split`` puts them apart.

    Raises:
        BadRecord: the leaderboard's rules do not hold for the case.
    """
    case = outgoing.case
    if case.match != "bfcl" and case.expects != "any_call" and case.expected:
        raise BadRecord("match", "must be bfcl, with a list of acceptable values per parameter")
    record: dict[str, Any] = {
        "id": case.id,
        "question": [messages_sent(case)],
        "function": [function_of(tool) for tool in outgoing.tools],
    }
    if case.expects == "any_call":
        return record
    answers = _answers(case, outgoing.tools)
    return record | ({"ground_truth": answers} if answers else {})


LAYOUT = Layout(entry_of, record_of, {"match": "bfcl", "defaults": {"tool_choice": "auto"}})


def read_questions(place: str) -> Records:
    """Return the questions of a file, or of a category of the installed leaderboard.

    Each has its possible answer under ``ground_truth``, where there is one.

    Raises:
        InvalidFile: a file cannot be read, or answers and questions do not fit together.
        UsageError: there is no such file, and no such category is installed.
    """
    path = Path(place)
    if not path.is_file():
        path = _installed(place)
    questions = read_lines(path)
    answers_file = path.parent / ANSWERS / path.name
    if not answers_file.is_file():
        return questions
    answers = read_lines(answers_file)
    if answers.problems:
        raise InvalidFile(str(answers_file), answers.problems)
    return _joined(questions, answers)


def split(records: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the lines of the question file and those of the file of possible answers."""
    questions, answers = [], []
    for record in records:
        questions.append({key: value for key, value in record.items() if key != "ground_truth"})
        if "ground_truth" in record:
            answers.append({"id": record["id"], "ground_truth": record["ground_truth"]})
    return questions, answers


def files_of(records: Iterable[dict[str, Any]], name: str) -> dict[str, str]:
    """Return path and text of both files, as the leaderboard lays them out."""
    file = _VERSION + (re.sub(r"\W+", "_", name).strip("_") or "suite") + ".json"
    questions, answers = split(records)
    files = {file: _lines(questions)}
    return files | ({f"{ANSWERS}/{file}": _lines(answers)} if answers else {})


def _category(case_id: str) -> str:
    match = _CATEGORY.match(case_id)
    return match.group(1) if match else ""


def _question(question: Any) -> list[Any]:
    turns = question if isinstance(question, list) else []
    if turns and isinstance(turns[0], dict):
        return turns  # version 2 has the messages of its one turn here
    if len(turns) > 1:
        raise BadRecord("question", "has several turns, which are judged by running the tools")
    if not turns or not isinstance(turns[0], list) or not turns[0]:
        raise BadRecord("question", "must be a list that holds one list of messages")
    return turns[0]


def _expectation(record: dict[str, Any], category: str) -> dict[str, Any]:
    answers = record.get("ground_truth")
    if answers is not None:
        calls = list(_expected_calls(answers))
        return {"expected_calls": calls} | ({"order": "any"} if len(calls) > 1 else {})
    if "irrelevance" in category:
        return {"expect_no_call": True}
    if "relevance" in category:
        return {"expect_any_call": True}
    raise BadRecord("", f"has no answer in {ANSWERS}/, and is not about (ir)relevance")


def _expected_calls(answers: Any) -> Iterable[dict[str, Any]]:
    if not isinstance(answers, list) or not answers:
        raise BadRecord("ground_truth", "must be a list of at least one call")
    for position, answer in enumerate(answers):
        place = f"ground_truth[{position}]"
        if not isinstance(answer, dict) or len(answer) != 1:
            raise BadRecord(place, "must be {function: {parameter: [acceptable values]}}")
        ((name, params),) = answer.items()
        if not isinstance(params, dict):
            raise BadRecord(f"{place}.{name}", f"must be an object, not {kind_of(params)}")
        yield {"tool": tool_name(name), "params": params}


def _answers(case: Case, tools: list[Any]) -> list[dict[str, Any]]:
    names = original_names(tools)
    answers = []
    for name, call in single_calls(case):
        if call.params is None:
            raise BadRecord("", f"states no acceptable values for {name}")
        answers.append({names.get(name, name): call.params})
    return answers


def _joined(questions: Records, answers: Records) -> Records:
    by_id = {record.data.get("id"): record for record in answers.items}
    ids = {record.data.get("id") for record in questions.items}
    strangers = [
        Problem("id", f"no question has the id {record.data.get('id')!r}", record.line)
        for record in answers.items
        if record.data.get("id") not in ids
    ]
    if strangers:
        raise InvalidFile(answers.file, tuple(strangers))
    items = [
        Record(
            record.data | {"ground_truth": by_id[record.data["id"]].data.get("ground_truth")},
            record.path,
            record.line,
        )
        if record.data.get("id") in by_id
        else record
        for record in questions.items
    ]
    return Records(questions.file, tuple(items), questions.problems)


def _installed(category: str) -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise UsageError(
            f"there is no file {category!r}; for a category of the leaderboard's own data, "
            "install its package: pip install bfcl-eval"
        )
    files = sorted(Path(spec.origin).parent.glob("data/BFCL_v*_*.json"))
    known = {re.sub(r"^BFCL_v\d+_", "", file.stem): file for file in files}
    if category not in known:
        hint = did_you_mean(category, known, otherwise="there are: " + ", ".join(known))
        raise UsageError(f"{PACKAGE} has no category {category!r}; {hint}")
    return known[category]


def _lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
