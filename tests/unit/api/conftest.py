"""An app over a fake catalog, so that tests cover the HTTP layer alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.page_tokens import Pin
from lakemuster.catalog.token_signing import TokenSigner
from lakemuster.config import Settings, load_settings
from lakemuster.errors import CatalogError, CompanionNotFound, PageTokenInvalid, SnapshotNotFound, TableNotFound
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.table_lists import TableChoice, TableOrder
from lakemuster.index.table_record import ListedTable, TableFigures
from lakemuster.ingest.reports import RefreshMeasures
from lakemuster.measures import Measure
from lakemuster.metadata.names import Levels, format_name, namespace_of
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestListRef, Ref, Snapshot, TableMetadata
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.planner.lists import snapshot_lists
from lakemuster.planner.rows import START, Position
from lakemuster.planner.view import Selector, View
from lakemuster.storage.confinement import NamespaceConfinement
from lakemuster.upstream.registry import Upstreams
from tests.apps import create_app

METADATA = TableMetadata(
    format="iceberg",
    format_version=2,
    uuid="0d1b7a3e-2f8e-4a0c-9f3a-6f6f6f6f6f6f",
    location="s3://lake/shop/orders",
    metadata_location="s3://lake/shop/orders/metadata/v3.metadata.json",
    schemas=(Schema(0, (Field(1, "id", Primitive(Kind.LONG, "long"), required=True),), identifier_field_ids=(1,)),),
    current_schema_id=0,
    specs=(),
    default_spec_id=0,
    properties={"owner": "me"},
    snapshots=(),
    current_snapshot_id=12,
    refs=(Ref("main", "branch", 12), Ref("v1", "tag", 11)),
    snapshot_log=(),
    last_updated_ms=1_714_521_600_000,
)


FIGURES = TableFigures(7, 3, 2**53 + 1, 0, 2, 1_714_521_600_012)


def record(number: int) -> SnapshotRecord:
    """Return a published snapshot."""
    lists = (ManifestListRef("manifests", f"s3://lake/snap-{number}.avro"),)
    parent = 11 if number == 12 else None
    snapshot = Snapshot(number, 1_714_521_600_000 + number, lists, parent_id=parent, schema_id=0)
    values: dict[str, Any] = dict.fromkeys(SnapshotRecord.__dataclass_fields__)
    values |= {"row_id": 100 + number, "table_id": 1, "snapshot": snapshot, "state": "published", "warnings": ()}
    return SnapshotRecord(**values)


def snapshot(number: int, branch: str = "main") -> SnapshotRecord:
    """Return snapshot 11 or 12, the two that every table has."""
    if number not in (11, 12) or branch != "main":
        raise SnapshotNotFound(f"no snapshot {number}", snapshot_id=str(number))
    return record(number)


def table(name: str, number: int = 1) -> SimpleNamespace:
    """Return a registered table."""
    return SimpleNamespace(
        table_id=number,
        name=name,
        format="iceberg",
        location="s3://lake/" + name,
        rewrites=(("data/", "s3://lake/data/"),),
        allowed_roots=(),
        created_at_ms=0,
        generation=0,
        checked_at_ms=1_714_521_601_000,
        stale_reason=None,
        pointer=None,
        metadata_location=METADATA.metadata_location,
        table_location=METADATA.location,
        uuid=METADATA.uuid,
        format_version=2,
        current_schema_id=0,
        default_spec_id=0,
        current_snapshot_id=12,
        last_updated_ms=METADATA.last_updated_ms,
    )


@dataclass
class FakeSource:
    """Rows in parts of given lengths; the last part raises ``failure`` if it is set."""

    snapshot_id: int | None
    parts: tuple[int, ...]
    failure: Exception | None = None
    key: str = "files"
    read: int = 0

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([("snapshot_id", pa.int64()), ("file_path", pa.string())])

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        for part in range(start.part, len(self.parts)):
            offset = start.offset if part == start.part else 0
            paths = [f"{part}/{row}" for row in range(offset, self.parts[part])]
            self.read += 1
            ids = pa.array([self.snapshot_id] * len(paths), pa.int64())
            yield (
                Position(part, offset),
                pa.RecordBatch.from_arrays([ids, pa.array(paths, pa.string())], schema=self.schema),
            )
        if self.failure is not None:
            raise self.failure


class FakeDatabase:
    """An empty database."""

    failure: CatalogError | None = None
    max_connections = 32

    def connections(self) -> dict[str, float]:
        return {"in_use": 1, "idle": 2}

    @contextmanager
    def session(self) -> Iterator[None]:
        yield None

    reading = session

    def check(self) -> None:
        if self.failure is not None:
            raise self.failure

    def clock_ms(self) -> int:
        return round(time.time() * 1000)


@dataclass
class FakeServices:
    """The catalog's operations on fake tables."""

    settings: Settings
    names: dict[str, SimpleNamespace] = field(
        default_factory=lambda: {
            name: table(name, 1 + i) for i, name in enumerate(["shop.orders", "lake.raw.events", "`a.b`.t"])
        }
    )
    current: int = 12
    stale: str | None = None
    failure: Exception | None = None
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    parts: tuple[int, ...] = (3, 0, 2)
    break_with: Exception | None = None
    sources: list[FakeSource] = field(default_factory=list)
    confined_to: object = None

    def __post_init__(self) -> None:
        self.index = SimpleNamespace(database=FakeDatabase(), segments=SimpleNamespace(check=lambda: None))
        self.store = SimpleNamespace(
            counts=SimpleNamespace(operations=Measure("kind", "outcome"), bytes=99), confinement=NamespaceConfinement()
        )
        self.refresher = SimpleNamespace(
            upstreams=Upstreams({}),
            totals=_Totals(),
            ensure_published=lambda table, record: record,
            is_fresh=lambda table: False,
            is_fresh_at_once=lambda table: False,
            measures=RefreshMeasures(),
            decoder_tasks=Measure("outcome"),
            decoder_counts=lambda: {"queued": 0.0, "running": 1.0, "processes": 2.0},
            threads=SimpleNamespace(counts=lambda: {"busy": 2.0, "queued": 0.0, "full_buckets": 0.0}),
        )

    def held_leases(self) -> int:
        return 0

    def _called(self, *call: object) -> None:
        self.calls.append(call)
        if self.failure is not None:
            raise self.failure

    def token_signer(self) -> TokenSigner:
        return TokenSigner(b"s" * 32)

    def peek(self, name: str) -> None:
        return None

    def pinned(self, table: SimpleNamespace, pin: Pin) -> View:
        try:
            found = snapshot(pin.snapshot_id, pin.branch)
        except SnapshotNotFound as cause:
            raise PageTokenInvalid("the snapshot of this page token no longer exists") from cause
        return View(table, METADATA, found, schema_id=pin.schema_id)  # type: ignore[arg-type]

    def tables(self, namespace: str | None = None) -> list[SimpleNamespace]:
        self._called("tables")
        return [one for one in self.names.values() if namespace in (None, namespace_of(one.name))]

    def with_failure(self, table: SimpleNamespace) -> SimpleNamespace:
        return table

    def listed(self, choice: TableChoice, order: TableOrder) -> list[ListedTable]:
        """Return the visible tables by name, none of which is stale; no other filter or order is supported."""
        assert order == TableOrder()
        tables = [] if choice.stale else self.tables()
        seen = [one for one in tables if choice.visible is None or namespace_of(one.name) in choice.visible]
        return [ListedTable(one, FIGURES) for one in sorted(seen, key=lambda one: one.name)]  # type: ignore[arg-type]

    def table_page(
        self, _: object, choice: TableChoice, order: TableOrder, after: tuple[str] | None, limit: int
    ) -> list[ListedTable]:
        return [one for one in self.listed(choice, order) if after is None or (one.record.name,) > after][:limit]

    def table(self, name: str) -> SimpleNamespace:
        self._called("table", name)
        if name not in self.names:
            raise TableNotFound(f"no table {name}", table=name)
        return self.names[name]

    def similar_names(self, name: Levels, format: str | None) -> list[str]:
        self._called("similar_names", format_name(name), format)
        return [found for found, record in self.names.items() if format in (None, record.format)]

    def names_of_format(self, _: object, format: str, namespace: str | None = None) -> list[str]:
        return [one.name for one in self.tables(namespace) if one.format == format]

    def namespaces_of_format(self, _: object, format: str, without: str | None = None) -> list[str]:
        names = self.names_of_format(_, format)
        return list({namespace_of(name) for name in names if without is None or without not in name.rsplit(".", 1)[-1]})

    def iceberg_table(self, name: str) -> SimpleNamespace:
        found = self.table(name)
        if found.format != "iceberg":
            raise CompanionNotFound(f"{name} has no Iceberg metadata")
        return found

    def add(
        self,
        name: str,
        location: str,
        format: object,
        rewrites: object,
        *,
        operator: bool = False,
        confined_to: object = None,
    ) -> SimpleNamespace:
        self.confined_to = confined_to
        self._called("add", name, location, format, rewrites, operator)
        self.names[name] = table(name, 9)
        return self.names[name]

    def remove(self, name: str) -> None:
        self._called("remove", name)
        self.table(name)
        del self.names[name]

    def refresh(self, name: str) -> SimpleNamespace:
        self._called("refresh", name)
        self.table(name)
        return SimpleNamespace(
            table=name,
            published=("12",),
            quarantined=(("11", "metadata_corrupt: cut off"),),
            lists_fetched=2,
            manifests_fetched=3,
            entries_decoded=40,
            seconds=0.25,
        )

    def fresh(self, name: str) -> tuple[SimpleNamespace, TableMetadata, str | None]:
        return self.table(name), METADATA, self.stale

    def metadata(self, table: SimpleNamespace) -> TableMetadata:
        return METADATA

    def found(self, name: str, find: Callable[..., Any]) -> tuple[Any, str | None]:
        return find(self.table(name), METADATA), self.stale

    def snapshots(self, name: str) -> tuple[SimpleNamespace, list[SnapshotRecord], str | None]:
        return self.table(name), [record(12), record(11)], self.stale

    def view(self, name: str, selector: Selector, *, iceberg: bool = False) -> View:
        self._called("view", name, selector)
        number = selector.snapshot_id or self.current
        if number not in (11, 12):
            raise SnapshotNotFound(f"no snapshot {number}", snapshot_id=str(number))
        return View(self.table(name), METADATA, record(number), self.stale)  # type: ignore[arg-type]

    def source(self, view: View) -> FakeSource:
        made = FakeSource(view.snapshot_id, self.parts, self.break_with)
        self.sources.append(made)
        return made


