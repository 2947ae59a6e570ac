"""Check that lists contain exactly the rows that their caller may see: in every form, and over all pages."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from lakemuster.api.native.events import EventsParameters
from lakemuster.metadata.names import parse_name
from tests.contract.service.access_generator import Request
from tests.contract.service.access_rules import Rules
from tests.contract.service.access_server import ModelCaller, Observation, Server
from tests.unit.api.identity.access_model import Model

_PAGING = frozenset({"page_size", "page_token", "maxResults", "pageSize", "pageToken"})
_NEXT = {"next_page_token": "page_token", "nextPageToken": "pageToken", "next-page-token": "pageToken"}
_KEYS = {
    "list_tables": "tables",
    "list_namespaces": "namespaces",
    "list_health": "health",
    "list_events": "events",
    "list_catalogs": "catalogs",
    "iceberg_list_namespaces": "namespaces",
    "iceberg_list_tables": "identifiers",
    "paimon_list_databases": "databases",
    "paimon_list_tables": "tables",
    "paimon_list_table_details": "tableDetails",
    "paimon_list_all_tables": "tables",
}
_OWN = re.compile(
    r'"(next[-_]?page[-_]?token|plan-id|csrf|created_at|checked_at|computed_at|synced_at|now)":(?:"[^"]*"|null)|'
    r'"(plan[-_]tasks)":\[[^\]]*\]|"(seconds|older_than|staleness",(?:"status":"[a-z]+",)?"value)":[0-9.e-]+',
    re.IGNORECASE,
)
"""Members of responses that differ between callers, or from request to request: signed tokens; measured times; the time
of the request, of the registration, of the last look at the table or listing of the catalog, and of the computation of
its health."""
_MOST = 10_000
_FRESH = re.compile(r'^lakemuster_tables\{state="fresh"\} ([0-9.]+)$', re.MULTILINE)


def without_own(body: str) -> str:
    """Return a body in which those members are null."""
    return _OWN.sub(lambda found: f'"{found[1] or found[2] or found[3]}":null', body)


@dataclass(frozen=True)
class ListCheck:
    """Compares a list with the operator's.

    Attributes:
        of_operator: returns the operator's response.
    """

    server: Server
    rules: Rules
    of_operator: Callable[[Request], Awaitable[Observation]]

    async def differences(
        self, caller: ModelCaller, model: Model, request: Request, response: Observation
    ) -> AsyncIterator[str]:
        """Yield how a list differs from the operator's without the rows that the caller may not see."""
        if request.operation == "metrics":
            # The other metrics count the requests of all callers.
            visible = sum(model.sees(table.levels) for table in self.server.lake.tables)
            counted = _FRESH.search(response.body)
            if counted is None or float(counted[1]) != visible:
                yield f"{counted and counted[0]}, not {visible}"
            return
        whole = replace(request, query=tuple(pair for pair in request.query if pair[0] not in _PAGING))
        if request.operation == "list_events":
            whole = replace(whole, query=(*whole.query, ("page_size", str(_MOST))))
        expected = await self.of_operator(whole)
        if response.status != 200 or expected.status != 200:
            refused = await self.of_operator(request)
            if (response.status, response.body) != (refused.status, refused.body):
                yield f"{response} is not the operator's {refused}"
            return
        key, form = _KEYS[request.operation.removesuffix("_of_catalog")], _form(response)
        if form != _form(expected):
            yield f"{form} is not the operator's {_form(expected)}"
            return
        rows = [row for row in _rows(expected.body, form, key) if self._sees(model, request, row)]
        if request.operation == "list_catalogs":
            rows = [self._with_visible(model, row) for row in rows]
        if form == "application/json":
            async for difference in self._of_pages(caller, request, response, key, rows):
                yield difference
        elif (shown := _rows(response.body, form, key)) != rows:
            yield f"{shown}, not {rows}"

    async def _of_pages(
        self, caller: ModelCaller, request: Request, response: Observation, key: str, rows: list[Any]
    ) -> AsyncIterator[str]:
        page, query = json.loads(response.body), dict(request.query)
        if "total_count" in page and page["total_count"] != len(rows):
            yield f"{page['total_count']} in all, not {len(rows)}"
        if request.operation == "list_health" and not {"status", "component"} & query.keys():
            # The counts are of all tables of the namespace and search.
            counted = sum(page["tables"].values())
            if counted != len(rows):
                yield f"{page['tables']} counts {counted} tables, not {len(rows)}"
        shown = _rows(response.body, "application/json", key)
        if request.operation == "list_events":
            size = int(query.get("page_size", EventsParameters().page_size))
            if page["more"] != (len(rows) > size):
                yield f"more is {page['more']} for {len(rows)} events"
            rows = rows[:size]
        while name := next((name for name in _NEXT if page.get(name)), None):
            others = (pair for pair in request.query if pair[0] != _NEXT[name])
            url = replace(request, query=(*others, (_NEXT[name], page[name]))).url
            following = await self.server.send(caller, request.method, url, request.headers)
            if following.status != 200:
                yield f"the page after {len(shown)} rows: {following}"
                return
            page = json.loads(following.body)
            shown += _rows(following.body, "application/json", key)
        if shown != rows:
            yield f"{shown}, not {rows}"

    def _visible_in(self, model: Model, catalog: str) -> int:
        return sum(table.levels[0] == catalog and model.sees(table.levels) for table in self.server.lake.tables)

    def _with_visible(self, model: Model, row: Any) -> Any:
        """Return a catalog's row in which the number of tables, if any, counts only those that a caller may see."""
        if "tables" not in row:
            return row
        return {**row, "tables": type(row["tables"])(self._visible_in(model, row["name"]))}

    def _sees(self, model: Model, request: Request, row: Any) -> bool:
        """Return whether a caller may see a row."""
        catalog = request.levels[:1] if "{catalog}" in request.path else ()
        match request.operation.removesuffix("_of_catalog"):
            case "list_tables" | "list_health":
                return model.sees(parse_name(row["name"]))
            case "list_namespaces":
                return model.sees((*(parse_name(row["name"]) if row["name"] else ()), "any"))
            case "list_events":
                return model.sees(parse_name(row["subject"]))
            case "list_catalogs":
                return self.rules.sees_catalog(model, row["name"])
            case "iceberg_list_namespaces":
                return self.rules.sees_any(model, (*catalog, *row), "iceberg")
            case "iceberg_list_tables":
                return model.sees((*catalog, *row["namespace"], row["name"]))
            case "paimon_list_databases":
                return self.rules.sees_any(model, parse_name(row), "paimon")
            case "paimon_list_tables":
                return model.sees((*request.levels[:-1], row))
            case "paimon_list_table_details":
                return model.sees((*request.levels[:-1], row["name"]))
        return model.sees((*parse_name(row["database"]), row["object"]))


def _form(response: Observation) -> str:
    return response.headers["content-type"].partition(";")[0]


def _rows(body: str, form: str, key: str) -> list[Any]:
    """Return the rows of a list; only their names, if it is CSV or Arrow."""
    match form:
        case "application/json":
            found: list[Any] = json.loads(without_own(body))[key]
            return found
        case "application/x-ndjson":
            *lines, _ = without_own(body).splitlines()
            return [json.loads(line) for line in lines]
        case "text/csv":
            return [{"name": row["name"]} for row in csv.DictReader(io.StringIO(body))]
    table = pa.ipc.open_stream(body.encode("latin-1")).read_all()
    return [{"name": name} for name in table["name"].to_pylist()]
