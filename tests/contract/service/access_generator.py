"""Generate random requests of all operations of ``openapi.yaml``, about tables, namespaces, databases and catalogs."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from lakemuster.metadata.names import Levels, format_name
from tests.contract.service.access_lake import CONFINED, AccessLake, Table, missing_level, missing_table
from tests.contract.service.access_server import WAREHOUSE, WEBHOOK, Server
from tests.unit.api.identity.access_model import CATALOGS, Model

STOLEN = "{stolen}"
NO_ID = "00000000-0000-4000-8000-000000000000"
_BY_ID = "paimon_get_table_by_id"
_TIMES = ("2024-05-02T00:00:00Z", "2100-01-01T00:00:00Z", "1714700000000")
_FILTERS = ("{word} > 3", "{word} IS NULL", "sku = 'a'", '{"type": "gt", "term": "{word}", "value": 3}')
_CATALOGS = (*CATALOGS, *map(missing_level, CATALOGS))
_QUERY: dict[str, Sequence[str]] = {
    "after": ("0", "5", "latest"),
    "as_of": _TIMES,
    "branch": ("main", "none"),
    "bucket": ("day", "month"),
    "catalog": _CATALOGS,
    "cleanup": ("reachable", "library"),
    "column": ("{word}", "sku"),
    "columns": ("{word}", "sku"),
    "component": ("small_files", "snapshots"),
    "content": ("data", "position-deletes"),
    "databaseNamePattern": ("{namespace}", "sh%"),
    "fields": ("name", "name,format", "snapshot_id"),
    "filter": _FILTERS,
    "format": ("iceberg", "paimon"),
    "groups": ("2",),
    "health": ("ok", "unknown", "warning,critical"),
    "history": ("2",),
    "index": ("true", "false"),
    "location": ("{location}",),
    "manifest": ("none",),
    "maxResults": ("0", "2", "3"),
    "max_deletes": ("1",),
    "namespace": ("{namespace}", "shop"),
    "nan": ("any", "none"),
    "older_than": _TIMES,
    "order": ("asc", "desc"),
    "pageSize": ("2", "3"),
    "pageToken": ("", STOLEN, STOLEN),
    "page_size": ("2", "7", "1000"),
    "page_token": (STOLEN,),
    "paimon": ("1", "2"),
    "parent": ("{namespace}",),
    "partitionNamePattern": ("warehouse%",),
    "ref": ("main", "opening", "none"),
    "retain_last": ("1",),
    "retain_max": ("1", "5"),
    "search": ("{word}", "QZX", "shop", "w"),
    "snapshots": ("all", "refs"),
    "sort": ("name", "-name", "-total_records", "snapshot_id", "-health"),
    "stale": ("true", "false"),
    "stats": ("*", "{word}"),
    "status": ("ok", "unknown"),
    "table": ("{table}",),
    "tableNamePattern": ("qzx%", "{word}"),
    "tableType": ("table", "none"),
    "tagNamePrefix": ("o",),
    "top": ("1",),
    "type": ("table.committed", "table.registered", "table.removed"),
    "warehouse": ("{catalog}", WAREHOUSE),
}
"""Values of query parameters; those that are not listed take the id of a snapshot."""
_FREQUENCY = {"location": 1.0, "column": 1.0, "from": 1.0, "warehouse": 1.0, "index": 0.5}
"""How often a query parameter is sent; 0.15 for all others."""
_HEADERS: dict[str, Sequence[str]] = {
    "Accept": ("application/x-ndjson", "text/csv", "application/vnd.apache.arrow.stream", "application/json", "*/*"),
    "If-None-Match": ("{etag}", "{etag}", "*"),
    "Lakemuster-Nan": ("any", "none"),
    "X-Client-Version": ("1.9.0",),
}
_BODIES: dict[str, Sequence[str]] = {
    "plan": (
        "{}", '{"filter": "{word} > 3"}', '{"snapshot_id": "{snapshot}"}', '{"page_size": 1}', '{"limit": 1}',
        '{"plan_task": "{stolen}"}', '{"page_size": 1, "page_token": "{stolen}"}',
    ),
    "plan_tasks": ("{}", '{"task_files": 1}'),
    "explain": ("{}", '{"filter": "{word} > 3"}', '{"snapshot_id": "{snapshot}"}'),
    "statistics": ('{"aggregates": ["count"]}', '{"aggregates": ["max({word})"], "filter": "{word} > 3"}'),
    "iceberg_plan_table_scan": (
        "{}", '{"snapshot-id": {snapshot}}', '{"filter": {"type": "gt", "term": "{word}", "value": 3}}',
    ),
    "iceberg_fetch_scan_tasks": ('{"plan-task": "{stolen}"}', '{"plan-task": "none"}'),
    "iceberg_report_metrics": ('{"report-type": "scan-report"}',),
    "paimon_list_partitions_by_names": ('{"specs": [{"warehouse": "lyon"}]}',),
    "begin_session": ('{"token": "lm_operator"}', '{"token": "lm_stranger"}'),
    "add_table": ('{"name": "{table}", "location": "{location}"}',),
    "redeliver_dead_letters": ("{}", '{"dead_letters": ["1"]}'),
}  # fmt: skip
"""Bodies by operation; ``{}`` for all others."""
_VALUES: dict[str, Sequence[str]] = {
    "branch": ("main", "none"),
    "function": ("f",),
    "id": ("{snapshot}", "1"),
    "name": ("snapshots", "files", "options", "none"),
    "plan_id": (STOLEN, "none"),
    "tag": ("opening", "none"),
    "version": ("{snapshot}", "EARLIEST", "LATEST", "opening"),
    "view": ("v",),
    "webhook": (WEBHOOK, "none"),
}
"""Values of the path's parameters, except the names of tables and what holds them."""
_WEIGHTS: tuple[tuple[str, float], ...] = (
    (r"POST /api/v1/tables$", 6),
    (r"GET /api/v1/references$", 2),
    (r"GET /api/v1/(events|catalogs|health)$", 6),
    (r"GET (/api/v1/[a-z]+|/metrics)$", 4),
    (r"GET /(iceberg|paimon)/.*(tables|namespaces|databases)$", 4),
    (r"GET .*/(timeline|expiry|files)$", 4),
    (r"DELETE /api/v1/tables", 3),
    (r"(GET|HEAD) .*\{", 2),
    (r".*/(plan|tasks|explain|statistics|refresh|auth|metrics)$", 2),
    (r"", 0.7),
)
"""Weights of operations, by the first pattern that matches; most of the last ones always fail."""


