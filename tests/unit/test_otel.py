"""Spans and metrics as exported to OpenTelemetry."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from lakemuster import tracing
from lakemuster.api.metrics import Metrics
from lakemuster.errors import StorageUnavailable
from lakemuster.measures import Measure
from lakemuster.otel import Export

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
SECRET = "s3://bucket?X-Amz-Signature=secret"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    export = Export([SimpleSpanProcessor(exporter)], [])
    tracing.install(export.tracer)
    yield exporter
    tracing.install(None)
    export.close()


def ended(spans: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in spans.get_finished_spans()}


@pytest.mark.parametrize(
    ("error", "kind"), [(StorageUnavailable(SECRET), "storage_unavailable"), (RuntimeError(SECRET), "RuntimeError")]
)
def test_a_failed_span_names_the_kind_of_its_error_and_nothing_of_its_text(
    spans: InMemorySpanExporter, error: Exception, kind: str
) -> None:
    with pytest.raises(type(error)), tracing.span("fetch"):
        raise error
    span = ended(spans)["fetch"]
    assert dict(span.attributes or {}) == {"error.type": kind}
    assert not span.status.is_ok
    assert not span.events
    assert "secret" not in span.to_json()


def test_spans_are_children_of_the_current_one_in_copied_contexts_too(spans: InMemorySpanExporter) -> None:
    with tracing.request("GET", {"traceparent": TRACEPARENT}):
        assert tracing.trace_id() == TRACEPARENT.split("-")[1]
        begun = tracing.begin("fetch")
        with tracing.span("look"):
            elsewhere = contextvars.copy_context()
        elsewhere.run(lambda: tracing.begin("decode").end())
        begun.set(objects=2)
        begun.end()
    found = ended(spans)
    parents = {name: span.parent and span.parent.span_id for name, span in found.items()}
    request, look = found["GET"].context, found["look"].context
    assert request
    assert look
    assert parents["GET"] == int(TRACEPARENT.split("-")[2], 16)
    assert (parents["look"], parents["fetch"], parents["decode"]) == (request.span_id, request.span_id, look.span_id)
    assert dict(found["fetch"].attributes or {}) == {"objects": 2}


@pytest.mark.parametrize("given", [{}, {"traceparent": "nonsense"}, {"traceparent": "00-" + "0" * 32 + "-1-01"}])
def test_a_request_without_a_valid_parent_begins_a_trace(spans: InMemorySpanExporter, given: dict[str, str]) -> None:
    with tracing.span("around"), tracing.request("GET", given):
        pass
    assert ended(spans)["GET"].parent is None


def test_metrics_are_exported_with_their_units_and_labels() -> None:
    reader = InMemoryMetricReader()
    export = Export([], [reader])
    metrics, measure = Metrics(), Measure("kind", "outcome")
    metrics.count("lakemuster_things", "Things.", measure)
    metrics.distribute("lakemuster_thing_seconds", "Seconds.", measure, ["kind"], buckets=(1.0, 2.0))
    metrics.hold_gauge("lakemuster_level_bytes", "Level.", ["of"], lambda: {"a": 3.0})
    metrics.hold_counter("lakemuster_work", "Work.", ["of"], lambda: {"a": 7.0})
    export.add_metrics(metrics)
    measure.record(1.5, "x", "ok")
    data = reader.get_metrics_data()
    assert data is not None
    found = {m.name: m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics}
    point: dict[str, Any] = {name: next(iter(metric.data.data_points)) for name, metric in found.items()}
    assert dict(point["lakemuster.things"].attributes or {}) == {"kind": "x", "outcome": "ok"}
    assert point["lakemuster.things"].value == 1
    assert found["lakemuster.thing_seconds"].unit == "s"
    assert tuple(point["lakemuster.thing_seconds"].explicit_bounds) == (1.0, 2.0)
    assert dict(point["lakemuster.thing_seconds"].attributes or {}) == {"kind": "x"}
    assert (found["lakemuster.level_bytes"].unit, point["lakemuster.level_bytes"].value) == ("By", 3)
    assert point["lakemuster.work"].value == 7
    export.close()


def test_a_collector_that_does_not_answer_does_not_delay_the_end() -> None:
    answers, stopped = threading.Event(), threading.Event()

    class Hanging(SpanProcessor):
        def shutdown(self) -> None:
            answers.wait(60)
            stopped.set()

    Export([Hanging()], []).close(0.01)
    assert not stopped.is_set()
    answers.set()
    assert stopped.wait(60)
