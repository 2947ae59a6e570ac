"""Search for information that a caller gets about a table that an attached catalog does not let it load.

A random request about a hidden table must be indistinguishable from the same request about a missing one: in status,
headers, body, log lines, and the requests to the catalog and the storage, which determine its latency. No response to
the caller may contain a word that only a hidden table has. Lists and counts must not change when callers who may load
the hidden tables use them.
"""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote

from fastapi import FastAPI
from starlette.testclient import TestClient

from lakemuster.errors import TableNotFound
from tests.comparable_log import OF_A_REQUEST, Lines
from tests.contract.service.attached_lake import DATA, Lake

MARK = "qzx"
"""A word that only hidden tables contain: in columns, properties, locations and ETags."""
HIDDEN = (("hidden", "secrets"), ("shop", "zecrets"))
MISSING = (("hixxen", "sexrets"), ("shop", "zexrets"))
"""Names of the same length that no table has."""
SEEN = ("shop", "orders")
_VARYING = frozenset({"x-request-id", "date"})
_OF_LOGS = OF_A_REQUEST | {"upstream_milliseconds", "bytes"}
_LISTS = (
    "/api/v1/tables",
    "/api/v1/tables?page_size=1",
    "/api/v1/catalogs",
    "/iceberg/v1/namespaces",
    "/iceberg/v1/namespaces?parent=prod",
    "/iceberg/v1/namespaces/prod%1Fshop/tables",
    "/iceberg/v1/prod/namespaces",
    "/iceberg/v1/prod/namespaces?parent=",
    "/iceberg/v1/prod/namespaces/shop",
    "/iceberg/v1/prod/namespaces/shop/tables",
    "/iceberg/v1/prod/namespaces/shop/views",
    "/iceberg/v1/config?warehouse=prod",
    "/paimon/v1/lakemuster/databases",
    "/paimon/v1/lakemuster/tables",
    "/metrics",
)
_UNKNOWN = "/iceberg/v1/prod/namespaces/{namespace}/tables/{table}/credentials"
_PASSING = (
    ("GET", "/iceberg/v1/prod/namespaces/{namespace}"),
    ("GET", "/iceberg/v1/prod/namespaces/{namespace}/tables"),
    ("GET", "/iceberg/v1/prod/namespaces?parent={namespace}"),
    ("GET", "/iceberg/v1/prod/namespaces/{namespace}/tables/{table}"),
    ("HEAD", "/iceberg/v1/prod/namespaces/{namespace}/tables/{table}"),
    ("POST", "/iceberg/v1/prod/namespaces/{namespace}/tables/{table}/metrics"),
    ("GET", _UNKNOWN),
)
_OWN = re.compile(
    r"^/(?:api/v1/tables/\{table\}|iceberg/v1/.*\{(?:table|namespace)\}|paimon/v1/.*\{(?:table|database)\})"
)

Names = tuple[str, ...]


def add_hidden(lake: Lake) -> None:
    """Create tables in the catalog that only some callers may load."""
    for table in HIDDEN:
        namespace, name = table
        lake.own.create_namespace_if_not_exists(namespace)
        if lake.own.table_exists(table):
            lake.own.drop_table(table)
        schema = DATA.rename_columns([f"{MARK}_id"]).schema
        place = f"{lake.folder}/{MARK}_{name}"
        made = lake.own.create_table(table, schema, location=place, properties={MARK: MARK})
        for _ in range(3):
            made.append(DATA.rename_columns([f"{MARK}_id"]))
        lake.fake.tables[table] = made.metadata_location
        lake.fake.etags[table] = f'"{MARK}-{name}"'


