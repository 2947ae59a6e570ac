"""Settings: flags of ``serve``, then environment ``LAKEMUSTER_<NAME>``, then ``lakemuster.toml``, then defaults."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from lakemuster.available_memory import available_memory
from lakemuster.catalog_settings import Catalogs
from lakemuster.errors import ConfigInvalid
from lakemuster.loopback import is_loopback
from lakemuster.table_settings import WATCH_SECONDS, Interval, NanMode, TableRules, TableSettings, health_of, matching
from lakemuster.validation_messages import did_you_mean, setting_problem
from lakemuster.webhook_settings import Webhooks, WebhookSettings

PREFIX = "LAKEMUSTER_"
FILE = "lakemuster.toml"
LEAST_CONNECTIONS, MOST_CONNECTIONS = 4, 33
"""Minimum and default number of a process's database connections; one of them probes whether the server is alive."""
CLIENT_VARIABLES = frozenset({"LAKEMUSTER_URI", "LAKEMUSTER_TOKEN"})
"""Variables of the command line and other clients: the server's address and a bearer token. Never settings."""
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s@?#]+")


def _of_json(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None


def _of_words(value: object) -> object:
    """Parse a JSON list or comma-separated words."""
    if not isinstance(value, str) or value.lstrip().startswith("["):
        return _of_json(value)
    return tuple(word for part in value.split(",") if (word := part.strip()))


_Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_of_words)]


def _of_watch(value: object) -> object:
    """Parse ``PATTERN=SECONDS`` or ``PATTERN``, several separated by commas or as a JSON list; or a JSON object."""
    if isinstance(value, str):
        value = _of_json(value) if value.lstrip().startswith(("{", "[")) else _of_words(value)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value
    intervals: dict[str, object] = {}
    for word in value:
        pattern, equals, seconds = str(word).rpartition("=")
        intervals[(pattern if equals else seconds).strip()] = seconds if equals else WATCH_SECONDS
    if "" in intervals:
        raise ValueError("an interval needs a pattern: PATTERN=SECONDS")
    return intervals


RateKind = Literal["questions", "refreshes", "wrong_tokens"]
_RATE = re.compile(r"([1-9][0-9]{0,8})/(second|minute|hour)")
_PERIODS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_OWN_PATHS = ("api", "assets", "docs", "healthz", "iceberg", "metrics", "openapi.json", "paimon", "readyz", "session")
Role = Literal["api", "worker", "all"]
LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error", "critical"]


