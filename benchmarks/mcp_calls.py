"""Calls of MCP tools with as little of a client as can be, so that the server is measured.

Requests are bytes made beforehand, answers are looked at but not parsed. Knows nothing of
toolgauge. ``Pipes`` speaks over stdio, ``Session`` over HTTP.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

VERSION = "2025-11-25"
_ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
_ID = re.compile(rb'"id": ?(\d+)')
_HEAD = 60
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_WRONG = re.compile(rb'"isError": ?true|"error": ?\{"code"')
_CLIENT = {"name": "benchmark", "version": "1"}
INITIALIZE = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": _CLIENT}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and what it is given."""

    tool: str
    arguments: Mapping[str, Any]

    def line(self, number: int) -> bytes:
        params = {"name": self.tool, "arguments": self.arguments}
        return line("tools/call", params, number)


def line(method: str, params: Mapping[str, Any] | None = None, number: int | None = None) -> bytes:
    """Return a request, or without a number a notification."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    message |= {"params": params} if params is not None else {}
    message |= {"id": number} if number is not None else {}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Rate:
    """Calls that were answered in a second, and in a second of the server's CPU."""

    per_s: float
    per_cpu_s: float


class Pipes:
    """One server over stdio; every call waits for its answer, several at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._in, self._out, self._pid = process.stdin, process.stdout, process.pid
        self._number = 0

    def initialize(self) -> None:
        self._answered([line("initialize", INITIALIZE, self._next())], 1)
        self._send(line("notifications/initialized"))

    def ask(self, call: Call) -> dict[str, Any]:
        """Return the structured result of one call."""
        (answer,) = self._answered([call.line(self._next())], 1)
        found: dict[str, Any] = json.loads(answer)["result"]["structuredContent"]
        return found

    def rate(self, call: Call, calls: int, width: int) -> Rate:
        """Return how quickly one call is answered again and again, so many waiting at a time."""
        lines = [call.line(self._next()) for _ in range(calls)]
        started_s, cpu_s = time.perf_counter(), cpu_of(self._pid)
        self._answered(lines, width)
        # at least one tick of the kernel's clock
        cpu_s = max(cpu_of(self._pid) - cpu_s, _TICK_S)
        return Rate(calls / (time.perf_counter() - started_s), calls / cpu_s)

    def _answered(self, lines: Sequence[bytes], width: int) -> list[bytes]:
        waiting, answers = iter(lines), []
        for first in lines[:width]:
            next(waiting)
            self._send(first)
        while len(answers) < len(lines):
            answer = self._out.readline()
            if not answer:
                raise SystemExit("the server went away")
            if _ID.search(answer[:_HEAD]) is None:
                continue  # a notification
            checked(answer)
            answers.append(answer)
            for one in waiting:
                self._send(one)
                break
        return answers

    def _send(self, message: bytes) -> None:
        self._in.write(message)
        self._in.flush()

    def _next(self) -> int:
        self._number += 1
        return self._number


@contextmanager
def over_pipes(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Pipes]:
    """Give a server over stdio, initialized; it ends with the block."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        pipes = Pipes(process)
        pipes.initialize()
        try:
            yield pipes
        finally:
            assert process.stdin
            process.stdin.close()


@contextmanager
def over_http(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Give the address of a server over HTTP, which tells it first on stderr."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        told = process.stderr.readline()
        found = re.search(r"http://\S+", told)
        try:
            if found is None:
                raise SystemExit(f"the server did not start: {told}")
            yield found[0]
        finally:
            process.terminate()


class Session:
    """One client over HTTP."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http, self._url = http, url
        self._headers = dict(_ACCEPTED)
        self._number = 0

    async def initialize(self) -> None:
        async with self._post(line("initialize", INITIALIZE, 0)) as response:
            checked(await response.read())
            session = response.headers["Mcp-Session-Id"]
        self._headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": VERSION}
        async with self._post(line("notifications/initialized")):
            pass

    async def ask(self, call: Call) -> bytes:
        """Return the answer to one call, as it came."""
        self._number += 1
        async with self._post(call.line(self._number)) as response:
            return checked(await response.read())

    async def result(self, call: Call) -> dict[str, Any]:
        """Return the structured result of one call."""
        answer = await self.ask(call)
        # an event of a stream, or the answer alone
        found: dict[str, Any] = json.loads(answer[answer.index(b"{") :].splitlines()[0])
        return found["result"]["structuredContent"]

    def _post(self, body: bytes) -> Any:
        return self._http.post(self._url, data=body, headers=self._headers)


@asynccontextmanager
async def sessions_on(url: str, clients: int) -> AsyncIterator[list[Session]]:
    """Give so many clients, each with a session of its own."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, raise_for_status=True) as http:
        sessions = [Session(http, url) for _ in range(clients)]
        for session in sessions:
            await session.initialize()
        yield sessions


async def load(sessions: Sequence[Session], calls: Sequence[Call], seconds: int) -> list[float]:
    """Return how long calls took, in seconds, where each client calls once a second.

    A call is timed from when it was due, so that a server that stalls is not spared the calls
    that it held up.
    """
    took_s: list[float] = []
    start_s = time.perf_counter()

    async def work(place: int, session: Session) -> None:
        for second in range(seconds):
            due_s = start_s + second + place / len(sessions)
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            await session.ask(calls[(place + second) % len(calls)])
            took_s.append(time.perf_counter() - due_s)

    await asyncio.gather(*(work(place, one) for place, one in enumerate(sessions)))
    return took_s


def cpu_of(pid: int) -> float:
    """Return the CPU that a process has used so far, in seconds: user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def checked(answer: bytes) -> bytes:
    """Return an answer that is no error."""
    if _WRONG.search(answer):
        raise SystemExit(f"a call failed: {answer[:500].decode(errors='replace')}")
    return answer