@dataclass
class Stolen:
    """Tokens and ids from responses to a caller who may load the hidden tables."""

    page_tokens: list[str] = field(default_factory=list)
    plan_ids: list[str] = field(default_factory=list)
    plan_tasks: list[str] = field(default_factory=list)
    native_tasks: list[str] = field(default_factory=list)
    etags: list[str] = field(default_factory=list)
    snapshots: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Asking:
    """A request without the name of its table.

    Attributes:
        path: a template with ``{table}``, ``{namespace}`` and so on.
        twist: appended to the table's name.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]
    body: object
    twist: str = ""

    def url(self, names: Names) -> str:
        """Return the request's path and query for a table's name."""
        namespace, table = names[0], names[1] + self.twist
        is_own = not self.path.startswith("/iceberg/v1/prod/")
        values = {
            "table": f"prod.{namespace}.{table}" if self.path.startswith("/api/") else table,
            "namespace": f"prod\x1f{namespace}" if is_own else namespace,
            "database": f"prod.{namespace}",
            "prefix": "lakemuster",
        }
        path = re.sub(r"\{(\w+)\}", lambda found: quote(values.get(found[1], "1"), safe=""), self.path)
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in self.query)
        return path + (("&" if "?" in path else "?") + query if query else "")


class Watch:
    """A server with one attached catalog, and all that a request exposes.

    Args:
        hidden: the hidden tables.
        outsider, insider: the headers of a caller who may not load them, and of one who may.
    """

    def __init__(
        self,
        client: TestClient,
        lake: Lake,
        hidden: tuple[Names, ...],
        outsider: dict[str, str],
        insider: dict[str, str],
    ) -> None:
        self.client, self.lake, self.outsider, self.insider = client, lake, outsider, insider
        self.hidden = hidden
        self.random = random.Random()
        self.stolen = Stolen()
        self._lines = Lines(_OF_LOGS)
        self._operations = [
            (verb.upper(), path)
            for path, verbs in cast("FastAPI", client.app).openapi()["paths"].items()
            for verb in verbs
            if _OWN.match(path) and "{catalog}" not in path
        ]

    def leaks(self, count: int, seed: int = 19) -> Iterator[str]:
        """Yield the differences that ``count`` random requests show between a hidden and a missing table."""
        self.random.seed(seed)
        services = self.client.app.state.api.services  # type: ignore[attr-defined]
        for namespace, name in self.hidden:
            with suppress(TableNotFound):
                services.remove(f"prod.{namespace}.{name}")
        logger = logging.getLogger("lakemuster")
        level = logger.level
        logger.addHandler(self._lines)
        logger.setLevel(logging.INFO)
        try:
            lists = {path: self._list(path) for path in _LISTS}
            self._use_hidden()
            for number in range(count):
                if number % 50 == 0:
                    for path in _LISTS:
                        now = self._list(path)
                        if now != lists[path] or _tells(now[1], ""):
                            yield f"GET {path}: {now} was {lists[path]}"
                if number % 20 == 0:
                    self._use_hidden()
                yield from self._compared(self._any())
        finally:
            logger.removeHandler(self._lines)
            logger.setLevel(level)

    def _compared(self, asking: Asking) -> Iterator[str]:
        which = self.random.randrange(len(self.hidden))
        hidden, missing = (self._seen(asking, names[which]) for names in (HIDDEN, MISSING))
        if hidden != missing:
            yield f"{asking}: {hidden} is not {missing}"
        if MARK in repr(hidden) or MARK.encode().hex() in repr(hidden):
            yield f"{asking}: {hidden} has words of the hidden table"

    def _list(self, path: str) -> tuple[int, str, list[Any]]:
        answer = self.client.get(path, headers=self.outsider)
        text = "" if path == "/metrics" and not answer.is_success else answer.text
        return answer.status_code, text, _shown(answer.headers)

    def _seen(self, asking: Asking, names: Names) -> tuple[Any, ...]:
        """Send a request; return all that it exposes, with the names in it masked."""
        self._lines.lines.clear()
        asked, reads = len(self.lake.fake.asked), self._reads()
        url = asking.url(names)
        # Raw requests, since the client raises an error when the connection breaks.
        answer = self.client.request(
            asking.method, url, json=asking.body, headers={**dict(asking.headers), **self.outsider}
        )
        said = answer.text
        if answer.is_success and _tells(said, url):
            return ("names a hidden table", said)
        upstream = [(one.method, one.path) for one in self.lake.fake.asked[asked:]]
        found = (
            answer.status_code,
            said,
            _shown(answer.headers),
            list(self._lines.lines),
            upstream,
            self._reads() - reads,
        )
        return tuple(_masked(repr(part), names) for part in found)

    def _reads(self) -> int:
        counts = self.client.app.state.api.services.store.counts  # type: ignore[attr-defined]
        return int(counts.reads + counts.stats + counts.lists)

    def _use_hidden(self) -> None:
        """Use the hidden tables as a caller who may load them, and store the tokens and ids of the responses."""
        stolen = self.stolen
        for namespace, name in self.hidden:
            native, iceberg = (
                f"/api/v1/tables/prod.{namespace}.{name}",
                f"/iceberg/v1/prod/namespaces/{namespace}/tables/{name}",
            )
            files = self._used("GET", f"{native}/files?page_size=1")
            stolen.page_tokens.append(files.json()["next_page_token"])
            snapshots = self._used("GET", f"{native}/snapshots").json()["snapshots"]
            stolen.snapshots += [row["snapshot_id"] for row in snapshots]
            pinned = self._used("GET", f"{native}/files?snapshot={stolen.snapshots[-1]}")
            stolen.etags.append(pinned.headers["etag"])
            stolen.etags.append(self._used("GET", iceberg).headers["etag"])
            plan = self._used("POST", f"{iceberg}/plan", {}).json()
            stolen.plan_ids.append(plan["plan-id"])
            stolen.plan_tasks += plan["plan-tasks"]
            tasks = self._used("POST", f"{native}/plan/tasks", {"task_files": 1}).json()
            stolen.native_tasks += tasks["plan_tasks"]
        for kept in (stolen.page_tokens, stolen.plan_tasks, stolen.native_tasks, stolen.etags, stolen.snapshots):
            del kept[:-20]

    def _used(self, method: str, path: str, body: object = None) -> Any:
        answer = self.client.request(method, path, json=body, headers=self.insider)
        assert answer.status_code == 200, (path, answer.text)
        return answer

    def _any(self) -> Asking:
        """Return a random request."""
        choose, stolen = self.random.choice, self.stolen
        method, path = choose(self._operations) if self.random.random() < 0.5 else choose(_PASSING)
        if self.random.random() < 0.3:
            table = "/iceberg/v1/prod/namespaces/{namespace}/tables/{table}"
            method, path = choose(
                [
                    ("POST", f"{table}/plan"),
                    ("POST", f"{table}/tasks"),
                    ("GET", f"{table}/plan/{quote(choose(stolen.plan_ids), safe='')}"),
                    ("DELETE", f"{table}/plan/{quote(choose(stolen.plan_ids), safe='')}"),
                    ("GET", "/api/v1/tables/{table}/files"),
                    ("POST", "/api/v1/tables/{table}/plan"),
                ]
            )
        query: list[tuple[str, str]] = []
        for name, value in (
            ("page_token", choose(stolen.page_tokens)),
            ("snapshot", choose(stolen.snapshots)),
            ("page_size", "1"),
            ("filter", "id > 1"),
            ("snapshots", "refs"),
        ):
            if method == "GET" and self.random.random() < 0.15:
                query.append((name, value))
        headers = {
            "If-None-Match": choose([*stolen.etags, "*"]),
            "Accept": choose(["application/x-ndjson", "application/vnd.apache.arrow.stream", "text/csv"]),
            "X-Iceberg-Access-Delegation": "vended-credentials",
        }
        given = tuple((name, value) for name, value in headers.items() if self.random.random() < 0.25)
        return Asking(method, path, tuple(query), given, self._body(method, path), choose(["", "", "", "z", "Z"]))

    def _body(self, method: str, path: str) -> object:
        if method not in {"POST", "PUT"}:
            return None
        stolen, choose = self.stolen, self.random.choice
        bodies: list[object] = [{}, {"filter": "id > 1"}, {"snapshot_id": choose(stolen.snapshots)}]
        if path.endswith("/tasks"):
            bodies = [{"plan-task": choose([*stolen.plan_tasks, "none"])}]
        elif path.endswith("/plan"):
            bodies += [{"plan_task": choose(stolen.native_tasks)}, {"snapshot-id": int(choose(stolen.snapshots))}]
            bodies += [{"page_size": 1, "page_token": choose(stolen.page_tokens)}]
        return choose(bodies)


def _shown(headers: Any) -> list[tuple[str, str]]:
    return sorted((name, value) for name, value in headers.items() if name not in _VARYING)


def _tells(text: str, said: str) -> bool:
    """Return whether a text names a hidden table that the request did not name."""
    words = {word for _, name in HIDDEN for word in (name,)} | {"hidden", MARK}
    return any(word in text and word not in said for word in words)


def _masked(text: str, names: Names) -> str:
    namespace, table = names
    for word, mask in ((table, "TABLE"), *([] if namespace == "shop" else [(namespace, "NAMESPACE")])):
        text = text.replace(word, mask)
    return text
