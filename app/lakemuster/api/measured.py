"""Names, help texts and sources of the metrics."""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial

from lakemuster import __version__
from lakemuster.api.certificates import is_usable
from lakemuster.api.event_feed import EventFeed
from lakemuster.api.identity.token_file import TokenFile
from lakemuster.api.metrics import LONG_SECONDS, Metrics, MetricSet, ReadValues, Values
from lakemuster.api.slots import Slots
from lakemuster.api.stream_memory import STREAM_MEMORY
from lakemuster.caching import MEMORY, CacheStatistics
from lakemuster.catalog.fleet_health import FleetListing
from lakemuster.catalog.services import Services
from lakemuster.catalog.table_lists import TableChoice, TableListing, TableOrder
from lakemuster.catalog.webhook_documents import webhooks_out
from lakemuster.config import Settings
from lakemuster.errors import CatalogError
from lakemuster.jobs.supervisor import JobState, Supervisor
from lakemuster.jobs.webhooks import WebhookMeasures
from lakemuster.kernels.states import kernel_states
from lakemuster.metadata.names import Levels
from lakemuster.wire.native.webhooks import WebhookOut

_NO_LABELS: tuple[str, ...] = ()


def count_services(metrics: Metrics, services: Services) -> None:
    """Register the metrics of the services."""
    metrics.common("lakemuster_build_info", "What runs: 1, with its versions.", ["version", "python"], _build)
    count_tables(metrics, services)
    count_health(metrics, services)
    help_text = "Work done since the start: refreshes, looks at tables, fetches, decoded entries, snapshots."
    metrics.hold_counter("lakemuster_work", help_text, ["kind"], lambda: asdict(services.refresher.totals))
    _count_refreshes(metrics, services)
    _count_storage(metrics, services)
    _count_upstreams(metrics, services)
    _count_database(metrics, services)
    _count_caches(metrics)
    _count_kernels(metrics)
    _count_interpreter(metrics)


def _build() -> Mapping[tuple[str, ...], float]:
    return {(__version__, platform.python_version()): 1.0}


def _count_refreshes(metrics: Metrics, services: Services) -> None:
    refresher = services.refresher
    measures, counts = refresher.measures, refresher.decoder_counts
    help_text = "Seconds that a refresh took, its wait for the table's lease included; outcome: ok, or an error's code."
    metrics.distribute("lakemuster_refresh_seconds", help_text, measures.seconds, buckets=LONG_SECONDS)
    help_text = "Seconds from a commit, by its writer's clock, to its publication here; not of a table's first refresh."
    metrics.distribute("lakemuster_refresh_lag_seconds", help_text, measures.lag, buckets=LONG_SECONDS)
    help_text = "Seconds that a decoder's task took, without its wait in the queue; outcome: ok, or an error's code."
    metrics.distribute("lakemuster_decode_seconds", help_text, refresher.decoder_tasks)
    help_text = "Tasks of decoders by state: queued, running."
    metrics.hold_gauge("lakemuster_decoder_tasks", help_text, ["state"], lambda: _of(counts(), "queued", "running"))
    help_text = "Decoder processes that are alive."
    metrics.hold_gauge("lakemuster_decoder_processes", help_text, [], _one(lambda: counts()["processes"]))


def _count_storage(metrics: Metrics, services: Services) -> None:
    counts = services.store.counts
    help_text = "Operations on object storage that ended, by kind: read, stat, list; outcome: ok, or an error's code."
    metrics.count("lakemuster_storage_operations", help_text, counts.operations)
    help_text = "Seconds that an operation on object storage took."
    metrics.distribute("lakemuster_storage_operation_seconds", help_text, counts.operations, ["kind"])
    help_text = "Bytes read from object storage."
    metrics.hold_counter("lakemuster_storage_read_bytes", help_text, [], _one(lambda: counts.bytes))
    help_text = (
        "Threads that look at tables and index them: at work, work that waits for one, buckets that have all of "
        "theirs at work."
    )
    metrics.hold_gauge("lakemuster_storage_threads", help_text, ["state"], services.refresher.threads.counts)


def _count_upstreams(metrics: Metrics, services: Services) -> None:
    help_text = "Server processes that refuse requests to an attached catalog at once, since it did not answer."
    metrics.hold_gauge(
        "lakemuster_upstream_breakers_open",
        help_text,
        ["catalog"],
        lambda: {catalog.name: float(catalog.breaker.is_open) for catalog in services.refresher.upstreams},
    )


def _count_kernels(metrics: Metrics) -> None:
    help_text = (
        "Server processes that need a kernel, or whose decoders do, and cannot compile it: they use slower code."
    )
    metrics.hold_gauge(
        "lakemuster_kernels_missing",
        help_text,
        ["kernel"],
        lambda: {kernel: float(not loads) for kernel, loads in kernel_states().items()},
    )