@dataclass(frozen=True)
class Request:
    """A request without its caller. Names in braces stand for the table's names and for a stolen token.

    Attributes:
        path: the path of the OpenAPI document.
        levels: the table's levels; for a request about a namespace or a catalog, its levels and a meaningless one.
        names_namespace: whether the request is about a namespace or a database.
        place: the location that the request names.
        values: values of the path's other parameters.
    """

    operation: str
    method: str
    path: str
    levels: Levels
    names_namespace: bool = False
    place: str = ""
    values: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    stolen: str = ""

    @property
    def location(self) -> str:
        return self.place.replace("{word}", self.levels[-1])

    @property
    def url(self) -> str:
        given = {**dict(self.values), **self._names()}
        path = re.sub(r"\{(\w+)\}", lambda found: quote(self._filled(given[found[1]]), safe=""), self.path)
        query = "&".join(f"{name}={quote(self._filled(value), safe='')}" for name, value in self.query)
        return f"{path}?{query}" if query else path

    @property
    def filled_body(self) -> str | None:
        return None if self.body is None else self._filled(self.body)

    @property
    def text(self) -> str:
        """Everything that the request contains, in lower case."""
        return f"{self.url}\n{self.headers}\n{self.filled_body}".lower()

    def _filled(self, text: str) -> str:
        names = {**self._names(), "table": format_name(self.levels), "stolen": self.stolen}
        for name, value in {**names, "word": self.levels[-1], "location": self.location}.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def _names(self) -> dict[str, str]:
        """Return the spellings of the names in the path's API."""
        namespace = self.levels[1 if "{catalog}" in self.path else 0 : -1]
        dotted = format_name(namespace) if namespace else ""
        return {
            "catalog": self.levels[0],
            "namespace": "\x1f".join(namespace) if self.path.startswith("/iceberg/") else dotted,
            "database": dotted,
            "table": format_name(self.levels) if self.path.startswith("/api/") else self.levels[-1],
        }


