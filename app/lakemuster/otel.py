"""OpenTelemetry: spans and metrics to a collector, by OTLP over HTTP. Needs the extra ``otel``.

It is configured by the variables that OpenTelemetry's specification names. Nothing is exported unless one of them names
an endpoint. Spans have the attributes that our own code gives them, and no others: no exception's text, no header, no
query string.

Source: opentelemetry.io, "Environment Variable Specification", "HTTP semantic conventions"; W3C Trace Context.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from lakemuster import __version__, tracing
from lakemuster.api.metrics import Instrument, Metrics
from lakemuster.errors import CatalogError

CLOSE_SECONDS = 3.0
"""Maximum time that a collector which does not answer delays the end of a process."""
_SCOPE = "lakemuster"
_UNITS = {"seconds": "s", "bytes": "By"}
_PROPAGATOR = TraceContextTextMapPropagator()


class Export:
    """The export of a process.

    Attributes:
        tracer: records the spans of the process; None: traces are not exported.
    """

    def __init__(self, processors: Sequence[SpanProcessor], readers: Sequence[MetricReader]) -> None:
        own = {
            "service.name": _SCOPE,
            "service.version": __version__,
            "service.instance.id": f"{socket.gethostname()}:{os.getpid()}",
        }
        # Environment variables take precedence.
        resource = Resource.create().merge(Resource(own)).merge(OTELResourceDetector().detect())
        self.tracer: OtelTracer | None = None
        self._traces: TracerProvider | None = None
        if processors:
            self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
            for processor in processors:
                self._traces.add_span_processor(processor)
            self.tracer = OtelTracer(self._traces.get_tracer(_SCOPE, __version__))
        self._meters = MeterProvider(readers, resource, shutdown_on_exit=False) if readers else None

    @classmethod
    def of_environment(cls) -> Export:
        """Return an export to the endpoints that the environment names."""
        traces = _is_wanted("TRACES")
        return cls(
            [BatchSpanProcessor(OTLPSpanExporter())] if traces else [],
            [PeriodicExportingMetricReader(OTLPMetricExporter())] if _is_wanted("METRICS") else [],
        )

    def add_metrics(self, metrics: Metrics) -> None:
        """Export the metrics of this process; each worker exports its own."""
        if self._meters is None:
            return
        meter = self._meters.get_meter(_SCOPE, __version__)
        for instrument in metrics.instruments:
            if not instrument.name.startswith("python_"):
                _add(meter, instrument)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Flush pending spans and metrics, for at most ``seconds``.

        The SDK waits 30 s for each of them if the collector does not answer.
        """
        until = time.monotonic() + seconds
        providers = [provider for provider in (self._traces, self._meters) if provider is not None]
        threads = [threading.Thread(target=one.shutdown, name="otel close", daemon=True) for one in providers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


def _is_wanted(signal: str) -> bool:
    has_endpoint = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or os.environ.get(
        f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"
    )
    is_off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return bool(has_endpoint) and not is_off and os.environ.get(f"OTEL_{signal}_EXPORTER", "otlp") == "otlp"


class OtelTracer:
    """Records spans with OpenTelemetry; see :class:`tracing.Tracer`."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def span(self, name: str, attributes: tracing.Attributes) -> Iterator[OtelSpan]:
        """See :meth:`tracing.Tracer.span`."""
        with _current(self._tracer.start_span(name, attributes=attributes)) as span:
            yield span

    @contextmanager
    def request(self, name: str, headers: Mapping[str, str]) -> Iterator[OtelSpan]:
        """See :meth:`tracing.Tracer.request`."""
        carrier = {key: headers[key] for key in ("traceparent", "tracestate") if key in headers}
        parent = _PROPAGATOR.extract(carrier, context.Context())
        started = self._tracer.start_span(name, parent, SpanKind.SERVER)
        with _current(started) as span:
            yield span

    def begin(self, name: str, attributes: tracing.Attributes) -> OtelSpan:
        """See :meth:`tracing.Tracer.begin`."""
        return OtelSpan(self._tracer.start_span(name, attributes=attributes))

    def trace_id(self) -> str | None:
        """See :meth:`tracing.Tracer.trace_id`."""
        found = trace.get_current_span().get_span_context()
        return trace.format_trace_id(found.trace_id) if found.is_valid else None


class OtelSpan:
    """A span of OpenTelemetry; see :class:`tracing.Span`."""

    __slots__ = ("_span",)

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def set(self, **attributes: tracing.AttributeValue) -> None:
        """See :meth:`tracing.Span.set`."""
        self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        """See :meth:`tracing.Span.rename`."""
        self._span.update_name(name)

    def fail(self, kind: str) -> None:
        """See :meth:`tracing.Span.fail`."""
        self._span.set_attribute("error.type", kind)
        self._span.set_status(StatusCode.ERROR)

    def end(self) -> None:
        """See :meth:`tracing.Span.end`."""
        self._span.end()


@contextmanager
def _current(started: trace.Span) -> Iterator[OtelSpan]:
    """Make a span the current one for a block, and end it."""
    span = OtelSpan(started)
    # OpenTelemetry would record exceptions with their text.
    with trace.use_span(started, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield span
        except BaseException as error:
            span.fail(error.code if isinstance(error, CatalogError) else type(error).__name__)
            raise


def _add(meter: Any, instrument: Instrument) -> None:
    name, unit = _name(instrument.name), _unit(instrument)
    if instrument.read is not None:
        make = meter.create_observable_counter if instrument.kind == "counter" else meter.create_observable_gauge
        make(name, [_Observed(instrument)], unit, instrument.help)
        return
    measure = instrument.measure
    assert measure is not None
    places = [(label, measure.labels.index(label)) for label in instrument.labels]
    if instrument.kind == "counter":
        counter = meter.create_counter(name, unit, instrument.help)

        def add(value: float, *labels: str) -> None:
            counter.add(1 if instrument.counts else value, {label: labels[at] for label, at in places})

        measure.listen(add)
        return
    histogram = meter.create_histogram(
        name, unit, instrument.help, explicit_bucket_boundaries_advisory=instrument.buckets
    )

    def record(value: float, *labels: str) -> None:
        histogram.record(value, {label: labels[at] for label, at in places})

    measure.listen(record)


class _Observed:
    """Reads the values that components hold, at each export."""

    def __init__(self, instrument: Instrument) -> None:
        self._instrument = instrument

    def __call__(self, _: CallbackOptions) -> Iterable[Observation]:
        assert self._instrument.read is not None
        for key, number in self._instrument.read().items():
            own = (key,) if isinstance(key, str) else key
            yield Observation(number, dict(zip(self._instrument.labels, own, strict=True)))


def _name(name: str) -> str:
    """Return ``lakemuster.request_seconds`` for ``lakemuster_request_seconds``."""
    return name.replace(f"{_SCOPE}_", f"{_SCOPE}.", 1)


def _unit(instrument: Instrument) -> str:
    return _UNITS.get(instrument.name.rpartition("_")[2], "1")
