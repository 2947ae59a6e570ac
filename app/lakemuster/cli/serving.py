"""Implementations of ``serve``, ``migrate`` and ``openapi``; imports the whole server."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from lakemuster import __version__
from lakemuster.api.app import create_app
from lakemuster.api.certificates import load_certificate
from lakemuster.api.draining import END_DRAINING
from lakemuster.api.openapi import render
from lakemuster.api.worker_folder import worker_folder
from lakemuster.catalog.services import Services
from lakemuster.cli.connections import BoundedProtocol
from lakemuster.cli.demo import demo_settings, prepare_demo
from lakemuster.cli.tls import ServerConfig, tls_options
from lakemuster.config import PREFIX, Settings, check_exposure, load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.index import schema_version
from lakemuster.index.database import Database
from lakemuster.log_lines import log_config
from lakemuster.main import build_services, export_telemetry, reload_on_hangup, warm_up

GRACE_SECONDS = 30
IDLE_SECONDS = 75
"""Time after which an idle connection is closed; proxies close theirs after 60 s, unless they are told otherwise."""
WORKER_APP = "lakemuster.main:app"

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 — told apart, not listened on


def serve(flags: Mapping[str, object], *, demo: bool, insecure_public: bool) -> None:
    """Serve until SIGINT or SIGTERM; requests in progress are finished first.

    Args:
        flags: settings that override environment and file.
        demo: unpack, index and serve the demo lake, with a separate index.

    Raises:
        ConfigInvalid: a setting is wrong, or the address is not available.
        DatabaseVersionMismatch, IndexUnavailable: the database is not ready.
    """
    given = {**(demo_settings() if demo else {}), **flags}
    settings = load_settings(**given)
    check_exposure(settings, insecure_public=insecure_public)
    if settings.tls_cert is not None and settings.tls_key is not None:
        load_certificate(settings.tls_cert, settings.tls_key)  # before workers start, so that errors appear once
    listener = _bind(settings.host, settings.port)
    port = int(listener.getsockname()[1])
    services = build_services(settings)
    try:
        connections = _connections(services, settings.workers)
        if demo:
            prepare_demo(services)
        app = create_app(services)  # also with workers: errors appear here once, not in each worker
        example = next((table.name for table in services.tables()), None)
        if settings.workers == 1:
            _serve_here(app, settings, listener, partial(_announce, settings, port, example, connections))
            return
    finally:
        services.close()
        listener.close()
    ready = partial(_announce, settings, port, example, connections)
    Thread(target=_when_answered, args=(settings.host, port, ready), daemon=True).start()
    _serve_from_workers(settings, {**given, "port": port})


def _connections(services: Services, workers: int) -> str | None:
    """Describe how many connections to the database the server may open; None for an embedded one.

    Raises:
        ConfigInvalid: the database allows too few.
    """
    database = services.index.database
    if database.is_embedded:
        return None
    from lakemuster.index.connection_budget import ConnectionBudget  # noqa: PLC0415 - its driver is an extra

    budget = ConnectionBudget.of(database, workers)
    budget.check()
    return budget.summary()


def migrate(database_url: str | None) -> str:
    """Migrate the database to this code's version; return a message.

    Raises:
        DatabaseVersionMismatch: the database is newer than this code.
        IndexUnavailable, ConfigInvalid: the database cannot be opened.
    """
    database = Database(load_settings(database_url=database_url).database_url)
    try:
        database.migrate()
    finally:
        database.close()
    return f"the database is at version {schema_version.newest()}"


def openapi(part: str | None = None) -> str:
    """Return the OpenAPI description in YAML, of one API or of all; uses a temporary index.

    Raises:
        ConfigInvalid: a setting is wrong.
    """
    with TemporaryDirectory() as folder:
        here = Path(folder)
        settings = load_settings(database_url=f"sqlite:///{here / 'index.db'}", segments_url=str(here / "segments"))
        services = build_services(settings)
        try:
            return render(create_app(services), part)
        finally:
            services.close()


class _Server(uvicorn.Server):
    """A server that calls a function when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _serve_here(app: FastAPI, settings: Settings, listener: socket.socket, ready: Callable[[], None]) -> None:
    server = _Server(ServerConfig(app, **_options(settings)), ready)

    def stop(*_: object) -> None:
        server.should_exit = True

    # For signals before uvicorn handles them, and for the one that stopped it, which it raises again: a requested stop
    # is not a failure.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    export_telemetry(app)
    reload_on_hangup(app)
    warm_up()
    server.run(sockets=[listener])


