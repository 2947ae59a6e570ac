"""Every route declares one action and asks the policy for its table; lists contain visible tables only."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from fastapi import APIRouter, Depends
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from lakemuster.api.admission import is_open
from lakemuster.api.iceberg_rest import attached as iceberg_attached
from lakemuster.api.iceberg_rest import dependencies as iceberg_rest
from lakemuster.api.iceberg_rest import planning
from lakemuster.api.iceberg_rest import unsupported as iceberg_refused
from lakemuster.api.native import dependencies as native
from lakemuster.api.native.body_route import BodyRoute
from lakemuster.api.native.dependencies import BranchParameters, Needs, TheTable, needs
from lakemuster.api.paimon_rest import dependencies as paimon_rest
from lakemuster.api.paimon_rest import unsupported as paimon_refused
from lakemuster.config import load_settings
from tests.apps import create_app
from tests.tree import PACKAGE
from tests.unit.api.conftest import FakeServices

TABLES = {native.the_table, iceberg_rest.the_table, paimon_rest.the_table}
"""The dependencies that ask the policy for the table in the path."""
DESCRIBING = {planning.idempotency_key, planning.client_headers, planning.nan_header, iceberg_rest.the_catalog}
"""Dependencies that only document a request in OpenAPI; ``BodyRoute`` skips them."""
REFUSALS = {iceberg_refused.refuse, iceberg_attached.refuse, paimon_refused.refuse, paimon_refused.mark_partitions}
"""Endpoints whose answers do not depend on the names in their paths."""


def _flat(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Yield all routes, including those of included routers."""
    for route in routes:
        router = getattr(route, "original_router", None)
        if router is None:
            yield route
        else:
            yield from _flat(router.routes)


def _calls(dependant: Dependant) -> Iterator[object]:
    for inner in dependant.dependencies:
        yield inner.call
        yield from _calls(inner)


def unguarded(routes: Iterable[BaseRoute]) -> list[str]:
    """Return one line for each route that lacks an action or a policy check."""
    found = []
    for route in routes:
        path = getattr(route, "path", "?")
        if is_open(path):
            continue
        if not isinstance(route, APIRoute):
            found.append(f"{path}: no APIRoute, so nothing asks the policy")
            continue
        calls = list(_calls(route.dependant))
        actions = {call.action for call in calls if isinstance(call, Needs)}
        if len(actions) != 1:
            found.append(f"{path}: declares {len(actions)} actions")
        if "{table}" in path and route.endpoint not in REFUSALS and not TABLES & set(calls):
            found.append(f"{path}: names a table and does not ask for it")
        if isinstance(route, BodyRoute) and route.body_model() is not None:
            direct = {dependency.call for dependency in route.dependant.dependencies}
            skipped = [call for call in direct - TABLES - DESCRIBING if not isinstance(call, Needs)]
            found += [f"{path}: BodyRoute skips {call}" for call in skipped]
    return found


@pytest.fixture(scope="module")
def routes() -> list[BaseRoute]:
    return list(_flat(create_app(FakeServices(load_settings())).router.routes))  # type: ignore[arg-type]


def test_every_route_asks_the_policy(routes: list[BaseRoute]) -> None:
    assert len(routes) > 100
    assert unguarded(routes) == []


def test_a_route_that_does_not_is_found() -> None:
    planted = APIRouter(prefix="/api/v1")

    @planted.get("/planted")
    def nothing() -> None: ...

    @planted.get("/tables/{table}/planted", dependencies=[needs("read")])
    def plain(table: str) -> None: ...

    @planted.get("/two", dependencies=[needs("read"), needs("remove")])
    def two() -> None: ...

    @planted.get("/tables/{table}/right", dependencies=[needs("read")])
    def right(table: TheTable) -> None: ...

    direct = APIRouter(prefix="/api/v1", route_class=BodyRoute, dependencies=[needs("read"), Depends(two)])

    @direct.post("/tables/{table}/skips")
    def skips(table: TheTable, body: BranchParameters) -> None: ...

    @direct.post("/tables/{table}/solved")
    def solved(table: TheTable, body: BranchParameters, more: str) -> None: ...

    found = unguarded([*planted.routes, *direct.routes])
    assert [line.split(":")[0] for line in found] == [
        "/api/v1/planted",
        "/api/v1/tables/{table}/planted",
        "/api/v1/two",
        "/api/v1/tables/{table}/skips",
    ]


def bypasses(source: str) -> list[str]:
    """Return the places where a module of ``api`` lists tables, creates a ``Target``, or reads grants by itself."""
    found: list[str] = []

    def walk(node: ast.AST, within: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            within = node.name
        if isinstance(node, ast.Attribute):
            owner = node.value
            of_services = getattr(owner, "attr", getattr(owner, "id", "")) == "services"
            if of_services and node.attr == "tables" and within not in LISTERS:
                found.append(f"{within}: services.{node.attr} has tables that the caller may not see")
            if node.attr == "grants":
                found.append(f"{within}: reads grants")
        called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if called in {"table_names", "table_namespaces"} and within not in LISTERS:
            found.append(f"{within}: {called} has names that the caller may not see")
        if isinstance(node, ast.Call) and called in {"TableListing", "namespace_listing"} and within not in LISTERS:
            given = [getattr(getattr(one, "func", None), "id", "") for one in node.args]
            if "_sees" not in given:
                found.append(f"{within}: lists tables without asking the policy which ones the caller may see")
        if isinstance(node, ast.Call) and called == "count_tables" and len(node.args) < 3 and within not in LISTERS:
            found.append(f"{within}: counts tables that the caller may not see")
        if called == "Target" and within != "the_table":
            found.append(f"{within}: makes a Target, which the_table does once the policy was asked")
        for child in ast.iter_child_nodes(node):
            walk(child, within)

    walk(ast.parse(source), "module")
    return found


LISTERS = {"tables", "table_names", "namespaces", "count_services", "count_tables"}
"""``Api``'s lists of visible tables, and the metrics of tables; those of all need a caller that may see them all."""


def modules() -> list[Path]:
    return [path for path in (PACKAGE / "api").rglob("*.py") if path.parent.name != "identity"]


def test_only_the_policy_and_its_lists_know_hidden_tables() -> None:
    assert len(modules()) > 30
    found = {str(path): bypasses(path.read_text("utf-8")) for path in modules()}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "planted",
    [
        "def route(api): return api.services.tables()",
        "def route(services): return [t for t in table_names(services, 'iceberg')]",
        "def route(api): return table_namespaces(api.services, 'paimon')",
        "def route(api): return count_tables(MetricSet(), api.services)",
        "def route(api, choice, order): return TableListing(api.services, choice, order)",
        "def route(api): return namespace_listing(api.services, None)",
        "def route(request, api): return Target(request, api, 'hr.people')",
        "def route(caller): return caller.grants[0].role == 'admin'",
    ],
)
def test_a_bypass_is_found(planted: str) -> None:
    assert len(bypasses(planted)) == 1
