"""Tools of live MCP servers and datasets of other systems, brought into saved suites."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import anyio

from toolgauge.errors import InvalidFile, MissingSetting, UsageError
from toolgauge.formats.mcp_tools import Address, ListedTools, Program, list_tools
from toolgauge.formats.project_file import McpServerDocument, find_project, load_project
from toolgauge.formats.suite_file import LoadedSuite, load_suite, parse_suite
from toolgauge.model.suite import SuiteDocument
from toolgauge.model.tools import McpTools, ToolSpec
from toolgauge.service.datasets import import_dataset
from toolgauge.service.permissions import Permissions
from toolgauge.settings import Settings
from toolgauge.store.suites import suite_json

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_DATASET_SUFFIXES = frozenset({".json", ".jsonl", ".yaml", ".yml"})


def named_server(name: str, settings: Settings) -> Program | Address:
    """Return the MCP server that the project file calls ``name``, its variables filled in.

    Raises:
        UsageError: the project file names none so.
        MissingSetting: an environment variable that it needs is not set.
    """
    path = find_project(Path.cwd())
    servers = load_project(path).mcp_servers if path else {}
    if path is None or name not in servers:
        known = ", ".join(sorted(servers)) or "none"
        raise UsageError(f"no MCP server {name!r} in .toolgauge.yml (there: {known})")
    return _server(servers[name], settings, path.parent)


def free_server(
    url: str | None, command: tuple[str, ...], permissions: Permissions, *, is_sse: bool = False
) -> Program | Address:
    """Return the server at an address or behind a command, where such are allowed.

    Raises:
        UsageError: they are not, or both or neither are given.
    """
    if bool(url) == bool(command):
        raise UsageError("name one of: server (of .toolgauge.yml), url, command")
    if url:
        if not permissions.urls:
            raise UsageError("addresses are not allowed here; name the server in .toolgauge.yml")
        if urlsplit(url).scheme not in ("http", "https"):
            raise UsageError(f"{url!r} is no address that starts with http:// or https://")
        return Address(url, is_sse=is_sse)
    if not permissions.commands:
        raise UsageError(
            "commands are not allowed here; name the server in .toolgauge.yml, or start "
            "toolgauge mcp with --allow-commands"
        )
    return Program(command[0], command[1:])


async def with_server_tools(document: SuiteDocument, settings: Settings) -> SuiteDocument:
    """Return the suite with the tools of each ``{mcp: NAME}`` in its place, as they are now.

    Raises:
        UsageError: a server is not in the project file, or cannot be read.
    """
    elements = (*document.tools, *(t for c in document.test_cases for t in c.tools or ()))
    names = sorted({one.mcp for one in elements if isinstance(one, McpTools)})
    if not names:
        return document
    listed = {name: await list_tools(named_server(name, settings), name=name) for name in names}
    tools = {name: one.tools for name, one in listed.items()}
    cases = [
        case
        if case.tools is None
        else case.model_copy(update={"tools": _filled(case.tools, tools)})
        for case in document.test_cases
    ]
    return document.model_copy(
        update={"tools": _filled(document.tools, tools), "test_cases": cases}
    )


def loaded_with(document: SuiteDocument, listed: ListedTools) -> LoadedSuite:
    """Return the suite with these tools in place of its own, checked anew.

    Raises:
        InvalidFile: its cases do not go with the tools.
    """
    body = suite_json(document)
    body["tools"] = [tool.as_sent() for tool in listed.tools]
    return parse_suite(body, file=f"suite {document.name!r}")


async def import_content(kind: str, content: str, suffix: str) -> LoadedSuite:
    """Return the suite that a dataset makes, given as the text of its file.

    Raises:
        InvalidFile: with every bad record.
        UsageError: there is no such kind of dataset or file.
    """
    if suffix not in _DATASET_SUFFIXES:
        raise UsageError(f"{suffix!r}: a dataset is {', '.join(sorted(_DATASET_SUFFIXES))}")

    def work() -> LoadedSuite:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"content{suffix}"
            file.write_text(content, encoding="utf-8", errors="surrogatepass")
            try:
                return _imported(kind, str(file), Path(folder) / "out.suite.json")
            except InvalidFile as error:
                raise InvalidFile(f"the {kind} content", error.problems) from error

    return await anyio.to_thread.run_sync(work)


async def import_place(kind: str, path: str, permissions: Permissions) -> LoadedSuite:
    """Return the suite that a dataset makes, given as a file that may be read.

    Raises:
        InvalidFile: with every bad record.
        UsageError: the file may not be read, or there is no such kind.
    """
    place = str(permissions.file(path))

    def work() -> LoadedSuite:
        with tempfile.TemporaryDirectory() as folder:
            return _imported(kind, place, Path(folder) / "out.suite.json")

    return await anyio.to_thread.run_sync(work)


def _imported(kind: str, place: str, out: Path) -> LoadedSuite:
    imported = import_dataset(kind, place, out)
    loaded = load_suite(imported.suite_file)
    return LoadedSuite(loaded.document, (*imported.warnings, *loaded.warnings), place)


def _server(stated: McpServerDocument, settings: Settings, folder: Path) -> Program | Address:
    def filled(text: str) -> str:
        return _REFERENCE.sub(lambda found: _variable(found.group(1), settings), text)

    if stated.command:
        env = {name: filled(value) for name, value in stated.env.items()}
        return Program(stated.command, tuple(map(filled, stated.args)), env, folder)
    headers = {name: filled(value) for name, value in stated.headers.items()}
    url = filled(stated.url or "")
    return Address(url, headers, is_sse=urlsplit(url).path.rstrip("/").endswith("/sse"))


def _variable(name: str, settings: Settings) -> str:
    value = settings.key(name)
    if value is None:
        raise MissingSetting(f"an MCP server of .toolgauge.yml needs {name}, which is not set")
    return value


def _filled(
    tools: list[ToolSpec | McpTools], servers: Mapping[str, tuple[ToolSpec, ...]]
) -> list[ToolSpec | McpTools]:
    filled: list[ToolSpec | McpTools] = []
    for tool in tools:
        filled.extend(servers[tool.mcp] if isinstance(tool, McpTools) else (tool,))
    return filled
