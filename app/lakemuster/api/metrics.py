"""Prometheus metrics: store, scrape, and sum values across worker processes.

A metric is *recorded* (a counter or histogram that listens to a :class:`Measure`), *held* (its values are in
components, and read at each scrape in each worker), or *common* (read at a scrape by the scraped worker only, from the
database that all workers share). Labels have few values: they never contain names of tables or callers.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from lakemuster.api.worker_folder import WorkerFolder
from lakemuster.measures import Measure

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
LONG_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400)
WORKER = "worker"
"""The label with the worker's number, on series that exist once per worker."""

Values: TypeAlias = Mapping[str, float] | Mapping[tuple[str, ...], float]
"""Numbers by the value of the only label, by the values of several labels, or by ``()`` without labels."""
ReadValues = Callable[[], Values]
Rule = Literal["sum", "min", "each"]
"""How gauges of several workers are merged; ``each``: they are not, and get the label ``worker``."""
Kind = Literal["counter", "gauge", "histogram"]

# Series with the creation time of each counter would double the size of a scrape.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Instrument:
    """One metric, for other exporters.

    Attributes:
        name: without the suffix ``_total``.
        measure: the measure of a recorded metric; None for a held one.
        read: returns the values of a held metric; None for a recorded one.
        counts: whether a counter counts events, rather than sums amounts.
    """

    kind: Kind
    name: str
    help: str
    labels: tuple[str, ...]
    measure: Measure | None = None
    read: ReadValues | None = None
    counts: bool = True
    buckets: tuple[float, ...] = ()


@dataclass(slots=True)
class _Held:
    """A held metric, and the values that were last written to this worker's file."""

    metric: Counter | Gauge
    read: ReadValues
    written: dict[tuple[str, ...], float] = field(default_factory=dict)


class _Series:
    """A metric's series by the labels of its measure; the dictionary takes a tenth of the time of ``labels()``."""

    def __init__(self, metric: Any, places: Sequence[int]) -> None:
        self._metric, self._places = metric, tuple(places)
        self._known: dict[tuple[str, ...], Any] = {}

    def of(self, labels: tuple[str, ...]) -> Any:
        found = self._known.get(labels)
        if found is None:
            own = [labels[at] for at in self._places]
            found = self._known[labels] = self._metric.labels(*own) if own else self._metric
        return found