def _serve_from_workers(settings: Settings, flags: Mapping[str, object]) -> None:
    """Serve from worker processes, which load the settings again: flags reach them through the environment."""
    for name, value in flags.items():
        os.environ[PREFIX + name.upper()] = value if isinstance(value, str) else json.dumps(value)
    port = int(str(flags["port"]))
    config = ServerConfig(
        WORKER_APP, factory=True, host=settings.host, port=port, workers=settings.workers, **_options(settings)
    )
    supervisor = _Supervisor if settings.tokens is None else _ReloadingSupervisor
    with worker_folder():
        supervisor(config, sockets=[config.bind_socket()]).run()


class _Supervisor(Multiprocess):
    """Ends the draining of workers at SIGINT, which uvicorn's own supervisor ignores while it waits for them."""

    def run(self) -> None:
        """Supervise the workers until a signal stops them."""
        signal.signal(END_DRAINING, signal.SIG_IGN)  # workers inherit this: the signal ends none that does not drain
        super().run()

    def join_all(self) -> None:
        """Wait until all workers have exited."""
        signal.signal(signal.SIGINT, lambda *_: self._signal_all(END_DRAINING))
        if signal.SIGINT in self.signal_queue:
            self._signal_all(END_DRAINING)
        super().join_all()

    def _signal_all(self, number: int) -> None:
        for process in self.processes:
            if process.pid is not None and process.process.is_alive():
                os.kill(process.pid, number)


class _ReloadingSupervisor(_Supervisor):
    """Forwards SIGHUP to workers, which then reload the tokens file; uvicorn's own supervisor restarts them."""

    def handle_hup(self) -> None:
        """Forward the signal to all workers."""
        self._signal_all(signal.SIGHUP)


def _when_answered(host: str, port: int, ready: Callable[[], None]) -> None:
    """Wait until a worker accepts connections: their shared socket refuses them before that."""
    while True:
        try:
            socket.create_connection((_EVERYWHERE.get(host, host), port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            ready()
            return


def _options(settings: Settings) -> dict[str, Any]:
    # The application logs requests itself, without query strings.
    return {
        "log_config": log_config(settings.log_format, settings.log_level),
        "access_log": False,
        "http": BoundedProtocol,
        "server_header": False,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_keep_alive": IDLE_SECONDS,
        "proxy_headers": bool(settings.forwarded_allow_ips),
        "forwarded_allow_ips": list(settings.forwarded_allow_ips),
        **tls_options(settings.tls_cert, settings.tls_key),
    }


def _bind(host: str, port: int) -> socket.socket:
    """Bind a socket without listening: no client waits for a server that fails to start."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as cause:
        raise ConfigInvalid(f"cannot listen on {host} port {port}: {cause.strerror or cause}") from cause
    return listener


def _announce(settings: Settings, port: int, table: str | None, connections: str | None) -> None:
    host, is_worker = settings.host, settings.role == "worker"
    scheme = "http" if settings.tls_cert is None else "https"
    name = _EVERYWHERE.get(host, host)
    base = f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}"
    first = [
        f"  curl {base}/api/v1/tables",
        *([] if table is None else [f"  curl '{base}/api/v1/tables/{quote(table, safe='')}/files'"]),
        *([f"  lakemuster tables --uri {base}"] if shutil.which("lakemuster") else []),
        f"  {base}/ in a browser",
    ]
    lines = [
        f"Lakemuster {__version__} listens on {host} port {port}. First things to try:",
        *([f"  curl {base}/metrics", "  lakemuster jobs"] if is_worker else first),
    ]
    lines += [] if connections is None else [f"It opens {connections}."]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
