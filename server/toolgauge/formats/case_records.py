"""Cases to records of other systems and back, without loss.

A record says in the fields of its own system what that system can read. Where those
fields alone would not give back the same case, the record carries the case under
``toolgauge``, which other systems ignore; the first record carries the suite's own
fields. A record whose two halves disagree (one was edited) is refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pydantic import ValidationError

from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.layout import Dataset, Entry, Layout, Outgoing, Plain
from toolgauge.formats.places import Loc, Locate, nowhere
from toolgauge.formats.records import BadRecord, Record, Records, in_file_order
from toolgauge.formats.suite_file import LoadedSuite, parse_suite
from toolgauge.formats.transcripts import TranscriptLineDocument
from toolgauge.model.json_equality import identical
from toolgauge.model.suite import case_ids, resolve

CARRIED = "toolgauge"


def dataset_of(records: Records, layout: Layout, name: str) -> Dataset:
    """Return the suite that the records make; ``name`` is its name where they carry none.

    Tools that all records share become the suite's; every case gets an id.

    Raises:
        InvalidFile: with every bad record, and everything that makes no valid suite.
    """
    problems = list(records.problems)
    taken: list[tuple[Record, Entry]] = []
    for record in records.items:
        try:
            taken.append((record, _entry_of(record.data, layout)))
        except BadRecord as bad:
            problems.append(record.problem(bad))
    loaded = None
    if taken:
        head = _carried_head(records) or _head_of(taken, layout, name)
        cases = [_settled(entry, head) for _, entry in taken]
        loaded = _parsed(head | {"test_cases": cases}, records.file, taken, problems)
    elif not problems:
        problems.append(Problem("", "holds no records"))
    if loaded is None or problems:
        raise InvalidFile(records.file, in_file_order(problems))
    dataset = _numbered(head, cases, taken, loaded)
    _refuse_edited(records, dataset, layout)
    return dataset


def records_of(
    dataset: Dataset, layout: Layout, *, file: str, locate: Locate = nowhere
) -> list[Plain]:
    """Return one record per case, which ``dataset_of`` reads back as the same dataset.

    Every case of the dataset must have an id, and one trial at most. ``file`` and
    ``locate`` say in messages where the suite stands.

    Raises:
        InvalidFile: with every case that the system cannot express.
    """
    problems: list[Problem] = []
    records: list[Plain] = []
    for position, outgoing in enumerate(_outgoing(dataset)):
        try:
            records.append(_written(outgoing, layout))
        except BadRecord as bad:
            place = ".".join(step for step in (f"test_cases[{position}]", bad.field) if step)
            loc: Loc = ("test_cases", position)
            problems.append(Problem(place, f"cannot be exported: {bad.message}", locate(loc)))
    if problems:
        raise InvalidFile(file, tuple(problems))
    head = _but(dataset.suite, "test_cases")
    trials = {trial["case_id"]: trial for trial in dataset.trials}
    for record, case in zip(records, dataset.suite["test_cases"], strict=True):
        if not _says_all(record, case, trials.get(case["id"]), layout=layout, head=head):
            trial = trials.get(case["id"])
            record[CARRIED] = {"case": case} | ({"trial": trial} if trial else {})
    records[0][CARRIED] = {"suite": head} | records[0].get(CARRIED, {})
    return records


def with_ids(suite: Plain, loaded: LoadedSuite) -> Plain:
    """Return the suite with the id of every case written out."""
    ids = case_ids(loaded.document.test_cases)
    cases = [
        {"id": each} | _but(case, "id") for each, case in zip(ids, suite["test_cases"], strict=True)
    ]
    return suite | {"test_cases": cases}


def _entry_of(data: Plain, layout: Layout) -> Entry:
    carried = data.get(CARRIED, {})
    if not isinstance(carried, dict) or not isinstance(carried.get("suite", {}), dict):
        raise BadRecord(CARRIED, "is not what an export writes; remove it")
    if "case" not in carried:
        return layout.entry_of(data)
    if not isinstance(carried["case"], dict):
        raise BadRecord(f"{CARRIED}.case", "must be a case; remove it")
    trial = carried.get("trial")
    if trial is not None:
        try:
            TranscriptLineDocument.model_validate(trial, strict=True)
        except ValidationError as error:
            raise BadRecord(f"{CARRIED}.trial", "is no line of a transcript; remove it") from error
    return Entry(carried["case"], trial, was_carried=True)


def _carried_head(records: Records) -> Plain | None:
    carried = records.items[0].data.get(CARRIED)
    head = carried.get("suite") if isinstance(carried, dict) else None
    return head if isinstance(head, dict) else None


def _head_of(taken: Sequence[tuple[Record, Entry]], layout: Layout, name: str) -> Plain:
    head: Plain = {"name": name, **layout.head}
    first = taken[0][1].case.get("tools")
    shared = all(identical(entry.case.get("tools"), first) for _, entry in taken)
    return head | {"tools": first} if first is not None and shared else head


def _settled(entry: Entry, head: Plain) -> Plain:
    """Return the case as it stands in its suite: without the tools that the suite states."""
    case = entry.case
    if entry.was_carried or "tools" not in case or "tools" not in head:
        return case
    return _but(case, "tools") if identical(case["tools"], head["tools"]) else case


def _parsed(
    suite: Plain,
    file: str,
    taken: Sequence[tuple[Record, Entry]],
    problems: list[Problem],
) -> LoadedSuite | None:
    def line_of(loc: Loc) -> int | None:
        position = loc[1] if len(loc) > 1 and loc[0] == "test_cases" else 0
        return taken[position][0].line if isinstance(position, int) else None

    try:
        return parse_suite(suite, file=file, locate=line_of)
    except InvalidFile as error:
        problems.extend(error.problems)
        return None


def _numbered(
    head: Plain,
    cases: list[Plain],
    taken: Sequence[tuple[Record, Entry]],
    loaded: LoadedSuite,
) -> Dataset:
    suite = with_ids(head | {"test_cases": cases}, loaded)
    trials = [
        {"case_id": case["id"]} | _but(entry.trial, "case_id")
        for case, (_, entry) in zip(suite["test_cases"], taken, strict=True)
        if entry.trial is not None
    ]
    return Dataset(suite, tuple(trials), loaded.warnings)


def _refuse_edited(records: Records, dataset: Dataset, layout: Layout) -> None:
    """Refuse records whose own fields say something else than the case that they carry."""
    carrying = any("case" in record.data.get(CARRIED, {}) for record in records.items)
    if layout.record_of is None or not carrying:
        return
    problems = []
    for record, outgoing in zip(records.items, _outgoing(dataset), strict=True):
        if "case" not in record.data.get(CARRIED, {}):
            continue
        try:
            agrees = identical(_but(record.data, CARRIED), layout.record_of(outgoing))
        except BadRecord:
            agrees = False
        if not agrees:
            message = f"disagrees with the record's own fields; remove `{CARRIED}.case`"
            problems.append(record.problem(BadRecord(f"{CARRIED}.case", message)))
    if problems:
        raise InvalidFile(records.file, tuple(problems))


def _outgoing(dataset: Dataset) -> list[Outgoing]:
    suite = dataset.suite
    document = parse_suite(suite, file=suite["name"]).document
    # tools of MCP servers are not asked for: a record has no place for them anyway
    resolved = resolve(document, mcp_tools=defaultdict(tuple))
    trials = {trial["case_id"]: trial for trial in dataset.trials}
    shared = suite.get("tools", [])
    return [
        Outgoing(case, shared if raw.get("tools") is None else raw["tools"], trials.get(case.id))
        for raw, case in zip(suite["test_cases"], resolved.cases, strict=True)
    ]


def _written(outgoing: Outgoing, layout: Layout) -> Plain:
    if layout.record_of is None:
        raise BadRecord("", "nothing can be exported to this system")
    return layout.record_of(outgoing)


def _says_all(
    record: Plain, case: Plain, trial: Plain | None, *, layout: Layout, head: Plain
) -> bool:
    """Whether the record's own fields give back the same case and trial."""
    try:
        entry = layout.entry_of(record)
    except BadRecord:
        return False
    own_trial = entry.trial and {"case_id": entry.case.get("id")} | entry.trial
    return identical(_settled(entry, head), case) and identical(own_trial, trial)


def _but(fields: Plain, name: str) -> Plain:
    return {key: value for key, value in fields.items() if key != name}