class MetricSet:
    """A set of common metrics."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._common: list[Collector] = []

    def common(self, name: str, help_text: str, labels: Sequence[str], read: ReadValues) -> None:
        """Register a gauge whose values ``read`` returns at each scrape.

        It must catch its errors and return an empty mapping: an exception would fail the whole scrape.
        """
        self.add_collector(_Common(name, help_text, labels, read))

    def add_collector(self, collector: Collector) -> None:
        """Register a metric that only the scraped worker reads, at each scrape."""
        self.registry.register(collector)
        self._common.append(collector)

    def text(self) -> bytes:
        """Return all metrics in the exposition format, version 0.0.4."""
        return generate_latest(self.registry)


class Metrics(MetricSet):
    """The metrics of one app, over all of its workers.

    Args:
        folder: the folder that this worker shares with the others; None in a server of one process.

    Attributes:
        requests: seconds from each request to the last byte of its response.
        broken: responses that failed after their first byte.
        upstream: seconds from a request to an attached catalog to the head of its response.
        plans: plans that were made.
        plan_files: their data files: ``seen`` in the snapshot, and ``kept`` in the plan.
    """

    def __init__(self, folder: WorkerFolder | None = None) -> None:
        super().__init__()
        self.instruments: list[Instrument] = []
        self._folder = folder
        self._held: list[_Held] = []
        self._rules: dict[str, Rule] = {}
        self._writing = threading.Lock()
        # A global of this process: prometheus_client reads it whenever a metric or a series is created.
        values.ValueClass = values.MutexValue if folder is None else folder.value_class
        self.requests = Measure("method", "route", "status")
        self.count("lakemuster_requests", "Requests that were answered.", self.requests)
        help_text = "Seconds from a request to the last byte of its response."
        self.distribute("lakemuster_request_seconds", help_text, self.requests, ["route"])
        self.in_flight = self._gauge("lakemuster_requests_in_flight", "Requests in progress.", (), "sum")
        self.broken = Measure()
        self.count("lakemuster_answers_broken", "Responses that failed after their first byte.", self.broken)
        self.plans, self.plan_files = Measure("protocol"), Measure("protocol", "state")
        help_text = "Plans that were made; answers from the response cache make none. Protocol: native, iceberg."
        self.count("lakemuster_plans", help_text, self.plans)
        help_text = "Entries of data files in planned snapshots (seen), and files that plans list (kept)."
        self.count("lakemuster_plan_files", help_text, self.plan_files, is_amount=True)
        self.upstream = Measure("catalog")
        help_text = "Seconds from a request to an attached catalog to the head of its answer, within those of our own."
        self.distribute("lakemuster_upstream_seconds", help_text, self.upstream)
        self.add_collector(_Processes(self))

    @property
    def worker(self) -> str:
        """The number of this worker."""
        return "0" if self._folder is None else str(self._folder.number)

    def planned(self, protocol: str, seen: int, kept: int) -> None:
        """Count a plan that was made.

        Args:
            protocol: ``native`` or ``iceberg``.
            seen: entries of data files in the snapshot.
            kept: files that the plan lists; for plan tasks of Iceberg's protocol, counted when a task is fetched.
        """
        self.plans.record(1, protocol)
        self.plan_files.record(seen, protocol, "seen")
        self.plan_files.record(kept, protocol, "kept")

    def count(self, name: str, help_text: str, measure: Measure, *, is_amount: bool = False) -> None:
        """Register a counter of a measure's values, or with ``is_amount`` of their sum."""
        counter = Counter(name, help_text, measure.labels, registry=self.registry)
        series = _Series(counter, range(len(measure.labels)))
        measure.listen(lambda value, *labels: series.of(labels).inc(value if is_amount else 1))
        self._note(Instrument("counter", name, help_text, measure.labels, measure, counts=not is_amount))

    def distribute(
        self,
        name: str,
        help_text: str,
        measure: Measure,
        labels: Sequence[str] | None = None,
        buckets: Sequence[float] = SECONDS,
    ) -> None:
        """Register a histogram of a measure's values, with the given labels; with all of its labels if None."""
        chosen = tuple(measure.labels if labels is None else labels)
        places = [measure.labels.index(label) for label in chosen]
        histogram = Histogram(name, help_text, chosen, buckets=buckets, registry=self.registry)
        series = _Series(histogram, places)
        measure.listen(lambda value, *labels: series.of(labels).observe(value))
        self._note(Instrument("histogram", name, help_text, chosen, measure, buckets=tuple(buckets)))

    def hold_counter(self, name: str, help_text: str, labels: Sequence[str], read: ReadValues) -> None:
        """Register counters whose values are in components; they never decrease while the process lives."""
        counter = Counter(name, help_text, labels, registry=self.registry)
        self._held.append(_Held(counter, read))
        self._note(Instrument("counter", name, help_text, tuple(labels), read=read))

    def hold_gauge(
        self, name: str, help_text: str, labels: Sequence[str], read: ReadValues, rule: Rule = "sum"
    ) -> None:
        """Register gauges whose values are in components. A series ends when ``read`` no longer returns it."""
        self._held.append(_Held(self._gauge(name, help_text, labels, rule), read))
        self._note(Instrument("gauge", name, help_text, tuple(labels), read=read))

    def start(self) -> None:
        """Let other workers request this worker's values; call this once all metrics are registered."""
        if self._folder is not None:
            self._folder.answer(self.write)

    def write(self) -> None:
        """Write the current values of held metrics, so that a scrape of any worker finds them."""
        with self._writing:
            for held in self._held:
                found = {_key(label): float(number) for label, number in held.read().items()}
                if isinstance(held.metric, Counter):
                    self._add(held, held.metric, found)
                else:
                    self._set(held, held.metric, found)

    def text(self) -> bytes:
        """Return the metrics of all workers in the exposition format, version 0.0.4."""
        if self._folder is None:
            self.write()
            return generate_latest(self.registry)
        live = self._folder.ask_others()
        self.write()
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_AllWorkers(self._folder, frozenset(map(str, live)), self._rules))
        for collector in self._common:
            registry.register(_Processes(self, live) if isinstance(collector, _Processes) else collector)
        return generate_latest(registry)

    def _gauge(self, name: str, help_text: str, labels: Sequence[str], rule: Rule) -> Gauge:
        self._rules[name] = rule
        return Gauge(name, help_text, labels, registry=self.registry, multiprocess_mode="liveall")

    def _note(self, instrument: Instrument) -> None:
        self.instruments.append(instrument)

    @staticmethod
    def _add(held: _Held, counter: Counter, found: Mapping[tuple[str, ...], float]) -> None:
        for key, number in found.items():
            more = number - held.written.get(key, 0.0)
            series = counter.labels(*key) if key else counter
            if more >= 0:
                series.inc(more)
                held.written[key] = number

    def _set(self, held: _Held, gauge: Gauge, found: Mapping[tuple[str, ...], float]) -> None:
        for key in held.written.keys() - found.keys():
            if self._folder is None:
                gauge.remove(*key)
            else:
                gauge.labels(*key).set(math.nan)  # a file keeps its series: NaN ends it
        for key, number in found.items():
            (gauge.labels(*key) if key else gauge).set(number)
        held.written = dict(found)


