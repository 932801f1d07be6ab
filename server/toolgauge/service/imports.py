"""Tools of live MCP servers and datasets of other systems, brought into saved suites."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import anyio

from toolgauge.errors import InvalidFile, MissingSetting, UsageError
from toolgauge.formats.mcp_tools import Address, Program
from toolgauge.formats.project_file import McpServerDocument
from toolgauge.formats.suite_file import LoadedSuite, load_suite
from toolgauge.service.datasets import import_dataset
from toolgauge.service.permissions import Permissions
from toolgauge.service.project import Project, open_project
from toolgauge.settings import Settings

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_DATASET_SUFFIXES = frozenset({".json", ".jsonl", ".yaml", ".yml"})


def named_server(
    name: str, settings: Settings, project: Project | None = None
) -> Program | Address:
    """Return the MCP server that a project calls ``name``, its variables filled in.

    Without a project it is the one that is found from the working directory.

    Raises:
        UsageError: the project names none so, or it wants a variable that is not allowed.
        MissingSetting: an environment variable that it needs is not set.
    """
    project = project or open_project(None)
    if name not in project.mcp_servers:
        known = ", ".join(sorted(project.mcp_servers)) or "none"
        raise UsageError(
            f"no MCP server {name!r} in .toolgauge.yml (there: {known}). Add it under mcp_servers"
        )
    return _server(name, project.mcp_servers[name], settings, project.folder)


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
        return Address(url, is_sse=is_sse or _speaks_sse(url))
    if not permissions.commands:
        raise UsageError(
            "commands are not allowed here; name the server in .toolgauge.yml, or start "
            "toolgauge mcp with --allow-commands"
        )
    return Program(command[0], command[1:])


def with_variables(
    server: Program | Address, stated: Mapping[str, str], settings: Settings
) -> Program | Address:
    """Return a server that is given the values of environment variables, by their names.

    ``stated`` maps headers of an address, or variables of a program, to the variables of
    this process that hold their values. ``Authorization`` is sent as a bearer's token where
    the value names no scheme.

    Raises:
        MissingSetting: one is not set. What was given for a name is not shown: it may be
            the secret itself.
    """
    values = {}
    for name, variable in stated.items():
        value = settings.key(variable)
        if value is None:
            raise MissingSetting(
                f"{name}: the environment variable that is named for it is not set. Write the "
                "name of a variable, never the secret itself"
            )
        values[name] = value
    secrets = (*server.secrets, *values.values())
    if isinstance(server, Program):
        return replace(server, env={**server.env, **values}, secrets=secrets)
    headers = {name: _header(name, value) for name, value in values.items()}
    return replace(server, headers={**server.headers, **headers}, secrets=secrets)


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


def _header(name: str, value: str) -> str:
    is_bare = name.casefold() == "authorization" and " " not in value.strip()
    return f"Bearer {value.strip()}" if is_bare else value.strip()


@dataclass(slots=True)
class _Variables:
    """The values that ``${NAME}`` of one server may stand for, and those that were used."""

    server: str
    settings: Settings
    used: list[str] = field(default_factory=list)

    def filled(self, text: str) -> str:
        """Return text with each reference replaced by its value."""
        return _REFERENCE.sub(lambda found: self._value(found.group(1)), text)

    def filled_all(self, texts: Mapping[str, str]) -> dict[str, str]:
        return {name: self.filled(text) for name, text in texts.items()}

    def _value(self, name: str) -> str:
        # a project file may be a stranger's, and every key stands in the environment
        if name not in self.settings.mcp_env:
            raise UsageError(
                f"MCP server {self.server!r} of .toolgauge.yml wants ${{{name}}}, which nobody "
                f"allowed. To allow it, set TOOLGAUGE_MCP_ENV={name} (names, separated by "
                "commas; on GitHub the input `allow-env`)"
            )
        value = self.settings.key(name)
        if value is None:
            raise MissingSetting(
                f"MCP server {self.server!r} of .toolgauge.yml needs {name}, which is not set"
            )
        self.used.append(value)
        return value


def _server(
    name: str, stated: McpServerDocument, settings: Settings, folder: Path | None
) -> Program | Address:
    variables = _Variables(name, settings)
    if stated.command:
        args = tuple(map(variables.filled, stated.args))
        env = variables.filled_all(stated.env)
        return Program(stated.command, args, env, folder, tuple(variables.used))
    url = variables.filled(stated.url or "")
    headers = variables.filled_all(stated.headers)
    return Address(url, headers, _speaks_sse(url), tuple(variables.used))


def _speaks_sse(url: str) -> bool:
    return urlsplit(url).path.rstrip("/").endswith("/sse")