@dataclass
class _Totals:
    refreshes: int = 5
    entries_decoded: int = 77


@pytest.fixture
def settings() -> Settings:
    """Settings of a server on loopback, without tokens."""
    return load_settings()


@pytest.fixture
def services(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> FakeServices:
    """A fake catalog that the app's routes read."""
    fake = FakeServices(settings)
    monkeypatch.setattr("lakemuster.catalog.history.get_snapshot", lambda _, table_id, *of: snapshot(*of))
    monkeypatch.setattr("lakemuster.catalog.history.find_snapshot", lambda _, table, number: snapshot(number))
    monkeypatch.setattr("lakemuster.catalog.fleet_health.count_statuses", lambda *_: {"ok": 2, None: 1})
    monkeypatch.setattr("lakemuster.catalog.fleet_health.count_components", lambda *_: {"skew": {"ok": 2}})
    lists = "lakemuster.catalog.table_lists"
    monkeypatch.setattr(f"{lists}.namespaces", lambda _: sorted({namespace_of(name) for name in fake.names}))
    monkeypatch.setattr(f"{lists}.names_of_format", fake.names_of_format)
    monkeypatch.setattr(f"{lists}.namespaces_of_format", fake.namespaces_of_format)
    monkeypatch.setattr(f"{lists}.table_page", fake.table_page)
    monkeypatch.setattr(f"{lists}.table_ids", lambda _, *of: [one.record.table_id for one in fake.listed(*of)])
    monkeypatch.setattr(f"{lists}.count_tables", lambda _, choice: len(fake.listed(choice, TableOrder())))
    monkeypatch.setattr(
        f"{lists}.listed_by_id",
        lambda _, ids: [one for one in fake.listed(TableChoice(), TableOrder()) if one.record.table_id in ids],
    )
    for name in ("manifests", "entries", "files", "partitions", "indexes"):
        monkeypatch.setattr(snapshot_lists, name, lambda index, view, *rest: fake.source(view))
    monkeypatch.setattr(snapshot_lists, "diff", lambda index, old, new: fake.source(new))
    return fake


Connect = Callable[..., TestClient]


@pytest.fixture
def connect(services: FakeServices) -> Connect:
    """A function that creates a client of an app with changed settings."""

    def make(*, base_url: str = "http://127.0.0.1:8181", **changes: object) -> TestClient:
        services.settings = services.settings.model_copy(update=changes)
        app = create_app(services)  # type: ignore[arg-type]
        return TestClient(app, base_url=base_url, raise_server_exceptions=False)

    return make


@pytest.fixture
def client(connect: Connect) -> TestClient:
    """A client of an app on loopback, without tokens."""
    return connect()


@pytest.fixture
def with_tokens(connect: Connect, tmp_path: Path) -> TestClient:
    """A client of an app with four tokens: reader of ``shop``, indexer, admin, and admin of ``lake``."""
    from lakemuster.api.identity.tokens import namespace_entry, token_entry

    path = tmp_path / "tokens.toml"
    path.write_text(
        token_entry("reader", "r", "read", ["shop"])
        + token_entry("indexer", "i", "index")
        + token_entry("admin", "a", "admin")
        + token_entry("lakeboss", "l", "admin", ["lake"])
        + namespace_entry("lake", ["s3://lake"]),
        "utf-8",
    )
    return connect(tokens=str(path), host="0.0.0.0", base_url="http://muster.example")
