"""A server exports spans and metrics to an OTLP collector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.journey.servers import Running, served
from tests.otlp_collector import Collector, SentSpan, collector
from tests.polling import until

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
LITERAL = "a-literal-of-a-filter"
SERVER = 2

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def collected() -> Iterator[Collector]:
    with collector() as kept:
        yield kept


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, collected: Collector) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("otel")
    lake = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/lake")
    lake.create_namespace("db")
    rows = pa.table({"name": ["a", "b"]})
    table = lake.create_table("db.t", rows.schema)
    table.append(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collected.endpoint)
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        patch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "300")
        with served(folder, ROOTS=str(folder / "lake")) as running:
            running.post("/tables", {"name": "db.t", "location": table.location()}, status=201)
            yield running


@pytest.fixture(scope="module")
def trace(server: Running, collected: Collector) -> dict[str, list[SentSpan]]:
    """The spans, by name, of one plan, which is the first request for its table."""
    answer = server.http.post(
        "/api/v1/tables/db.t/plan",
        json={"filter": f"name = '{LITERAL}' OR name = 'a'"},
        headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-Id": "traced"},
    )
    assert answer.json()["counts"]["files"] == 1

    def own() -> list[SentSpan]:
        return [span for span in collected.spans if span.trace_id == TRACE]

    until(lambda: any(span.kind == SERVER for span in own()))
    found: dict[str, list[SentSpan]] = {}
    for span in own():
        found.setdefault(span.name, []).append(span)
    return found


def test_a_request_is_the_child_of_the_given_parent(trace: dict[str, list[SentSpan]]) -> None:
    [request] = trace["POST /api/v1/tables/{table}/plan"]
    assert (request.parent_id, request.kind) == (PARENT, SERVER)
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": "/api/v1/tables/{table}/plan",
        "http.response.status_code": 200,
        "lakemuster.request_id": "traced",
    }


def test_each_step_of_a_first_plan_has_its_spans_within_the_request(trace: dict[str, list[SentSpan]]) -> None:
    assert {"look", "refresh", "fetch", "decode", "publish", "plan", "encode"} <= trace.keys()
    spans = {span.span_id: span for own in trace.values() for span in own}
    [request] = trace["POST /api/v1/tables/{table}/plan"]
    for span in spans.values():
        at = span
        while at.parent_id in spans:
            at = spans[at.parent_id]
        assert at is request, span
    assert sum(span.attributes["objects"] for span in trace["fetch"]) >= 3  # metadata, manifest list, manifest


def test_no_literal_query_or_text_of_an_error_is_sent(
    server: Running, collected: Collector, trace: dict[str, list[SentSpan]]
) -> None:
    answer = server.http.get(
        "/api/v1/tables/db.t/files",
        params={"filter": f"nonsense = '{LITERAL}'"},
        headers={"traceparent": f"00-{TRACE[::-1]}-{PARENT}-01"},
    )
    assert answer.status_code == 400
    until(lambda: any(span.trace_id == TRACE[::-1] for span in collected.spans))
    until(lambda: bool(collected.metrics))
    assert trace
    assert not [body for body in collected.bodies if LITERAL in body or "nonsense" in body]
    assert not [span for span in collected.spans if span.events]


def test_metrics_are_exported_by_route_and_kind(server: Running, collected: Collector) -> None:
    server.get("/tables")

    def exported() -> bool:
        points = collected.metrics.get("lakemuster.requests", [])
        return any(of.get("route") == "/api/v1/tables" and value >= 1 for of, value in points)

    until(exported)
    names = {"lakemuster.request_seconds", "lakemuster.storage_operations", "lakemuster.cache_bytes", "lakemuster.work"}
    assert names <= collected.metrics.keys()
    assert {of["service.name"] for of in collected.resources} == {"lakemuster"}


def test_a_line_of_the_log_names_its_trace(server: Running, trace: dict[str, list[SentSpan]]) -> None:
    assert trace
    lines = [line for line in Path(server.log).read_text().splitlines() if '"request_id":"traced"' in line]
    assert lines
    assert all(f'"trace_id":"{TRACE}"' in line for line in lines)
