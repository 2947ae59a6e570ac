"""A collector of OTLP over HTTP that stores the received data."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.loopback_http import listening


@dataclass(frozen=True)
class SentSpan:
    """A received span; ids are in hexadecimal."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    attributes: dict[str, Any]
    events: int
    failed: bool


@dataclass
class Collector:
    """The received data.

    Attributes:
        endpoint: the URL for exporters.
        metrics: data points by metric name, each with its attributes and its value or count.
        bodies: the text form of all received messages.
    """

    endpoint: str = ""
    spans: list[SentSpan] = field(default_factory=list)
    metrics: dict[str, list[tuple[dict[str, Any], float]]] = field(default_factory=dict)
    resources: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)

    def take_spans(self, sent: ExportTraceServiceRequest) -> None:
        """Store spans."""
        self.bodies.append(str(sent))
        for of in sent.resource_spans:
            self.resources.append(_attributes(of.resource.attributes))
            for scope in of.scope_spans:
                for span in scope.spans:
                    ids = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
                    own = _attributes(span.attributes), len(span.events), span.status.code == 2
                    self.spans.append(SentSpan(span.name, *ids, span.kind, *own))

    def take_metrics(self, sent: ExportMetricsServiceRequest) -> None:
        """Store the newest data points of each metric."""
        self.bodies.append(str(sent))
        for of in sent.resource_metrics:
            for scope in of.scope_metrics:
                for metric in scope.metrics:
                    points = getattr(metric, metric.WhichOneof("data")).data_points
                    self.metrics[metric.name] = [(_attributes(one.attributes), _number(one)) for one in points]


def _number(point: Any) -> float:
    if hasattr(point, "count"):
        return float(point.count)
    return float(getattr(point, point.WhichOneof("value")))


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


@contextmanager
def collector() -> Iterator[Collector]:
    """Run a collector on a free port of 127.0.0.1."""
    kept = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if self.path == "/v1/traces":
                kept.take_spans(ExportTraceServiceRequest.FromString(body))
            elif self.path == "/v1/metrics":
                kept.take_metrics(ExportMetricsServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with listening(Handler) as port:
        kept.endpoint = f"http://127.0.0.1:{port}"
        yield kept
