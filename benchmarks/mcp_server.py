"""Measures the MCP server: its start, its readers over stdio, and over HTTP during a run.

Beside each figure stands a server of the same SDK whose only tool does nothing
(``mcp_floor.py``), asked by the same client in the same round. So the ratios tell what our
part costs, whatever the machine::

    python benchmarks/mcp_server.py
    python benchmarks/mcp_server.py --only calls --rounds 9
    python benchmarks/mcp_server.py --quick

Figures are medians of the rounds. Exit code 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from mcp_calls import INITIALIZE, Call, Rate, line, load, over_http, over_pipes, sessions_on
from spent import machine, verdict
from stub_suite import TOOLS, prompt, tool

MOST_START_S = 1.5
FEWEST_CALLS_PER_S = 300.0
MOST_P99_MS = 500.0
WIDTH = 8
SUITE, LONG_SUITE = "stub", "long"
FLOOR = Path(__file__).with_name("mcp_floor.py")
NOTHING = Call("nothing", {})


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured; the finished run has a trial per case."""

    rounds: int
    cases: int
    calls: int
    clients: int
    seconds: int
    long_cases: int


WHOLE = Size(rounds=5, cases=1200, calls=1000, clients=50, seconds=20, long_cases=30_000)
QUICK = Size(rounds=1, cases=20, calls=40, clients=5, seconds=2, long_cases=4000)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where it is measured: a database with a finished run, and a suite for a long one."""

    size: Size
    environment: dict[str, str]
    run_id: str

    def readers(self) -> tuple[Call, ...]:
        """Return calls that an agent makes about a run that is over."""
        return (
            Call("get_run", {"run_id": self.run_id}),
            Call("list_results", {"run_id": self.run_id, "outcome": "failed"}),
        )


def toolgauge(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "toolgauge", *arguments]


def floor(*arguments: str) -> list[str]:
    return [sys.executable, str(FLOOR), *arguments]


def start(bench: Bench) -> bool:
    """Print how long after its start a server has answered ``initialize``."""
    imports = [sys.executable, "-c", "from mcp.server import MCPServer"]
    ways: dict[str, Callable[[], float]] = {
        "import the SDK": lambda: exited_s(imports, bench.environment),
        "the floor answers": lambda: answered_s(floor(), bench.environment),
        "toolgauge mcp answers": lambda: answered_s(toolgauge("mcp"), bench.environment),
    }
    for way in ways.values():
        way()  # unmeasured: writes bytecode
    rounds = [{name: way() for name, way in ways.items()} for _ in range(bench.size.rounds)]
    found = {name: median(one[name] for one in rounds) for name in ways}
    least_s, *_, ours_s = found.values()
    print("| from the start of the process | s | times the import |\n|---|---|---|")
    for name, taken_s in found.items():
        print(f"| {name} | {taken_s:.2f} | {taken_s / least_s:.2f} |")
    is_met = ours_s <= MOST_START_S
    print(f"\ninitialize after {ours_s:.2f} s, at most {MOST_START_S:g}: {verdict(is_met)}")
    return is_met


def exited_s(command: list[str], environment: dict[str, str]) -> float:
    started_s = time.perf_counter()
    subprocess.run(command, env=environment, check=True)
    return time.perf_counter() - started_s


def answered_s(command: list[str], environment: dict[str, str]) -> float:
    started_s = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line("initialize", INITIALIZE, 1))
        process.stdin.flush()
        answer = process.stdout.readline()
        taken_s = time.perf_counter() - started_s
        process.stdin.close()
    if b'"serverInfo"' not in answer:
        raise SystemExit(f"no answer to initialize: {answer!r}")
    return taken_s


def calls(bench: Bench) -> bool:
    """Print how many calls a second are answered over stdio."""
    readers = {call.tool: call for call in bench.readers()}
    found: dict[str, list[Rate]] = {}
    with (
        over_pipes(floor(), bench.environment) as least,
        over_pipes(toolgauge("mcp"), bench.environment) as ours,
    ):
        asked = [("(does nothing)", least, NOTHING)]
        asked += [(name, ours, call) for name, call in readers.items()]
        for _, pipes, call in asked:
            pipes.rate(call, WIDTH, WIDTH)  # unmeasured: imports, opens the database
        for _ in range(bench.size.rounds):
            for name, pipes, call in asked:
                found.setdefault(name, []).append(pipes.rate(call, bench.size.calls, WIDTH))
    rates = {name: median(one.per_s for one in each) for name, each in found.items()}
    most = rates["(does nothing)"]
    print(f"| tool, {WIDTH} calls at a time | calls/s | of the floor's | per CPU second |")
    print("|---|---|---|---|")
    for name, rate in rates.items():
        per_cpu_s = median(one.per_cpu_s for one in found[name])
        print(f"| {name} | {rate:.0f} | {rate / most:.2f} | {per_cpu_s:.0f} |")
    slowest = min(rates[name] for name in readers)
    is_met = slowest >= FEWEST_CALLS_PER_S
    print(f"\n{slowest:.0f} calls/s, at least {FEWEST_CALLS_PER_S:g}: {verdict(is_met)}")
    return is_met


def http(bench: Bench) -> bool:
    """Print how long readers over HTTP wait while the same server carries out a run."""
    size = bench.size
    with over_http(floor("http"), bench.environment) as url:
        least = asyncio.run(waits_of_floor(url, size))
    serve = toolgauge("serve", "--no-auth", "--port", "0")
    with over_http(serve, bench.environment) as url:
        ours, trials_per_s = asyncio.run(waits_during_run(url, bench))
    print(f"| {size.clients} clients, a call a second each | p50, ms | p99, ms |\n|---|---|---|")
    for name, (p50, p99) in (("(does nothing)", least), ("readers, during a run", ours)):
        print(f"| {name} | {p50:.1f} | {p99:.1f} |")
    is_met = ours[1] < MOST_P99_MS
    print(
        f"\np99 {ours[1]:.0f} ms, {ours[1] / least[1]:.1f} times the floor's, below "
        f"{MOST_P99_MS:g}: {verdict(is_met)} (the run made {trials_per_s:.0f} trials/s meanwhile)"
    )
    return is_met


async def waits_of_floor(url: str, size: Size) -> tuple[float, float]:
    async with sessions_on(url, size.clients) as sessions:
        return percentiles_ms(await load(sessions, [NOTHING], size.seconds))


async def waits_during_run(url: str, bench: Bench) -> tuple[tuple[float, float], float]:
    """Return the waits, and how many trials the run made in a second meanwhile."""
    size = bench.size
    async with sessions_on(url, size.clients) as sessions:
        asked = {"suite_id": LONG_SUITE, "targets": ["builtin/lexical"]}
        begin = Call("start_run", asked)
        run_id = (await sessions[0].result(begin))["run_id"]
        show = Call("get_run", {"run_id": run_id})
        await sessions[0].ask(Call("get_run", {"run_id": run_id, "wait_s": 1}))
        before = trials_of(await sessions[0].result(show))
        begun_s = time.perf_counter()
        took_s = await load(sessions, [*bench.readers(), show], size.seconds)
        shown = await sessions[0].result(show)
        made = (trials_of(shown) - before) / (time.perf_counter() - begun_s)
        if not before or shown["run"]["status"] != "running":
            raise SystemExit("the run did not go on during the measurement: change its size")
        await sessions[0].ask(Call("cancel_run", {"run_id": run_id}))
    return percentiles_ms(took_s), made


def trials_of(shown: dict[str, dict[str, int]]) -> int:
    return sum(shown["run"][name] for name in ("passed", "failed", "errored"))


def percentiles_ms(took_s: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    cuts = quantiles(took_s, n=100, method="inclusive")
    return 1000 * cuts[49], 1000 * cuts[98]


def write_suite(file: Path, name: str, cases: int) -> Path:
    """Write a suite of the stub's questions; every fifth expects another city."""
    made = [
        {
            "id": f"city-{number}",
            "prompt": prompt(number),
            "expected_tool": "get_weather",
            "expected_params": {"city": f"City {number + (number % 5 == 0)}"},
        }
        for number in range(cases)
    ]
    tools = [tool(one) for one in TOOLS]
    file.write_text(json.dumps({"name": name, "tools": tools, "test_cases": made}))
    return file


