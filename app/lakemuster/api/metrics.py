"""Prometheus metrics: counters of the HTTP layer, and values of other components, read at each scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

ReadValues = Callable[[], Mapping[str, float]]


class MetricSet:
    """Metrics whose values other components hold. Labels never name tables or callers."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

    def observe(self, kind: type[Metric], name: str, help_text: str, read_values: ReadValues, label: str) -> None:
        """Register a metric with one label, whose values ``read_values`` returns at each scrape.

        It must catch its errors and return an empty mapping: an exception would fail the whole scrape.
        """
        self.registry.register(_ScrapedMetric(kind, name, help_text, read_values, label))

    def text(self) -> bytes:
        """All metrics in the exposition format, version 0.0.4."""
        return generate_latest(self.registry)


class Metrics(MetricSet):
    """The metrics of one app."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = Counter(
            "lakemuster_requests", "Requests that were answered.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "lakemuster_request_seconds",
            "Seconds from a request to the last byte of its response.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.in_flight = Gauge("lakemuster_requests_in_flight", "Requests in progress.", registry=self.registry)
        self.broken = Counter(
            "lakemuster_answers_broken", "Responses that failed after their first byte.", registry=self.registry
        )


class _ScrapedMetric(Collector):
    def __init__(self, kind: type[Metric], name: str, help_text: str, read_values: ReadValues, label: str) -> None:
        self._kind, self._name, self._help, self._read_values, self._label = kind, name, help_text, read_values, label

    def describe(self) -> Iterable[Metric]:
        # Registration must not read values: the database may not exist yet.
        return [self._family()]

    def collect(self) -> Iterable[Metric]:
        family = self._family()
        for value, number in self._read_values().items():
            family.add_metric([value], number)
        return [family]

    def _family(self) -> CounterMetricFamily | GaugeMetricFamily:
        if self._kind is CounterMetricFamily:
            return CounterMetricFamily(self._name, self._help, labels=[self._label])
        return GaugeMetricFamily(self._name, self._help, labels=[self._label])
