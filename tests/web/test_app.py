from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ResourceTemplateReference

from mcp_server.conftest import SUITE, Agent
from serving import serving
from toolgauge.errors import UsageError
from toolgauge.mcp_server.app import MOST_BODY_BYTES, ServerOptions
from toolgauge.settings import Settings
from toolgauge.web.app import WebOptions, make_app
from toolgauge.web.auth import read_tokens

pytestmark = pytest.mark.anyio
ANN, BOB = "a" * 20, "b" * 20
TOKENS = read_tokens(f"ann:{ANN},bob:{BOB}")
MCP_HEADERS = {"Accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
def app(tmp_path: Path) -> Any:
    options = ServerOptions(Settings({}), f"sqlite:///{tmp_path}/toolgauge.db", is_durable=False)
    return make_app(options, WebOptions("127.0.0.1", TOKENS))


@asynccontextmanager
async def asking(base: str, token: str, era: str):
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{base}/mcp", http_client=http)
        async with Client(transport, mode=era) as client:
            yield Agent(client)


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_a_run_is_measured_over_http_and_belongs_to_its_owner(app: Any, era: str) -> None:
    async with serving(app) as base:
        async with asking(base, ANN, era) as ann:
            run_id = await ann.finished_run(experiment_id="prompts")
            assert (await ann.call("list_runs"))["total"] == 1
        async with asking(base, BOB, era) as bob:
            for tool in ("list_runs", "list_suites", "list_experiments"):
                assert await bob.call(tool) == {"items": [], "next_cursor": None, "total": 0}
            for tool in ("get_run", "list_results", "cancel_run", "delete_run", "rescore_run"):
                assert "No run" in await bob.complaint(tool, run_id=run_id)
            assert "No experiment" in await bob.complaint("get_experiment", experiment_id="prompts")


async def test_what_the_best_run_again_makes_belongs_to_its_owner(app: Any) -> None:
    async with serving(app) as base:
        async with asking(base, ANN, "auto") as ann:
            await ann.finished_run(experiment_id="prompts")
            best = await ann.call("run_best", experiment_id="prompts")
            shown = await ann.call("get_run", run_id=best["run_id"], wait_s=30)
            assert shown["run"]["status"] == "completed"
            assert (await ann.call("list_runs", experiment_id="prompts"))["total"] == 2
        async with asking(base, BOB, "auto") as bob:
            assert "No run" in await bob.complaint("get_run", run_id=best["run_id"])


async def test_ids_of_others_lead_nowhere(app: Any) -> None:
    async with serving(app) as base:
        async with asking(base, ANN, "auto") as ann:
            theirs = await ann.finished_run(experiment_id="prompts")
            (listed,) = (await ann.call("list_experiments"))["items"]
        experiment = listed["experiment_id"]
        async with asking(base, BOB, "auto") as bob:
            own = await bob.finished_run(experiment_id="mine")
            for sides in ((own, theirs), (theirs, own), (experiment, own)):
                asked = dict(zip(("baseline", "candidate"), sides, strict=True))
                assert "No run" in await bob.complaint("compare_runs", **asked)
            for tool in ("get_experiment", "run_best", "pin_baseline"):
                assert "No experiment" in await bob.complaint(tool, experiment_id=experiment)
            pinned = await bob.complaint("pin_baseline", experiment_id="mine", run_id=theirs)
            assert "No run" in pinned
            for uri in (f"runs/{theirs}", f"runs/{theirs}/report", f"experiments/{experiment}"):
                with pytest.raises(MCPError, match=r"No (run|experiment)"):
                    await bob.client.read_resource(f"toolgauge://{uri}")
            for name, given in (("run_id", theirs), ("experiment_id", experiment)):
                template = ResourceTemplateReference(uri=f"toolgauge://x/{{{name}}}")
                begun = {"name": name, "value": given[:4]}
                completed = await bob.client.complete(template, begun)
                assert given not in completed.completion.values


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed:UserWarning")
async def test_nobody_is_told_of_the_runs_of_others(app: Any) -> None:
    async with serving(app) as base:
        async with asking(base, ANN, "auto") as ann:
            theirs = f"toolgauge://runs/{await ann.finished_run()}"
        async with asking(base, BOB, "legacy") as bob:
            with pytest.raises(MCPError, match="No run"):
                await bob.client.session.subscribe_resource(theirs)
        async with asking(base, BOB, "auto") as bob:
            own = f"toolgauge://runs/{await bob.finished_run()}"
            async with bob.client.listen(resource_subscriptions=[theirs, own]) as heard:
                assert heard.honored.resource_subscriptions == [own]


async def test_an_experiment_of_another_is_not_joined_by_its_id(app: Any) -> None:
    async with serving(app) as base:
        async with asking(base, ANN, "auto") as ann:
            await ann.finished_run(experiment_id="prompts")
            (listed,) = (await ann.call("list_experiments"))["items"]
        experiment = listed["experiment_id"]
        async with asking(base, BOB, "auto") as bob:
            await bob.finished_run(experiment_id=experiment)
            (own,) = (await bob.call("list_experiments"))["items"]
            assert own["experiment_id"] != experiment
            assert (await bob.call("get_experiment", experiment_id=experiment))["total"] == 1
        async with asking(base, ANN, "auto") as ann:
            assert (await ann.call("get_experiment", experiment_id="prompts"))["total"] == 1


async def test_code_and_files_of_the_server_cannot_be_used_as_targets(app: Any) -> None:
    async with serving(app) as base, asking(base, ANN, "auto") as ann:
        await ann.call("save_suite", document=SUITE)
        for target in ("python:os:system", "replay//etc/passwd"):
            refused = await ann.complaint("start_run", suite_id="weather", targets=[target])
            assert "not allowed here" in refused
        code, file = (SUITE | {"targets": [one]} for one in ("python:os:system", "replay/x"))
        assert "must not name code" in await ann.complaint("save_suite", document=code)
        await ann.call("save_suite", document=file)
        assert "not allowed here" in await ann.complaint("start_run", suite_id="weather")
        assert (await ann.call("list_runs"))["total"] == 0


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", f"Bearer {ANN}x", f"Basic {ANN}", ANN]
)
async def test_without_a_known_token_nothing_is_served(app: Any, authorization: str | None) -> None:
    headers = MCP_HEADERS | ({} if authorization is None else {"Authorization": authorization})
    async with serving(app) as base, httpx2.AsyncClient() as http:
        refused = await http.post(f"{base}/mcp", json=PING, headers=headers)
        health = await http.get(f"{base}/healthz")
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert refused.json()["error"]["kind"] == "unauthorized"
    assert health.json()["status"] == "ok"