def _count_database(metrics: Metrics, services: Services) -> None:
    database = services.index.database
    help_text = "Connections to the database by state: in_use, idle."
    metrics.hold_gauge("lakemuster_database_connections", help_text, ["state"], database.connections)
    help_text = "Connections to the database that may be open at a time."
    metrics.hold_gauge("lakemuster_database_connections_limit", help_text, [], _one(lambda: database.max_connections))
    help_text = "Leases of tables that are held, to write their index."
    metrics.hold_gauge("lakemuster_table_leases", help_text, [], _one(services.held_leases))


def _count_caches(metrics: Metrics) -> None:
    for name, text in (
        ("hits", "Reads of a cache that found a value, since the start."),
        ("misses", "Reads of a cache that found no value, since the start."),
        ("evictions", "Values that a cache removed to make room, since the start."),
    ):
        metrics.hold_counter(f"lakemuster_cache_{name}", text, ["cache"], partial(_of_caches, name))
    for name, text in (
        ("entries", "Values that a cache holds."),
        ("bytes", "Approximate bytes of memory that a cache holds."),
    ):
        metrics.hold_gauge(f"lakemuster_cache_{name}", text, ["cache"], partial(_of_caches, name))
    help_text = "Bytes that all caches may hold together."
    metrics.hold_gauge("lakemuster_cache_limit_bytes", help_text, [], _one(lambda: MEMORY.limit))


def _of_caches(name: str) -> Values:
    statistics: dict[str, CacheStatistics] = MEMORY.statistics()
    return {cache: getattr(found, name) for cache, found in statistics.items()}


def _count_interpreter(metrics: Metrics) -> None:
    """Register the garbage collector's counters and ``python_info``, under the names of the Prometheus client."""
    for name, key, text in (
        ("objects_collected", "collected", "Objects collected during gc"),
        ("objects_uncollectable", "uncollectable", "Uncollectable objects found during GC"),
        ("collections", "collections", "Number of times this generation was collected"),
    ):
        read = partial(_of_generations, metrics.worker, key)
        metrics.hold_counter(f"python_gc_{name}", text, ["worker", "generation"], read)
    help_text = "Python platform information"
    found: Mapping[tuple[str, ...], float] = {(platform.python_implementation(), platform.python_version()): 1.0}
    metrics.hold_gauge("python_info", help_text, ["implementation", "version"], lambda: found, "each")


def _of_generations(worker: str, key: str) -> Mapping[tuple[str, ...], float]:
    return {(worker, str(number)): of[key] for number, of in enumerate(gc.get_stats())}


def count_streams(metrics: Metrics) -> None:
    """Export the streams in progress."""
    help_text = "Responses in progress that stream a whole list."
    metrics.hold_gauge("lakemuster_streams_in_progress", help_text, [], _one(lambda: STREAM_MEMORY.running))
    help_text = "Bytes of streams that are produced and not yet sent."
    metrics.hold_gauge("lakemuster_stream_buffer_bytes", help_text, [], _one(lambda: STREAM_MEMORY.bytes))


def count_events(metrics: Metrics, feed: EventFeed) -> None:
    """Export the streams of events."""
    metrics.hold_gauge("lakemuster_event_streams", "Open streams of events.", [], _one(lambda: feed.streams))


def count_slots(metrics: Metrics, read: Callable[[], dict[str, Slots]]) -> None:
    """Export the slots of requests and of streams."""

    def states() -> Iterator[tuple[tuple[str, ...], float]]:
        for kind, slots in read().items():
            yield (kind, "taken"), slots.taken
            yield (kind, "waiting"), slots.waiting

    help_text = (
        "Slots that are taken, and requests that wait for one, by kind: requests, streams; state: taken, waiting."
    )
    metrics.hold_gauge("lakemuster_slots", help_text, ["kind", "state"], lambda: dict(states()))
    help_text = "Slots by kind: requests, streams."
    limits: ReadValues = lambda: {kind: slots.total for kind, slots in read().items()}  # noqa: E731
    metrics.hold_gauge("lakemuster_slots_limit", help_text, ["kind"], limits)


