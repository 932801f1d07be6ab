"""A GitHub on loopback: the resources that the action uses, with faults on demand.

Every request and answer is held against GitHub's own description; ``violations`` keeps
what does not fit, and the fixture that hands a double out checks that there is none.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from action.openapi_check import example, resource_of, wrong_request, wrong_response
from loopback import LoopbackServer

REPOSITORY = "octo-org/library-desk"
REPOSITORY_ID, FORK_ID = 101, 202
WORKFLOW = ".github/workflows/evals.yml"
BOT = {"login": "github-actions[bot]", "type": "Bot", "id": 41898282}
_ROOT = "/repos/{owner}/{repo}"


@dataclass
class Fault:
    """An answer out of turn, to the first request of this method whose path holds ``path``."""

    method: str
    path: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "Server Error"
    carried_out: bool = False  # the request was done all the same, only its answer is lost


@dataclass
class State:
    """What this GitHub knows."""

    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    archives: dict[int, bytes] = field(default_factory=dict)
    runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)
    merge_base: str | None = None
    viewer: str = BOT["login"]
    may_write: bool = True
    may_read_actions: bool = True


class GitHubDouble(LoopbackServer):
    """Serves a state at ``url``; ``requests`` are ``(method, path, query, body)``."""

    def __init__(self) -> None:
        self.state = State()
        self.faults: deque[Fault] = deque()
        self.violations: list[str] = []
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        self.leaks: list[str] = []
        self._numbers = iter(range(1000, 100_000))
        super().__init__(_handler(self))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def storage_url(self) -> str:
        # another host as far as clients can tell
        return f"http://localhost:{self.port}/storage"

    # what tests put into it

    def open_pull(
        self, number: int, head: str, *, labels: tuple[str, ...] = (), fork: bool = False
    ) -> dict[str, Any]:
        pull = example(f"GET {_ROOT}/pulls/{{pull_number}}")
        # the description's example of a team lacks what its schema requires
        pull |= {"number": number, "state": "open", "requested_teams": []}
        pull["labels"] = [pull["labels"][0] | {"name": name} for name in labels]
        pull["head"]["sha"] = head
        pull["head"]["repo"]["id"] = FORK_ID if fork else REPOSITORY_ID
        self.state.pulls[number] = pull
        self.state.comments.setdefault(number, [])
        return pull

    def comment(self, number: int, body: str, user: Mapping[str, Any] = BOT) -> dict[str, Any]:
        made = example(f"POST {_ROOT}/issues/{{issue_number}}/comments", 201)
        number_of_comment = next(self._numbers)
        made |= {"id": number_of_comment, "body": body}
        made["html_url"] = (
            f"https://github.example/{REPOSITORY}/pull/{number}#c-{number_of_comment}"
        )
        made["user"] |= user
        self.state.comments.setdefault(number, []).append(made)
        return made

    def bodies(self, number: int = 1) -> list[str]:
        return [one["body"] for one in self.state.comments[number]]

    def keep_artifact(
        self, name: str, files: Mapping[str, bytes], run: dict[str, Any]
    ) -> dict[str, Any]:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        return self.keep_archive(name, packed.getvalue(), run)

    def keep_archive(self, name: str, archive: bytes, run: dict[str, Any]) -> dict[str, Any]:
        listed = example(f"GET {_ROOT}/actions/artifacts")["artifacts"][0]
        artifact = listed | {
            "id": next(self._numbers),
            "name": name,
            "size_in_bytes": len(archive),
            "expired": False,
            "workflow_run": {
                "id": run["id"],
                "repository_id": run["repository"]["id"],
                "head_repository_id": run["head_repository"]["id"],
                "head_branch": run["head_branch"],
                "head_sha": run["head_sha"],
            },
        }
        self.state.artifacts.insert(0, artifact)
        self.state.archives[artifact["id"]] = archive
        return artifact

    def add_run(self, sha: str, **fields: Any) -> dict[str, Any]:
        run = example(f"GET {_ROOT}/actions/runs/{{run_id}}")
        run |= {"id": next(self._numbers), "event": "push", "path": WORKFLOW, "head_branch": "main"}
        run["head_sha"] = sha
        run["repository"]["id"] = REPOSITORY_ID
        run["head_repository"]["id"] = fields.pop("head_repository_id", REPOSITORY_ID)
        run |= fields
        self.state.runs[run["id"]] = run
        return run

    # what the action asks of it

    def answer(
        self, method: str, target: str, body: Any, headers: Mapping[str, str]
    ) -> tuple[int, Any, dict[str, str]]:
        path, query = urlsplit(target).path, dict(parse_qsl(urlsplit(target).query))
        self.requests.append((method, path, query, body))
        if path.startswith("/storage/"):
            if "Authorization" in headers:
                self.leaks.append(path)
            return 200, self.state.archives[int(path.rpartition("/")[2])], {}
        fault = next(
            (one for one in self.faults if one.method == method and one.path in path), None
        )
        if fault:
            self.faults.remove(fault)
            if fault.carried_out:
                self._done(method, path, query, body)
            return fault.status, {"message": fault.message}, dict(fault.headers)
        if path == "/graphql":
            return 200, {"data": {"viewer": {"login": self.state.viewer}}}, {}
        return self._done(method, path, query, body)

    def _done(
        self, method: str, path: str, query: dict[str, str], body: Any
    ) -> tuple[int, Any, dict[str, str]]:
        found = resource_of(method, path)
        if found is None:
            self.violations.append(f"no such resource: {method} {path}")
            return 404, {"message": "Not Found"}, {}
        name, values = found
        self.violations += wrong_request(name, query, body)
        status, answer, headers = _Resources(self, values, query, body).answer(name)
        self.violations += wrong_response(name, status, answer)
        return status, answer, headers


class _Resources:
    """Answers one request."""

    def __init__(
        self, double: GitHubDouble, values: dict[str, str], query: dict[str, str], body: Any
    ) -> None:
        self.double, self.state = double, double.state
        self.values, self.query, self.body = values, query, body
        self.links: dict[str, str] = {}

    def answer(self, name: str) -> tuple[int, Any, dict[str, str]]:
        assert f"{self.values['owner']}/{self.values['repo']}" == REPOSITORY
        verb, _, path = name.partition(" ")
        if verb != "GET" and not self.state.may_write:
            return 403, {"message": "Resource not accessible by integration"}, {}
        if "/actions/" in path and not self.state.may_read_actions:
            return 403, {"message": "Resource not accessible by integration"}, {}
        method = f"{verb.lower()}_{_word(path)}"
        status, body = getattr(self, method)()
        return status, body, self.links

    def get_pulls(self) -> tuple[int, Any]:
        pull = self.state.pulls.get(int(self.values["pull_number"]))
        return (200, pull) if pull else _missing()

    def get_comments(self) -> tuple[int, Any]:
        return 200, self.page(self.state.comments[int(self.values["issue_number"])])

    def post_comments(self) -> tuple[int, Any]:
        text = self.body["body"]
        if len(text.encode()) > 65_536:
            return 422, {"message": "Body is too long", "documentation_url": "", "errors": []}
        return 201, self.double.comment(int(self.values["issue_number"]), text)

    def _comment(self) -> tuple[list[dict[str, Any]], dict[str, Any]] | None:
        wanted = int(self.values["comment_id"])
        return next(
            (
                (all_of, one)
                for all_of in self.state.comments.values()
                for one in all_of
                if one["id"] == wanted
            ),
            None,
        )

    def patch_comment(self) -> tuple[int, Any]:
        if not (found := self._comment()):
            return _missing()
        found[1]["body"] = self.body["body"]
        return 200, found[1]

    def delete_comment(self) -> tuple[int, Any]:
        if not (found := self._comment()):
            return _missing()
        found[0].remove(found[1])
        return 204, None

    def get_commits(self) -> tuple[int, Any]:
        template = example(f"GET {_ROOT}/commits")[0]
        listed, commit = [], self.query.get("sha")
        while commit:
            parent = self.state.parents.get(commit)
            parents = [{"sha": parent, "url": "https://github.example/c"}] if parent else []
            listed.append(template | {"sha": commit, "parents": parents})
            commit = parent
        return 200, self.page(listed)

    def get_commit_pulls(self) -> tuple[int, Any]:
        simple = example(f"GET {_ROOT}/commits/{{commit_sha}}/pulls")[0]
        sha = self.values["commit_sha"]
        found = [one for one in self.state.pulls.values() if one["head"]["sha"] == sha]
        shown = [
            simple | {k: one[k] for k in ("number", "state", "head", "labels", "requested_teams")}
            for one in found
        ]
        return 200, self.page(shown)

    def get_compare(self) -> tuple[int, Any]:
        compared = example(f"GET {_ROOT}/compare/{{basehead}}")
        compared["merge_base_commit"]["sha"] = self.state.merge_base
        return 200, compared

    def get_contents(self) -> tuple[int, Any]:
        data = self.state.files.get((self.query["ref"], self.values["path"]))
        return (200, data) if data is not None else _missing()

    def get_artifacts(self) -> tuple[int, Any]:
        return self._artifacts(self.state.artifacts)

    def get_run_artifacts(self) -> tuple[int, Any]:
        run_id = int(self.values["run_id"])
        return self._artifacts(
            [a for a in self.state.artifacts if a["workflow_run"]["id"] == run_id]
        )

    def _artifacts(self, listed: list[dict[str, Any]]) -> tuple[int, Any]:
        named = [one for one in listed if one["name"] == self.query.get("name", one["name"])]
        return 200, {"total_count": len(named), "artifacts": self.page(named)}

    def get_archive(self) -> tuple[int, Any]:
        self.links["Location"] = f"{self.double.storage_url}/{self.values['artifact_id']}"
        return 302, None

    def get_run(self) -> tuple[int, Any]:
        run = self.state.runs.get(int(self.values["run_id"]))
        return (200, run) if run else _missing()

    def page(self, items: list[Any]) -> list[Any]:
        """Return the wanted page, 30 items unless told; a link leads to the next one."""
        size, number = int(self.query.get("per_page", 30)), int(self.query.get("page", 1))
        assert size <= 100
        if number * size < len(items):
            query = urlencode(self.query | {"page": str(number + 1)})
            path = self.double.requests[-1][1]
            self.links["Link"] = f'<{self.double.url}{path}?{query}>; rel="next"'
        return items[(number - 1) * size : number * size]


def _word(path: str) -> str:
    words = {
        "/pulls/{pull_number}": "pulls",
        "/issues/{issue_number}/comments": "comments",
        "/issues/comments/{comment_id}": "comment",
        "/commits": "commits",
        "/commits/{commit_sha}/pulls": "commit_pulls",
        "/compare/{basehead}": "compare",
        "/contents/{path}": "contents",
        "/actions/artifacts": "artifacts",
        "/actions/runs/{run_id}/artifacts": "run_artifacts",
        "/actions/artifacts/{artifact_id}/{archive_format}": "archive",
        "/actions/runs/{run_id}": "run",
    }
    return words[path.removeprefix(_ROOT)]


def _missing() -> tuple[int, Any]:
    return 404, {"message": "Not Found", "documentation_url": "https://docs.github.example"}


def _handler(double: GitHubDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, answer, headers = double.answer(self.command, self.path, body, self.headers)
            raw = isinstance(answer, bytes)
            payload = answer if raw else b"" if answer is None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header(
                "Content-Type", "application/octet-stream" if raw else "application/json"
            )
            self.send_header("Content-Length", str(len(payload)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - the base class's names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