def about_missing(request: Request, *, other_catalog: bool = False) -> Request:
    """Return the request with a name of the same length that does not exist.

    Args:
        other_catalog: whether the name of the catalog does not exist either.
    """
    levels = request.levels
    if request.names_namespace:
        kept = levels[:1] if "{catalog}" in request.path and not other_catalog else ()
        levels = (*kept, *map(missing_level, levels[len(kept) : -1]), levels[-1])
    elif "{table" in request.path or request.operation in {"add_table", "list_references"}:
        first = missing_level(levels[0]) if other_catalog else levels[0]
        levels = (first, *missing_table(levels)[1:]) if len(levels) > 1 else missing_table(levels)
    else:
        levels = (missing_level(levels[0]), *levels[1:])
    values = tuple((name, NO_ID if name == "table_id" else value) for name, value in request.values)
    return replace(request, levels=levels, values=values)


@dataclass
class Stolen:
    """Tokens, ETags and ids from the operator's responses, for requests of other callers.

    Attributes:
        tokens: page tokens, plan ids and plan tasks by the word of a table ("" for lists of tables), each after the
            operation that accepts it.
        etags, snapshots: ETags and snapshot ids by the word of a table.
        ids: the ids of Paimon tables by word.
    """

    tokens: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    etags: dict[str, list[str]] = field(default_factory=dict)
    snapshots: dict[str, list[str]] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def marks(self) -> dict[str, str]:
        """Return the word of the table for each ETag and id that only one table has."""
        found = {etag.strip('"'): word for word, etags in self.etags.items() for etag in etags}
        found |= {number: word for word, ids in self.snapshots.items() for number in ids if len(number) > 9}
        return found | {table_id: word for word, table_id in self.ids.items()}