class Settings(BaseSettings):
    """Everything an operator can set. Unknown keys and values out of range are rejected at startup."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    database_url: str = Field(
        "sqlite:///.lakemuster/index.db",
        description="Database of the index: `sqlite:///PATH`, or `postgresql+psycopg://…`.",
    )
    database_connections: int | None = Field(
        None,
        ge=1,
        description="Connections to PostgreSQL of all processes together; unset: 33 for each of `WORKERS`.",
    )
    segments_url: str = Field(
        ".lakemuster/segments", min_length=1, description="Folder of segments: a path or any fsspec URL."
    )
    cache_dir: str = Field(".lakemuster/cache", min_length=1, description="Local folder for copies of remote segments.")
    cache_bytes: int = Field(20 * 2**30, ge=0, description="Maximum size of `CACHE_DIR` in bytes.")
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8181, ge=0, le=65535, description="Port to listen on; 0: a free port.")
    workers: int = Field(1, ge=1, le=256, description="Number of HTTP server processes.")
    roots: _Words = Field(
        (), description="URL prefixes under which the HTTP API may open tables, separated by commas; empty: none."
    )
    storage: Annotated[Mapping[str, dict[str, Any]], NoDecode, BeforeValidator(_of_json)] = Field(
        default_factory=dict, description="fsspec options by URL scheme, as a JSON object."
    )
    max_staleness: float = Field(
        5.0,
        ge=0,
        allow_inf_nan=False,
        description="Maximum age of the last read of a table's pointer, in seconds; 0: every request reads it.",
    )
    cors_origins: _Words = Field(
        (), description="Browser origins that may call the API, separated by commas; `*`: any."
    )
    tokens: str | None = Field(
        None, description="TOML file of bearer tokens and locations of namespaces; unset: no tokens."
    )
    oidc_issuer: _Words = Field((), description="Issuers whose access tokens are accepted.")
    oidc_audience: _Words = Field((), description="Audiences of which a token must name one.")
    oidc_roles_claim: str = Field(
        "roles", min_length=1, description="The claim of a token's roles; dots separate the levels of nested claims."
    )
    oidc_client_id: str | None = Field(
        None, description="This server's client at the issuer, for sign-in of browsers and for introspection."
    )
    oidc_client_secret: SecretStr | None = Field(
        None, description="That client's secret; unset: it is a public client, and opaque tokens are refused."
    )
    oidc_scopes: _Words = Field(("openid",), description="Scopes that a browser's sign-in asks for.")
    tls_cert: str | None = Field(None, description="PEM file of the server's certificate chain.")
    tls_key: str | None = Field(None, description="PEM file of its private key.")
    drain_seconds: float = Field(
        0.0,
        ge=0,
        le=600,
        description="Seconds between SIGTERM and the stop, in which `/readyz` is 503 and all else is answered.",
    )
    warm_up_seconds: float = Field(
        5.0,
        ge=0,
        le=600,
        description="Maximum time in seconds to load recently planned tables at the start; `/readyz` is 503 meanwhile.",
    )
    root_path: str = Field("", description="Path below which a proxy exposes the server.")
    forwarded_allow_ips: _Words = Field((), description="Proxies whose X-Forwarded-For and -Proto are trusted.")
    rate_limits: Annotated[Mapping[RateKind, str], NoDecode, BeforeValidator(_of_json)] = Field(
        default_factory=dict,
        description="Rates by kind (`questions`, `refreshes`, `wrong_tokens`), in JSON: 100/second, 6/minute, 9/hour.",
    )
    log_format: LogFormat | None = Field(None, description="Format of log lines: `text` or `json`.")
    log_level: LogLevel = Field("info", description="Minimum level of log lines.")
    audit_filters: bool = Field(
        False, description="Write the filters of requests, literals included, to the audit log."
    )
    warehouse: str | None = Field(
        None,
        description="Name of the warehouse of the server's own tables, which REST clients must use. Unset: any name; "
        "for Iceberg clients with `CATALOGS`, `lakemuster`.",
    )
    decoders: int = Field(
        default_factory=lambda: max(1, min(8, os.cpu_count() or 1)),
        ge=1,
        le=64,
        description="Number of decoder processes; by default one per CPU, at most 8.",
    )
    decoder_memory: int = Field(1536 * 2**20, ge=256 * 2**20, description="Memory limit of a decoder process in bytes.")
    memory_bytes: int = Field(
        default_factory=lambda: min(2 * 2**30, available_memory() // 4),
        ge=0,
        description="Bytes that all caches of the server take together, mapped segments excluded; "
        "by default a quarter of the memory, at most 2 GiB.",
    )
    history: int = Field(
        100,
        ge=0,
        le=2**31 - 1,
        description="Number of newest snapshots that a refresh indexes; older ones are indexed when requested.",
    )
    watch: Annotated[Mapping[str, Interval], NoDecode, BeforeValidator(_of_watch)] = Field(
        default_factory=dict,
        description="Tables to refresh in the background: `PATTERN=SECONDS`, separated by commas; empty: none.",
    )
    role: Role = Field(
        "all", description="Work of this process: requests (`api`), background jobs (`worker`), or both (`all`)."
    )
    tables: Annotated[Mapping[str, TableSettings], NoDecode, BeforeValidator(_of_json)] = Field(
        default_factory=dict,
        description="Settings by pattern of table names, as a JSON object; the most specific pattern wins.",
    )
    catalogs: Annotated[Catalogs, NoDecode, BeforeValidator(_of_json)] = Field(
        default_factory=dict, description="Attached catalogs by name, as a JSON object of their properties."
    )
    webhooks: Annotated[Webhooks, NoDecode, BeforeValidator(_of_json)] = Field(
        default_factory=dict,
        description="Receivers of events by name, as a JSON object of their properties; at most 32.",
    )

    def of_table(self, name: str) -> TableRules:
        """Return the settings of a table. Of several matching patterns that give a setting, the most specific wins."""
        own = matching(self.tables, name)
        ready = next((one.partition_ready for one in own if one.partition_ready is not None), ())
        watch = next((one.watch for one in own if one.watch is not None), None)
        return TableRules(
            staleness=next((one.staleness for one in own if one.staleness is not None), self.max_staleness),
            history=next((one.history for one in own if one.history is not None), self.history),
            nan=self.nan_of(name),
            # Rules of readiness are evaluated at looks, so a table with such rules is watched.
            watch=self._watch_of(name, True if watch is None and ready else watch),
            target_file_size=next((one.target_file_size for one in own if one.target_file_size is not None), None),
            partition_ready=ready,
            spark_catalog=next((one.spark_catalog for one in own if one.spark_catalog is not None), None),
            health=health_of([one.health for one in own if one.health is not None]),
        )

    def nan_of(self, name: str) -> NanMode:
        """Return what comparisons with NaN mean for a table if a request does not set it."""
        return next((one.nan for one in matching(self.tables, name) if one.nan is not None), "any")

    def _watch_of(self, name: str, own: float | bool | None) -> float | None:
        if own is False:
            return None
        if own is not None and own is not True:
            return own
        return next(iter(matching(self.watch, name)), WATCH_SECONDS if own else None)

    def with_history(self, history: int) -> Settings:
        """Return these settings with the same ``history`` for every table."""
        tables = {pattern: own.model_copy(update={"history": None}) for pattern, own in self.tables.items()}
        return self.model_copy(update={"history": history, "tables": tables})

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if not value.startswith(("sqlite:///", "postgresql+psycopg://")):
            raise ValueError("must begin with sqlite:/// or postgresql+psycopg://")
        return value

    def rates(self) -> dict[RateKind, tuple[int, float]]:
        """Return the rate limits by kind: requests, and their period in seconds."""
        found: dict[RateKind, tuple[int, float]] = {}
        for kind, text in self.rate_limits.items():
            match = _RATE.fullmatch(text)
            assert match is not None
            found[kind] = int(match[1]), _PERIODS[match[2]]
        return found

    @field_validator("rate_limits")
    @classmethod
    def _rates(cls, value: Mapping[RateKind, str]) -> Mapping[RateKind, str]:
        odd = [text for text in value.values() if not _RATE.fullmatch(text)]
        if odd:
            raise ValueError(f"{odd[0]!r} is not a rate such as 100/second, 600/minute or 1000/hour")
        return value

    @field_validator("root_path")
    @classmethod
    def _root(cls, value: str) -> str:
        if value and not re.fullmatch(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)+", value):
            raise ValueError("must begin with a slash and not end with one, such as /lakemuster")
        if value.split("/")[1:2] and value.split("/")[1] in _OWN_PATHS:
            raise ValueError(f"must not begin with one of the server's own paths: {', '.join(_OWN_PATHS)}")
        return value

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _proxies(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            try:
                if text != "*":
                    ip_network(text)
            except ValueError:
                raise ValueError(f"{text!r} is not an address, a network or *") from None
        return value

    @field_validator("oidc_issuer")
    @classmethod
    def _issuers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for issuer in value:
            url = urlsplit(issuer)
            is_here = url.scheme == "http" and is_loopback(url.hostname or "")
            if not url.hostname or "@" in issuer or url.query or url.fragment or not (url.scheme == "https" or is_here):
                shown = issuer.partition("?")[0].rpartition("@")[2]
                raise ValueError(f"{shown!r} is not an https URL without a user and a query")
        return value

    @model_validator(mode="after")
    def _tls_is_whole(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("TLS_CERT and TLS_KEY must be set together")
        return self

    @model_validator(mode="after")
    def _oidc_is_whole(self) -> Self:
        if self.oidc_issuer and not self.oidc_audience:
            raise ValueError("OIDC_ISSUER needs OIDC_AUDIENCE: tokens for other services would be accepted")
        if not self.oidc_issuer and (self.oidc_audience or self.oidc_client_id is not None):
            raise ValueError("OIDC_AUDIENCE and OIDC_CLIENT_ID need OIDC_ISSUER")
        if self.oidc_client_secret is not None and self.oidc_client_id is None:
            raise ValueError("OIDC_CLIENT_SECRET needs OIDC_CLIENT_ID")
        if self.oidc_client_id is not None and len(self.oidc_issuer) > 1:
            raise ValueError("OIDC_CLIENT_ID needs a single OIDC_ISSUER: it is this server's client there")
        return self

    @model_validator(mode="after")
    def _connections_are_enough(self) -> Self:
        least = LEAST_CONNECTIONS * self.workers
        if self.database_connections is not None and self.database_connections < least:
            raise ValueError(
                f"DATABASE_CONNECTIONS is {self.database_connections}, and WORKERS={self.workers} needs {least}"
            )
        return self

    @property
    def connections_of_a_process(self) -> int:
        """Connections to the database that each process may have, besides its probe."""
        return (self.database_connections or MOST_CONNECTIONS * self.workers) // self.workers - 1

    @property
    def has_callers(self) -> bool:
        """Whether requests must name their caller."""
        return self.tokens is not None or bool(self.oidc_issuer)

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        odd = [origin for origin in value if origin != "*" and not _ORIGIN.fullmatch(origin)]
        if odd:
            raise ValueError(f"{odd[0]!r} is neither an origin, such as https://boards.example, nor *")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources in order of precedence: flags, environment, file."""
        return (init_settings, env_settings, _TomlFile(settings_cls))


