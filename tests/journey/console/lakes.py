"""Lakes for the console's tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from tests.journey.servers import Running

MARKUP = "<img src=x onerror=alert(1)>"
SCRIPT = "\"'><script>alert(2)</script>"
ARABIC = "جدول_المبيعات"
OVERRIDE = "abc\u202egpj.exe"
LONG = "a_very_long_name_" * 12
VALUES = (MARKUP, SCRIPT, ARABIC, OVERRIDE, LONG)
"""Hostile values for everything that a table can name."""
HOSTILE = (MARKUP, "\"'><svg onload=alert(3)>", ARABIC, OVERRIDE, LONG)
"""Hostile names of tables, without slashes."""


def quoted(name: str) -> str:
    """Quote a level of a table's name as the API does."""
    return f"`{name}`" if "." in name else name


def hostile_name(text: str) -> str:
    """Return the name of a table in the namespace ``odd``."""
    return f"odd.{quoted(text)}"


def troubled_lake(folder: Path, running: Running) -> None:
    """Write the lake below ``folder``, and register its tables."""
    folder.mkdir()
    catalog = SqlCatalog("own", uri=f"sqlite:///{folder}/own.db", warehouse=f"file://{folder}")
    catalog.create_namespace("odd")
    table = _hostile_table(catalog)
    for name in HOSTILE:
        _register(running, hostile_name(name), table.metadata_location)
    empty = catalog.create_table("odd.empty", Schema(NestedField(1, "id", LongType())))
    _register(running, "odd.empty", empty.metadata_location)
    stale = _plain(catalog, "odd.stale")
    _register(running, "odd.stale", _root(stale))
    _append_damaged(stale)
    running.post("/tables/odd.stale/refresh")
    gone = _plain(catalog, "odd.gone")
    _register(running, "odd.gone", _root(gone))
    shutil.rmtree(_root(gone).removeprefix("file://") + "/metadata")
    running.http.post("/api/v1/tables/odd.gone/refresh")


def _hostile_table(catalog: SqlCatalog) -> Table:
    schema = Schema(
        NestedField(1, MARKUP, StringType(), doc=SCRIPT),
        NestedField(2, ARABIC, LongType()),
        NestedField(3, "id", LongType()),
    )
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "part"))
    table = catalog.create_table(
        "odd.hostile", schema, partition_spec=spec, properties={MARKUP: SCRIPT, ARABIC: OVERRIDE}
    )
    rows = {MARKUP: list(VALUES), ARABIC: list(range(5)), "id": list(range(5))}
    table.append(pa.table(rows))
    table.append(pa.table(rows))
    snapshot = table.metadata.current_snapshot_id
    assert snapshot is not None
    table.manage_snapshots().create_tag(snapshot, MARKUP).create_branch(snapshot, SCRIPT).commit()
    return table


def _plain(catalog: SqlCatalog, name: str) -> Table:
    table = catalog.create_table(name, Schema(NestedField(1, "id", LongType())))
    table.append(pa.table({"id": [1, 2, 3]}))
    return table


def _append_damaged(table: Table) -> None:
    """Commit a snapshot with a truncated manifest list."""
    table.append(pa.table({"id": [4]}))
    snapshot = table.current_snapshot()
    assert snapshot is not None
    place = Path(snapshot.manifest_list.removeprefix("file://"))
    place.write_bytes(place.read_bytes()[:100])


def _root(table: Table) -> str:
    return table.location()


def _register(running: Running, name: str, location: str) -> None:
    running.post("/tables", {"name": name, "location": location, "format": "iceberg"}, 201)
