"""Commands for operators of the service: serve, migrate, openapi, token."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Annotated, Any

import typer

from lakemuster.cli.opening import server_packages
from lakemuster.cli.output import say
from lakemuster.cli.text import printable

_Text = str | None
_Texts = list[str] | None


class Scope(Enum):
    """The permissions of a token's bearer."""

    READ = "read"
    INDEX = "index"
    ADMIN = "admin"


class Role(Enum):
    """The work of a process of the service."""

    API = "api"
    WORKER = "worker"
    ALL = "all"


class ApiName(Enum):
    """An API of the server."""

    NATIVE = "native"
    ICEBERG = "iceberg"
    PAIMON = "paimon"


class LogForm(Enum):
    """The form of log lines."""

    TEXT = "text"
    JSON = "json"


class LogLevel(Enum):
    """The minimum level of log lines."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


def _setting(flag: str, metavar: str, words: str) -> Any:
    return typer.Option(flag, metavar=metavar, show_default=False, help=words)


def serve(
    demo: Annotated[bool, typer.Option("--demo", help="Create and serve a small lake of real tables.")] = False,
    host: Annotated[_Text, _setting("--host", "ADDRESS", "Address to listen on. Default: 127.0.0.1.")] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            show_default=False,
            help="Port to listen on; 0: a free port. Default: 8181.",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, show_default=False, help="Number of server processes. Default: 1.")
    ] = None,
    database_url: Annotated[_Text, _setting("--database-url", "URL", "SQLite file or postgresql+psycopg://….")] = None,
    segments_url: Annotated[
        _Text, _setting("--segments-url", "URL", "Folder of segments: a path or any fsspec URL.")
    ] = None,
    cache_dir: Annotated[
        _Text, _setting("--cache-dir", "FOLDER", "Local folder for copies of remote segments.")
    ] = None,
    cache_bytes: Annotated[
        int | None,
        typer.Option(metavar="BYTES", min=0, show_default=False, help="Maximum size of that folder in bytes."),
    ] = None,
    memory_bytes: Annotated[
        int | None,
        typer.Option(metavar="BYTES", min=0, show_default=False, help="Maximum size of all caches together in bytes."),
    ] = None,
    roots: Annotated[
        _Texts, _setting("--root", "URL", "Location below which tables may be opened. Repeatable.")
    ] = None,
    max_staleness: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="SECONDS", show_default=False, help="Maximum age of a pointer's last read. Default: 5."
        ),
    ] = None,
    cors_origins: Annotated[
        _Texts, _setting("--cors-origin", "ORIGIN", "Browser origin that may call the API. Repeatable.")
    ] = None,
    watch: Annotated[
        _Texts, _setting("--watch", "PATTERN[=SECONDS]", "Tables to refresh in the background. Repeatable.")
    ] = None,
    role: Annotated[
        Role | None,
        typer.Option(
            show_default=False, help="api: no background jobs; worker: only background jobs; all: both, the default."
        ),
    ] = None,
    warehouse: Annotated[
        _Text,
        _setting("--warehouse", "NAME", "Warehouse name that REST clients must use. Default: any; see WAREHOUSE."),
    ] = None,
    tokens: Annotated[_Text, _setting("--tokens", "FILE", "Bearer tokens, see `lakemuster token`.")] = None,
    tls_cert: Annotated[_Text, _setting("--tls-cert", "FILE", "Certificate chain of the server, PEM.")] = None,
    tls_key: Annotated[_Text, _setting("--tls-key", "FILE", "Key of the certificate, PEM.")] = None,
    root_path: Annotated[_Text, _setting("--root-path", "PATH", "Path below which a proxy offers the server.")] = None,
    log_format: Annotated[
        LogForm | None, typer.Option(show_default=False, help="Default: text on a terminal, else json.")
    ] = None,
    log_level: Annotated[
        LogLevel | None, typer.Option(show_default=False, help="Minimum level. Default: info.")
    ] = None,
    insecure_public: Annotated[
        bool, typer.Option("--insecure-public", help="Serve a public address without authentication.")
    ] = False,
) -> None:
    """Serve the HTTP APIs. Flags win over LAKEMUSTER_… variables, those over lakemuster.toml."""
    if demo and (database_url is not None or segments_url is not None):
        raise typer.BadParameter("the demo uses its own index", param_hint="--demo")
    with server_packages("serve"):
        from lakemuster.cli import serving  # noqa: PLC0415
    flags = {
        "host": host,
        "port": port,
        "workers": workers,
        "database_url": database_url,
        "segments_url": segments_url,
        "cache_dir": cache_dir,
        "cache_bytes": cache_bytes,
        "memory_bytes": memory_bytes,
        "roots": None if not roots else tuple(roots),
        "max_staleness": max_staleness,
        "cors_origins": None if not cors_origins else tuple(cors_origins),
        "watch": None if not watch else tuple(watch),
        "role": None if role is None else role.value,
        "warehouse": warehouse,
        "tokens": tokens,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "root_path": root_path,
        "log_format": None if log_format is None else log_format.value,
        "log_level": None if log_level is None else log_level.value,
    }
    given = {name: value for name, value in flags.items() if value is not None}
    serving.serve(given, demo=demo, insecure_public=insecure_public)


def migrate(
    database_url: Annotated[_Text, _setting("--database-url", "URL", "SQLite file or postgresql+psycopg://….")] = None,
) -> None:
    """Bring the database to this version. The embedded SQLite index is migrated automatically."""
    with server_packages("migrate"):
        from lakemuster.cli import serving  # noqa: PLC0415
    say(serving.migrate(database_url))


def openapi(
    api: Annotated[
        ApiName | None,
        typer.Argument(metavar="API", show_default=False, help="native, iceberg or paimon. Absent: all of them."),
    ] = None,
) -> None:
    """Write the HTTP APIs' description, OpenAPI 3.1 in YAML."""
    with server_packages("openapi"):
        from lakemuster.cli import serving  # noqa: PLC0415
    sys.stdout.write(serving.openapi(None if api is None else api.value))


def token(
    name: Annotated[
        str, typer.Argument(metavar="NAME", show_default=False, help="Name of the token's owner, for logs.")
    ],
    scope: Annotated[
        Scope, typer.Option(help="read, index (read and refresh) or admin (and add and remove).")
    ] = Scope.READ,
    namespace: Annotated[
        list[str] | None,
        typer.Option(metavar="NS", show_default=False, help="Namespace to limit the token to. Repeatable."),
    ] = None,
    location: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NS=URL",
            show_default=False,
            help="Location where an admin of the namespace may register tables. Repeatable.",
        ),
    ] = None,
) -> None:
    """Create a bearer token: its lines for the TOKENS file on stdout, the token itself on stderr, once."""
    with server_packages("token"):
        from lakemuster.api.identity.tokens import namespace_entry, new_token, token_entry  # noqa: PLC0415
    places: dict[str, list[str]] = {}
    for given in location or ():
        where, equals, url = given.partition("=")
        if not where or not equals or not url:
            raise typer.BadParameter(f"{given!r} is not NS=URL", param_hint="--location")
        places.setdefault(where, []).append(url)
    secret = new_token()
    lines = [token_entry(name, secret, scope.value, namespace), *(namespace_entry(*each) for each in places.items())]
    sys.stdout.write("\n".join(lines))
    sys.stdout.flush()
    if scope is Scope.ADMIN and namespace and not places:
        sys.stderr.write("it cannot register tables until its namespaces have locations: --location NS=URL\n")
    sys.stderr.write(f"{printable(name)}'s token, which is not stored anywhere: {secret}\n")