class _TomlFile(PydanticBaseSettingsSource):
    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        raise AssertionError("the file is read whole")

    def __call__(self) -> dict[str, Any]:
        path = Path(FILE)
        try:
            values = tomllib.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as cause:
            raise ConfigInvalid(f"{FILE}: {cause}") from cause
        return {key.lower(): value for key, value in values.items()}


def load_settings(**flags: object) -> Settings:
    """Read the settings; ``flags`` that are not None win over environment and file.

    Raises:
        ConfigInvalid: an unknown key, or a value of the wrong type or out of range; the message names all of them.
    """
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | CLIENT_VARIABLES
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        named = (f"{name}{did_you_mean(name, known)}" for name in unknown)
        raise ConfigInvalid(f"unknown setting in the environment: {', '.join(named)}")
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as cause:
        problems = [setting_problem(problem, _names()) for problem in cause.errors()]
        raise ConfigInvalid(f"invalid setting: {'; '.join(problems)}") from cause
    except ValueError as cause:
        raise ConfigInvalid(f"invalid setting: {cause}") from cause


def _names() -> Mapping[str | None, Iterable[str]]:
    return {None: Settings.model_fields, "tables": TableSettings.names(), "webhooks": WebhookSettings.model_fields}


def check_exposure(settings: Settings, *, insecure_public: bool) -> None:
    """Refuse to serve the network without authentication.

    Raises:
        ConfigInvalid: a non-loopback address, neither tokens nor an issuer, and no ``--insecure-public``.
    """
    if not is_loopback(settings.host) and not settings.has_callers and not insecure_public:
        raise ConfigInvalid(
            f"HOST is {settings.host}: serving it without TOKENS lets anyone in; "
            "set TOKENS or OIDC_ISSUER, listen on 127.0.0.1, or pass --insecure-public"
        )