async def steal(server: Server) -> Stolen:
    """Send requests about all tables as the operator, and return the tokens, ETags and ids of the responses."""
    stolen = Stolen()

    async def send(method: str, url: str, body: object = None) -> tuple[Mapping[str, str], Any]:
        sent = None if body is None else json.dumps(body)
        response = await server.send(server.operator, method, url, body=sent)
        assert response.status == 200, (url, response)
        return response.headers, json.loads(response.body)

    for table in server.lake.tables:
        word, native = table.levels[-1], f"/api/v1/tables/{quote(table.name, safe='')}"
        _, first = await send("GET", f"{native}/snapshots?page_size=1")
        _, snapshots = await send("GET", f"{native}/snapshots")
        ids = [row["snapshot_id"] for row in snapshots["snapshots"]]
        pinned, _ = await send("GET", f"{native}/files?snapshot={ids[0]}")
        _, files = await send("GET", f"{native}/files?page_size=1")
        _, plan = await send("POST", f"{native}/plan", {"page_size": 1})
        _, tasks = await send("POST", f"{native}/plan/tasks", {"task_files": 1})
        pages = {"list_snapshots": first, "list_files": files, "plan": plan}
        tokens = [(operation, page["next_page_token"]) for operation, page in pages.items()]
        tokens += [("plan", task) for task in tasks["plan_tasks"]]
        etags = [pinned["etag"]]
        if table.format == "iceberg" and len(table.levels) > 1:
            iceberg = f"/iceberg/v1/namespaces/{'%1F'.join(table.levels[:-1])}/tables/{word}"
            loaded, _ = await send("GET", iceberg)
            etags.append(loaded["etag"])
            _, scan = await send("POST", f"{iceberg}/plan", {})
            tokens += [(f"iceberg_{name}", scan["plan-id"]) for name in ("fetch_planning_result", "cancel_planning")]
            tokens += [("iceberg_fetch_scan_tasks", task) for task in scan["plan-tasks"]]
        if table.format == "paimon":
            paimon = f"/paimon/v1/lakemuster/databases/{quote(format_name(table.levels[:-1]))}/tables/{word}"
            stolen.ids[word] = (await send("GET", paimon))[1]["id"]
            _, page = await send("GET", f"{paimon}/snapshots?maxResults=1")
            tokens.append(("paimon_list_snapshots", page["nextPageToken"]))
        stolen.tokens[word], stolen.etags[word], stolen.snapshots[word] = tokens, etags, ids
    stolen.tokens[""] = [
        (operation, (await send("GET", url))[1][name])
        for operation, url, name in (
            ("list_tables", "/api/v1/tables?page_size=1", "next_page_token"),
            ("list_health", "/api/v1/health?page_size=1", "next_page_token"),
            ("iceberg_list_namespaces", "/iceberg/v1/namespaces?pageSize=1&pageToken=", "next-page-token"),
            ("paimon_list_databases", "/paimon/v1/lakemuster/databases?maxResults=1", "nextPageToken"),
            ("paimon_list_all_tables", "/paimon/v1/lakemuster/tables?maxResults=1", "nextPageToken"),
        )
    ]
    assert all(token for found in stolen.tokens.values() for _, token in found)
    return stolen