def count_jobs(metrics: Metrics, supervisor: Supervisor) -> None:
    """Export the background jobs: runs that ended in this server, and the states of the jobs that it holds."""
    metrics.count("lakemuster_job_runs", "Runs of a background job that ended.", supervisor.measures.runs)
    metrics.count("lakemuster_job_failures", "Runs of a background job that failed.", supervisor.measures.failures)
    gauges: dict[str, tuple[str, Callable[[JobState], float | None]]] = {
        "job_failures_in_a_row": ("Runs that failed since the last success.", lambda state: state.failures_in_a_row),
        "job_last_success_age_seconds": (
            "Seconds since a run last succeeded.",
            lambda state: None if state.succeeded_in is None else -state.succeeded_in,
        ),
        "job_last_duration_seconds": ("Seconds that the last run took.", lambda state: state.duration),
        "job_running": ("1 while a run is in progress.", lambda state: float(state.started_in is not None)),
    }
    for name, (help_text, of) in gauges.items():
        words = f"{help_text} Of jobs that this server holds."
        metrics.hold_gauge(f"lakemuster_{name}", words, ["name"], partial(_of_jobs, supervisor, of))
    metrics.hold_gauge(
        "lakemuster_job_leases", "Leases of jobs that are held.", [], _one(lambda: len(supervisor.held()))
    )


def count_webhooks(metrics: Metrics, services: Services, deliveries: WebhookMeasures) -> None:
    """Export the webhook deliveries that ended in this server, and from the database the lag of each webhook."""
    help_text = "Seconds of a try to deliver an event to a webhook; outcome: ok, failed."
    metrics.distribute("lakemuster_webhook_delivery_seconds", help_text, deliveries.tries)
    help_text = "Messages that became dead letters, since the receiver did not accept them."
    metrics.count("lakemuster_webhook_messages_died", help_text, deliveries.dead)
    gauges: dict[str, tuple[str, Callable[[WebhookOut], float]]] = {
        "lag_events": ("Events of the log that a webhook has not handled yet.", lambda one: one.lag_events),
        "lag_seconds": ("Age of the oldest event that a webhook has not handled yet.", lambda one: one.lag_seconds),
        "dead_letters": ("Stored dead letters of a webhook.", lambda one: one.dead_letters),
        "failures_in_a_row": ("Tries that failed since the last success.", lambda one: one.failures_in_a_row),
    }
    for name, (words, of) in gauges.items():
        metrics.common(f"lakemuster_webhook_{name}", words, ["webhook"], partial(_of_webhooks, services, of))


def _of_webhooks(services: Services, of: Callable[[WebhookOut], float]) -> Values:
    try:
        return {one.name: of(one) for one in webhooks_out(services)}
    except CatalogError:
        return {}


def _of_jobs(supervisor: Supervisor, of: Callable[[JobState], float | None]) -> Values:
    return {held.name: at for held in supervisor.held() if (at := of(held.state)) is not None}


def count_reloads(metrics: Metrics, tokens: TokenFile | None, settings: Settings) -> None:
    """Export whether all workers use the current content of the tokens file and of the certificate."""
    certificate, key = settings.tls_cert, settings.tls_key
    read: dict[str, Callable[[], bool]] = {}
    if tokens is not None:
        read["tokens"] = lambda: tokens.looked().is_current
    if certificate is not None and key is not None:
        read["certificate"] = lambda: is_usable(certificate, key)
    if read:
        metrics.hold_gauge(
            "lakemuster_last_reload_successful",
            "1 when the file's newest content is in use, 0 when it is wrong and an older one is.",
            ["file"],
            lambda: {name: float(is_current()) for name, is_current in read.items()},
            "min",
        )


def count_tables(metrics: MetricSet, services: Services, sees: Callable[[Levels], bool] | None = None) -> None:
    """Export the number of tables, from the database, which workers share.

    Args:
        sees: whether the caller may see a table of this name; None if it may see every table.
    """
    listing = TableListing(services, TableChoice(), TableOrder(), sees)
    help_text = "Registered tables; those whose newest state could not be read are stale."
    metrics.common("lakemuster_tables", help_text, ["state"], lambda: _states(listing))


def count_health(metrics: MetricSet, services: Services) -> None:
    """Export the numbers of tables by health, from the database, which workers share."""
    help_text = "Tables by component of health and status; the component health is the worst of a table's components."
    metrics.common("lakemuster_table_health", help_text, ["component", "status"], lambda: _health(services))


def _health(services: Services) -> Values:
    try:
        counts = FleetListing(services, TableChoice(), TableOrder()).counts()
    except CatalogError:
        return {}
    found: dict[tuple[str, ...], float] = {("health", status): float(n) for status, n in counts.tables.items()}
    for component, of in counts.components.items():
        found |= {(component, status): float(number) for status, number in of.items()}
    return found


def _states(listing: TableListing) -> Values:
    try:
        return listing.states()
    except CatalogError:
        return {}


def _one(read: Callable[[], float]) -> ReadValues:
    """Return a function that reads the value of a metric without labels."""
    return lambda: {_NO_LABELS: read()}


def _of(found: dict[str, float], *names: str) -> Values:
    return {name: found[name] for name in names}