@pytest.mark.parametrize("path", ["/mcp", "/healthz", "/nothing"])
async def test_other_hosts_and_other_sites_are_refused_on_every_route(app: Any, path: str) -> None:
    token = {"Authorization": f"Bearer {ANN}"}
    async with serving(app) as base, httpx2.AsyncClient(headers=token) as http:
        rebound = await http.get(base + path, headers={"Host": "evil.example"})
        cross_site = await http.get(base + path, headers={"Origin": "https://evil.example"})
        other_port = await http.get(base + path, headers={"Origin": "http://127.0.0.1:1"})
        own = await http.get(base + path, headers={"Origin": base})
    assert rebound.status_code == 421
    assert cross_site.status_code == other_port.status_code == 403
    assert own.status_code not in (403, 421)


async def test_a_body_beyond_the_limit_is_refused(app: Any) -> None:
    headers = MCP_HEADERS | {"Authorization": f"Bearer {ANN}", "Content-Type": "application/json"}
    async with serving(app) as base, httpx2.AsyncClient(headers=headers) as http:
        refused = await http.post(f"{base}/mcp", content=b" " * (MOST_BODY_BYTES + 1))
    assert refused.status_code == 413


async def test_without_tokens_loopback_callers_are_local(tmp_path: Path) -> None:
    options = ServerOptions(Settings({}), f"sqlite:///{tmp_path}/toolgauge.db", is_durable=False)
    app = make_app(options, WebOptions("127.0.0.1", None))
    async with serving(app) as base, Client(f"{base}/mcp") as client:
        assert (await Agent(client).call("list_suites"))["items"] == []


def test_a_server_without_tokens_is_not_opened_to_a_network() -> None:
    options = ServerOptions(Settings({}))
    anywhere = "0.0.0.0"  # noqa: S104 - refused, not bound
    with pytest.raises(UsageError, match=r"anybody who reaches 0\.0\.0\.0"):
        make_app(options, WebOptions(anywhere, None))
    with pytest.raises(UsageError, match="--allow-host"):
        make_app(options, WebOptions(anywhere, TOKENS))


async def test_a_stated_name_and_a_stated_site_are_served(tmp_path: Path) -> None:
    options = ServerOptions(Settings({}), f"sqlite:///{tmp_path}/toolgauge.db", is_durable=False)
    web = WebOptions("127.0.0.1", TOKENS, ("gauge.example",), ("https://ui.example",))
    async with serving(make_app(options, web)) as base, httpx2.AsyncClient() as http:
        headers = {"Host": "gauge.example", "Origin": "https://ui.example"}
        assert (await http.get(f"{base}/healthz", headers=headers)).status_code == 200