class Generator:
    """Generates random requests.

    Args:
        paths: the paths of the OpenAPI document.
        each_first: whether the first requests are of each operation once.
    """

    def __init__(
        self, lake: AccessLake, paths: Mapping[str, Any], stolen: Stolen, chance: random.Random, *, each_first: bool
    ) -> None:
        self._lake, self._stolen, self._chance = lake, stolen, chance
        self._operations = [(verb.upper(), path, found) for path, of in paths.items() for verb, found in of.items()]
        self._weights = [
            next(weight for pattern, weight in _WEIGHTS if re.match(pattern, f"{verb} {path}"))
            for verb, path, _ in self._operations
        ]
        self._first = chance.sample(self._operations, len(self._operations)) if each_first else []
        self._new_tables = 0

    def request(self, model: Model | None) -> Request:
        """Return a request. Half of those about a table are about one that the caller of a model may see, if any."""
        choose, share = self._chance.choice, self._chance.random
        drawn = [self._first.pop()] if self._first else self._chance.choices(self._operations, self._weights)
        ((method, path, document),) = drawn
        operation, parameters = document["operationId"], document.get("parameters", ())
        table = self._table(operation, path, model)
        word = table.levels[-1]
        values = [(name, choose(_VALUES[name])) for name in re.findall(r"\{(\w+)\}", path) if name in _VALUES]
        if operation == _BY_ID:
            values.append(("table_id", self._stolen.ids.get(word, NO_ID)))
        names = [parameter["name"] for parameter in parameters if parameter["in"] == "query"]
        query = [
            (name, choose(_QUERY.get(name, ("{snapshot}", "1"))))
            for name in names
            if share() < _FREQUENCY.get(name, 0.15)
        ]
        if share() < 0.01:
            query.append(("unknown", "1"))
        headers = [(name, choose(choices)) for name, choices in _HEADERS.items() if share() < 0.1]
        if operation == "list_events":
            # The stream of events has no end; its pages have the same events.
            headers = [("Accept", "application/json")]
        body = None
        if method == "POST":
            body = choose(_BODIES.get(operation.removesuffix("_of_catalog"), ("{}",))) if share() < 0.98 else "{"
        has_token = any(STOLEN in text for text in (*(value for _, value in (*values, *query)), body or ""))
        snapshot, etag = choose(self._stolen.snapshots[word]), choose(self._stolen.etags[word])
        is_of_namespace = re.search(r"\{(namespace|database)\}", path) is not None and "{table}" not in path
        return Request(
            operation,
            method,
            path,
            self._levels(operation, path, table),
            is_of_namespace or ("parent", "{namespace}") in query,
            self._place(table) if operation in {"add_table", "list_references"} else "",
            tuple((name, value.replace("{snapshot}", snapshot)) for name, value in values),
            tuple((name, value.replace("{snapshot}", snapshot)) for name, value in query),
            tuple((name, value.replace("{etag}", etag)) for name, value in headers),
            None if body is None else body.replace("{snapshot}", snapshot),
            self._token(operation, word) if has_token else "",
        )

    def _table(self, operation: str, path: str, model: Model | None) -> Table:
        """Return a table that an operation can name."""
        fitting = [
            table
            for table in self._lake.tables
            if (len(table.levels) > 1 or path.startswith("/api/"))
            and (table.levels[0] in CATALOGS or "{catalog}" not in path)
            and (table.levels[0] not in CATALOGS or operation != "remove_table")
        ]
        if path.startswith("/paimon/") and self._chance.random() < 0.7:
            fitting = [table for table in fitting if table.format == "paimon"]
        visible = [table for table in fitting if model is not None and model.sees(table.levels)]
        return self._chance.choice(visible if visible and self._chance.random() < 0.5 else fitting)

    def _token(self, operation: str, word: str) -> str:
        """Return one of the operator's tokens, mostly one that the operation would accept from the operator."""
        tokens = [*self._stolen.tokens[word], *self._stolen.tokens[""]]
        fitting = [pair for pair in tokens if pair[0] == operation.removesuffix("_of_catalog")]
        return self._chance.choice(fitting if fitting and self._chance.random() < 0.8 else tokens)[1]

    def _levels(self, operation: str, path: str, table: Table) -> Levels:
        """Return the levels that a request is about: of a table, its namespace or catalog, or a similar name."""
        levels, share = table.levels, self._chance.random()
        if operation == "remove_table" or (operation == "add_table" and share < 0.5):
            # Only such tables are removed, so that the lake does not change.
            self._new_tables += 1
            return (*levels[:-1], f"new{self._new_tables:06}")
        if "{table" in path or operation in {"add_table", "list_references"}:
            similar = [missing_table(levels), (*levels[:-1], levels[-1].upper()), (*levels[:-1], f"{levels[-1]}z")]
            if path.startswith("/paimon/"):
                similar.append((*levels[:-1], f"{levels[-1]}$branch_b"))
            return self._chance.choice(similar) if share < 0.2 and operation != _BY_ID else levels
        if operation in {"sync_catalog", "iceberg_get_config"}:
            return self._chance.choice(_CATALOGS), levels[-1]
        namespace, kept = levels[:-1], int("{catalog}" in path)
        if "{database}" not in path:
            namespace = levels[: self._chance.randint(min(kept + 1, len(levels)), max(len(levels) - 1, kept + 1))]
        if share < 0.1:
            namespace = (*namespace[:kept], *map(missing_level, namespace[kept:]))
        return (*namespace, levels[-1])

    def _place(self, table: Table) -> str:
        """Return a location below the server's roots: of a table, of an unregistered table, or an empty one."""
        spare, first = self._lake.spare, table.levels[0]
        own = spare[first] if first in CONFINED else f"{self._lake.root}/none"
        return self._chance.choice(
            (own, own, spare["shop"], f"{self._lake.root}/none", table.location.replace(table.levels[-1], "{word}"))
        )
