"""Responses of every operation of the native API about a server's tables, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.journey.servers import Running

PREFIX = "/api/v1"
TABLE = f"{PREFIX}/tables/{{table}}"
JSON = {"accept": "application/json"}
LISTS = ("snapshots", "refs", "schemas", "specs", "manifests", "entries", "files", "partitions", "indexes", "columns")
AGGREGATES = ["count", "files", "bytes"]


@dataclass(frozen=True)
class Answer:
    """A JSON response of an operation, given by a method and a path of ``openapi.yaml``, and its status."""

    operation: tuple[str, str]
    status: int
    body: Any
    asked: str


class Asker:
    """A client that sends requests for JSON, and records the operation of each response."""

    def __init__(self, running: Running) -> None:
        self._http = running.http

    def __call__(self, method: str, path: str, body: object = None, /, **params: object) -> Answer:
        """Call an operation. ``params`` fills the names in braces of ``path``; the rest of it is the query.

        Responses with a status of 400 and above are returned too.
        """
        named = {name: str(params.pop(name)) for name in list(params) if f"{{{name}}}" in path}
        address = path.format(**{name: quote(value, safe="") for name, value in named.items()})
        query = {name.rstrip("_"): str(value) for name, value in params.items()}
        response = self._http.request(method, address, params=query, json=body, headers=JSON)
        found = response.json() if response.content else None
        return Answer((method, path), response.status_code, found, f"{method} {address} {query} {body}")


def answers_of_table(ask: Asker, name: str, *, history: bool = True) -> Iterator[Answer]:
    """Yield responses about a table, and about each of its snapshots."""
    yield ask("GET", TABLE, table=name)
    snapshots = ask("GET", f"{TABLE}/snapshots", table=name, page_size=10_000)
    system = ask("GET", f"{TABLE}/system", table=name)
    yield from (snapshots, system)
    for at in ["", *(one["snapshot_id"] for one in snapshots.body["snapshots"])] if history else [""]:
        chosen = {"snapshot": at} if at else {}
        for part in LISTS:
            yield ask("GET", f"{TABLE}/{part}", table=name, **chosen)
        yield ask("GET", f"{TABLE}/files", table=name, stats="*", **chosen)
        yield ask("GET", f"{TABLE}/stats", table=name, **chosen)
        yield ask("POST", f"{TABLE}/plan", {"snapshot_id": at} if at else {}, table=name)
    for one in system.body["system"]:
        yield ask("GET", f"{TABLE}/system/{{name}}", table=name, name=one["name"])
    for one in snapshots.body["snapshots"]:
        about = {"table": name, "id": one["snapshot_id"], "branch": one["branch"]}
        yield ask("GET", f"{TABLE}/snapshots/{{id}}", **about)
    yield ask("GET", f"{TABLE}/health", table=name)
    yield ask("GET", f"{TABLE}/health", table=name, history=30)
    yield ask("GET", f"{TABLE}/ready_partitions", table=name)
    for other in ({}, {"bucket": "day"}, {"bucket": "month"}, {"index": "true"}):
        yield ask("GET", f"{TABLE}/timeline", table=name, **other)
    for other in ({}, {"index": "true", "older_than": "2100-01-01T00:00:00Z", "retain_last": "1"}):
        yield ask("GET", f"{TABLE}/expiry", table=name, **other)
        yield ask("GET", f"{TABLE}/expiry/files", table=name, **other)
    yield from _plans(ask, name, snapshots.body["snapshots"])


def _plans(ask: Asker, name: str, snapshots: Sequence[dict[str, Any]]) -> Iterator[Answer]:
    columns = [one["column"] for one in ask("GET", f"{TABLE}/columns", table=name).body.get("columns", ())]
    plain = [column for column in columns if column.replace("_", "").isalnum() and not column[0].isdigit()][:6]
    wide = {"stats": ["*"], "splits": True}
    for words in ("", *(f'"{column}" IS NOT NULL' for column in plain[:2])):
        chosen = {"filter": words} if words else {}
        for body in ({**chosen, **wide}, {**chosen, "stats": ["*"]}):
            yield ask("POST", f"{TABLE}/plan", body, table=name)
        yield ask("POST", f"{TABLE}/plan/tasks", chosen, table=name)
        files = ask("GET", f"{TABLE}/files", table=name, content="data", page_size=3).body.get("files", ())
        paths = [one["file_path"] for one in files]
        yield ask("POST", f"{TABLE}/explain", {**chosen, "files": [*paths, "file:///nowhere"]}, table=name)
        if words:
            yield ask("GET", f"{TABLE}/files", table=name, filter=words)
            yield ask("GET", f"{TABLE}/partitions", table=name, filter=words)
            yield ask("GET", f"{TABLE}/stats", table=name, filter=words)
        for column in plain[:2]:
            yield ask("GET", f"{TABLE}/bounds", table=name, column=column, groups=5, **chosen)
            yield ask("GET", f"{TABLE}/overlap", table=name, column=column)
        asked = AGGREGATES + [f'{kind}("{column}")' for column in plain for kind in ("min", "max", "null_count")]
        yield ask("POST", f"{TABLE}/statistics", {**chosen, "aggregates": asked}, table=name)
    if len(snapshots) > 1:
        first, last = snapshots[-1]["snapshot_id"], snapshots[0]["snapshot_id"]
        yield ask("GET", f"{TABLE}/diff", table=name, from_=first, to=last)


def answers_of_lists(ask: Asker) -> Iterator[Answer]:
    """Yield responses about all tables, namespaces, catalogs, webhooks and events, page by page."""
    for path in ("/tables", "/namespaces", "/health"):
        answer = ask("GET", PREFIX + path, page_size=7)
        yield answer
        while (token := answer.body["next_page_token"]) is not None:
            answer = ask("GET", PREFIX + path, page_size=7, page_token=token)
            yield answer
    yield ask("GET", f"{PREFIX}/catalogs")
    yield ask("GET", f"{PREFIX}/webhooks")
    answer = ask("GET", f"{PREFIX}/events")
    yield answer
    while answer.body["more"]:
        answer = ask("GET", f"{PREFIX}/events", after=answer.body["last_event_id"])
        yield answer
    for path in ("/healthz", "/readyz"):
        yield ask("GET", path)
