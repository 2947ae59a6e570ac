"""The composition root: build the index, stores and decoders from the settings, and the HTTP application from them."""

from __future__ import annotations

import atexit
import gc
import logging
import multiprocessing
import os
import signal
import threading
from importlib import import_module
from typing import TYPE_CHECKING

from lakemuster import tracing
from lakemuster.caching import MEMORY
from lakemuster.catalog.attached import require_names
from lakemuster.catalog.health import health_recorder
from lakemuster.catalog.services import Services
from lakemuster.catalog.webhooks import webhooks_of
from lakemuster.clock import SYSTEM, Clock
from lakemuster.config import Settings, load_settings
from lakemuster.errors import CatalogError
from lakemuster.extras import pip_install
from lakemuster.failure_reasons import operator_message
from lakemuster.ingest.opening import open_refresher
from lakemuster.ingest.shared_looks import SERVER_WAITS, WaitPolicy
from lakemuster.library_output import silence_libraries

if TYPE_CHECKING:
    from fastapi import FastAPI

LOG = logging.getLogger("lakemuster.telemetry")
GC_THRESHOLDS = (10_000, 10, 20)
"""Thresholds of Python's garbage collector: container objects, and collections of the next younger generation.

A few concurrent requests allocate more than the default of 700 objects, which are then scanned again with each full
collection. With 32 clients, full collections ran every few seconds and stopped all requests for 100 to 250 ms.
"""
_ENDPOINTS = tuple(f"OTEL_EXPORTER_OTLP_{signal}ENDPOINT" for signal in ("", "TRACES_", "METRICS_"))


def build_services(settings: Settings, waiting: WaitPolicy = SERVER_WAITS, clock: Clock = SYSTEM) -> Services:
    """Open the index and the stores. Nothing is fetched yet; decoders start when first needed.

    Args:
        waiting: how long requests wait for storage.
        clock: the time source for ages and for an embedded database.

    Raises:
        DatabaseVersionMismatch: the database needs ``lakemuster migrate``.
        IndexUnavailable, ConfigInvalid: the index or a store cannot be opened.
    """
    webhooks_of(settings)
    MEMORY.limit = settings.memory_bytes // settings.workers
    refresher = open_refresher(settings, waiting, clock)
    require_names(refresher.index, refresher.upstreams)
    services = Services(settings, refresher.index, refresher.store, refresher)
    refresher.tables.health = health_recorder(services)
    return services


def app() -> FastAPI:
    """Create the application of a server process, which is configured by the environment and not by flags.

    Raises:
        SystemExit: it cannot start. The supervisor of workers starts another one.
    """
    # Imported here: commands that open services without HTTP should not wait for FastAPI.
    from lakemuster.api.app import create_app  # noqa: PLC0415
    from lakemuster.api.worker_folder import WorkerFolder  # noqa: PLC0415

    silence_libraries()
    _end_with_supervisor()
    try:
        built = create_app(build_services(load_settings()), WorkerFolder.of_environment())
    except CatalogError as error:
        logging.getLogger("lakemuster.api").critical("a server process cannot start: %s", operator_message(error))
        raise SystemExit(1) from None
    export_telemetry(built)
    reload_on_hangup(built)
    warm_up()
    return built


def _end_with_supervisor() -> None:
    """Stop this worker when its supervisor was killed: it would hold the port, and no new server could start."""
    supervisor = multiprocessing.parent_process()
    if supervisor is None:
        return

    def wait() -> None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="supervisor", daemon=True).start()


def export_telemetry(app: FastAPI) -> None:
    """Export this process's spans and metrics by OpenTelemetry, if the environment names an endpoint."""
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return
    try:
        # Imported here: it is an extra, and takes half a second.
        from lakemuster.otel import Export  # noqa: PLC0415
    except ModuleNotFoundError:
        LOG.warning("nothing is exported by OpenTelemetry, although it is configured: %s", pip_install("otel"))
        return
    export = Export.of_environment()
    export.add_metrics(app.state.api.metrics)
    tracing.install(export.tracer)
    atexit.register(export.close)


def reload_on_hangup(app: FastAPI) -> None:
    """Reload the tokens file on SIGHUP.

    Without a tokens file, the signal has no effect, so that a service manager's reload does not stop the server. With a
    terminal it keeps its default action: the server ends with its terminal.
    """
    if app.state.api.identity.tokens is not None:
        signal.signal(signal.SIGHUP, lambda *_: app.state.api.identity.reload())
    elif hasattr(signal, "SIGHUP") and not _has_terminal():
        signal.signal(signal.SIGHUP, lambda *_: None)


def _has_terminal() -> bool:
    """Tell whether the process has a controlling terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True


def warm_up() -> None:
    """Warm up before the first request.

    Compile the JSON kernel, which takes a tenth of a second. Then collect garbage and freeze the remaining objects
    (modules and routes that live as long as the process): a full collection that scans them takes as long. Further
    collections are rarer than Python's default.
    """
    # Imported here: commands that open services do not need it.
    from lakemuster.wire.json_kernel.native import is_available  # noqa: PLC0415

    is_available()
    # NumPy imports it lazily, and Arrow needs it for every array.
    import_module("numpy.ma")
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