def _key(label: str | tuple[str, ...]) -> tuple[str, ...]:
    return (label,) if isinstance(label, str) else label


class _AllWorkers(Collector):
    """Sums over all workers' files: counters and histograms of all workers, gauges of live ones."""

    def __init__(self, folder: WorkerFolder, live: frozenset[str], rules: Mapping[str, Rule]) -> None:
        self._folder, self._live, self._rules = folder, live, rules

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics by name."""
        collector: Any = MultiProcessCollector
        found: Iterable[Metric] = collector(None, str(self._folder.path)).collect()
        for metric in sorted(found, key=lambda one: one.name):
            yield self._merged(metric) if metric.type == "gauge" else metric

    def _merged(self, metric: Metric) -> Metric:
        """Merge the series that differ in their worker only."""
        rule = self._rules.get(metric.name, "sum")
        merged: dict[tuple[tuple[str, str], ...], float] = {}
        for sample in metric.samples:
            labels = dict(sample.labels)
            worker = labels.pop("pid")
            if worker not in self._live or math.isnan(sample.value):
                continue
            if rule == "each":
                labels[WORKER] = worker
            key = tuple(labels.items())
            if key not in merged or rule == "each":
                merged[key] = sample.value
            else:
                merged[key] = min(merged[key], sample.value) if rule == "min" else merged[key] + sample.value
        family = Metric(metric.name, metric.documentation, "gauge")
        for key, number in merged.items():
            family.add_sample(metric.name, dict(key), number)
        return family


class _Common(Collector):
    def __init__(self, name: str, help_text: str, labels: Sequence[str], read: ReadValues) -> None:
        self._name, self._help, self._labels, self._read = name, help_text, labels, read

    def describe(self) -> Iterable[Metric]:
        """Return the metric without values: the database may not exist yet at registration."""
        return [self._family()]

    def collect(self) -> Iterable[Metric]:
        """Read the values."""
        family = self._family()
        for label, number in self._read().items():
            family.add_metric(_key(label), number)
        return [family]

    def _family(self) -> GaugeMetricFamily:
        return GaugeMetricFamily(self._name, self._help, labels=self._labels)


class _Processes(Collector):
    """CPU time, memory and files of worker processes, under the names of Prometheus clients."""

    def __init__(self, metrics: Metrics, live: Mapping[int, int] | None = None) -> None:
        self._metrics, self._live = metrics, live

    def describe(self) -> Iterable[Metric]:
        """Return the metrics without values."""
        return [_with_worker(metric, ()) for metric in ProcessCollector(registry=None).collect()]

    def collect(self) -> Iterable[Metric]:
        """Read the metrics of each live worker; a worker that ended meanwhile has none."""
        own: list[tuple[str, Any]] = [(self._metrics.worker, "self")]
        live = own if self._live is None else [(str(number), process) for number, process in sorted(self._live.items())]
        families: dict[str, Metric] = {}
        for worker, process in live:
            for metric in ProcessCollector(pid=lambda process=process: process, registry=None).collect():  # type: ignore[misc]
                family = families.setdefault(metric.name, _with_worker(metric, ()))
                family.samples += _with_worker(metric, (worker,)).samples
        return families.values()


def _with_worker(metric: Metric, workers: Sequence[str]) -> Metric:
    kind = CounterMetricFamily if metric.type == "counter" else GaugeMetricFamily
    family = kind(metric.name, metric.documentation, labels=[WORKER])
    for worker in workers:
        for sample in metric.samples:
            family.add_metric([worker], sample.value)
    return family