def prepared(folder: Path, size: Size) -> Bench:
    """Return a bench whose database holds a finished run and the suite of the long one."""
    database = f"sqlite:///{folder / 'toolgauge.db'}"
    environment = dict(os.environ) | {"TOOLGAUGE_DATABASE_URL": database}
    # an installed program has its bytecode
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    suite = write_suite(folder / "suite.json", SUITE, size.cases)
    long_suite = write_suite(folder / "long.json", LONG_SUITE, size.long_cases)
    run = toolgauge("run", str(suite), "-m", "builtin/lexical", "--json")
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    save = toolgauge("suites", "save", str(long_suite))
    subprocess.run(save, env=environment, capture_output=True, check=True)
    return Bench(size, environment, json.loads(done.stdout)["runs"][0]["id"])


PARTS: dict[str, Callable[[Bench], bool]] = {"start": start, "calls": calls, "http": http}


def main() -> int:
    parser = argparse.ArgumentParser(description="What agents wait for.")
    parser.add_argument("--only", choices=PARTS, help="one part; all of them without")
    parser.add_argument("--quick", action="store_true", help="few of everything, one round")
    parser.add_argument("--rounds", type=int, help="the median of so many (5)")
    asked = parser.parse_args()
    size = QUICK if asked.quick else WHOLE
    size = replace(size, rounds=asked.rounds or size.rounds)
    print(machine())
    with TemporaryDirectory() as name:
        bench = prepared(Path(name), size)
        are_met = []
        for part in [asked.only] if asked.only else PARTS:
            print(f"\n## {part}\n")
            are_met.append(PARTS[part](bench))
    print(f"\n{machine()}")
    return int(not all(are_met))


if __name__ == "__main__":
    sys.exit(main())
