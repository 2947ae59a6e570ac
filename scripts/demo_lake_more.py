"""Tables of the demo lake with unusual metadata: many small files, delete files, a damaged snapshot.

``web.sessions`` is badly clustered, in some countries more than in others. ``shop.returns`` has delete files, columns
that were added, renamed, widened and dropped, a tag, and two branches; one branch lacks a manifest.
"""

from __future__ import annotations

import datetime as dt
import random
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import PyArrowFile
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent, ManifestWriter, ManifestWriterV2
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.table.update.snapshot import _FastAppendFiles
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import DateType, IntegerType, LongType, NestedField, StringType, TimestampType

from scripts import demo_clock

START = dt.datetime(2024, 5, 1)  # noqa: DTZ001 - the column has no zone
SCATTERED = ("FR", "NL")
SORTED = ("AT", "DK", "PT")
DELETES = pa.schema(
    [
        pa.field("file_path", pa.string(), nullable=False, metadata={"PARQUET:field_id": "2147483546"}),
        pa.field("pos", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "2147483545"}),
    ]
)
SESSIONS = Schema(
    NestedField(1, "user_id", LongType()),
    NestedField(2, "country", StringType()),
    NestedField(3, "started_at", TimestampType()),
    NestedField(4, "pages", IntegerType()),
)
RETURNS = Schema(
    NestedField(1, "order_id", LongType(), required=True),
    NestedField(2, "day", DateType()),
    NestedField(3, "note", StringType()),
    NestedField(4, "pieces", IntegerType()),
    NestedField(5, "clerk", StringType()),
)
Create = Callable[[str, Schema, PartitionSpec, SortOrder], Table]


class _DeleteManifestWriter(ManifestWriterV2):
    """Writes a manifest of delete files."""

    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


class _AddDeletes(_FastAppendFiles):
    """Commits delete files, where PyIceberg itself rewrites data files."""

    def new_manifest_writer(self, spec: PartitionSpec) -> ManifestWriter:
        return _DeleteManifestWriter(
            spec, self.schema(), self.new_manifest_output(), self._snapshot_id, self._compression
        )


def sessions(create: Create, chance: random.Random) -> None:
    """Write six hours of sessions, one commit per hour; in some countries each hour has different users."""
    by_country = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "country"))
    table = create("web.sessions", SESSIONS, by_country, SortOrder(SortField(1, IdentityTransform())))
    for hour in range(6):
        demo_clock.advance(1)
        rows = []
        for country in (*SCATTERED, *SORTED):
            users = range(1000, 2000) if country in SCATTERED else range(1000 + 120 * hour, 1120 + 120 * hour)
            for _ in range(40 if country == "FR" else 15):
                at = START + dt.timedelta(hours=hour, seconds=chance.randrange(3600))
                user, pages = chance.choice(users), chance.randrange(1, 30)
                rows.append({"user_id": user, "country": country, "started_at": at, "pages": pages})
        table.append(pa.Table.from_pylist(rows, table.schema().as_arrow()))


def returns(create: Create, chance: random.Random) -> None:
    """Write returned goods: corrected by delete files, with an evolved schema, a tag, and two branches."""
    by_day = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day"))
    table = create("shop.returns", RETURNS, by_day, SortOrder())
    for day in range(4):
        _append(table, [_returned(chance, day, number) for number in range(20)])
    snapshot = table.current_snapshot()
    assert snapshot is not None
    table.manage_snapshots().create_tag(snapshot.snapshot_id, "stocktaking").commit()
    _delete(table, chance, days=(0, 1, 2))
    with table.update_schema() as update:
        update.update_column("pieces", LongType())
        update.rename_column("note", "reason")
        update.add_column("refunded", LongType(), doc="in cents")
    for day in range(4, 6):
        _append(table, [_returned(chance, day, number) for number in range(20)])
    with table.update_schema() as update:
        update.delete_column("clerk")
    _delete(table, chance, days=(1, 4))
    snapshot = table.current_snapshot()
    assert snapshot is not None
    for branch in ("restock", "trial"):
        table.manage_snapshots().create_branch(snapshot.snapshot_id, branch).commit()
    for branch, day in (("restock", 6), ("trial", 6)):
        _append(table, [_returned(chance, day, number) for number in range(8)], branch)
    _append(table, [_returned(chance, 6, number) for number in range(20)])
    _lose_manifest(table, "trial")


def _returned(chance: random.Random, day: int, number: int) -> dict[str, Any]:
    reason = chance.choice(["broken", "too small", "not as shown", None])
    return {
        "order_id": 100_000 + day * 1_000 + number,
        "day": (START + dt.timedelta(days=day)).date(),
        "note": reason,
        "reason": reason,
        "pieces": chance.randrange(1, 4),
        "clerk": chance.choice(["Ada", "Jim"]),
        "refunded": chance.randrange(500, 20_000),
    }


def _append(table: Table, rows: list[dict[str, Any]], branch: str = "main") -> None:
    demo_clock.advance(20)
    names = set(table.schema().column_names)
    own = [{name: value for name, value in row.items() if name in names} for row in rows]
    table.append(pa.Table.from_pylist(own, table.schema().as_arrow()), branch=branch)


def _delete(table: Table, chance: random.Random, days: tuple[int, ...]) -> None:
    """Delete some rows of some days, with a delete file for each data file."""
    demo_clock.advance(3)
    wanted = {(START + dt.timedelta(days=day)).date() for day in days}
    with table.transaction() as transaction:
        producer = _AddDeletes(Operation.DELETE, transaction, table.io)
        for task in table.scan().plan_files():
            day = dt.date(1970, 1, 1) + dt.timedelta(days=task.file.partition[0])
            if day in wanted:
                places = sorted(chance.sample(range(task.file.record_count), 3))
                producer.append_data_file(_delete_file(table, task.file, places))
        producer.commit()


def _delete_file(table: Table, of: DataFile, places: list[int]) -> DataFile:
    folder, _, _ = of.file_path.rpartition("/")
    location = f"{folder}/00000-0-{uuid.uuid4()}-deletes.parquet"
    rows = pa.table({"file_path": [of.file_path] * len(places), "pos": places}, schema=DELETES)
    output = table.io.new_output(location)
    with output.create() as stream:
        pq.write_table(rows, stream, compression="zstd")
    # Without bounds, since the demo lake is moved, and bounds would contain its old location.
    file = DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=location,
        file_format=FileFormat.PARQUET,
        partition=Record(of.partition[0]),
        record_count=len(places),
        file_size_in_bytes=len(output),
        column_sizes={},
        value_counts={},
        null_value_counts={},
        nan_value_counts={},
        lower_bounds={},
        upper_bounds={},
        key_metadata=None,
        split_offsets=None,
        equality_ids=None,
        sort_order_id=None,
    )
    file.spec_id = table.spec().spec_id
    return file


def _lose_manifest(table: Table, branch: str) -> None:
    """Remove the manifest that the last commit of a branch added."""
    snapshot = table.snapshot_by_name(branch)
    assert snapshot is not None
    for manifest in snapshot.manifests(table.io):
        if manifest.added_snapshot_id == snapshot.snapshot_id:
            file = table.io.new_input(manifest.manifest_path)
            assert isinstance(file, PyArrowFile)
            Path(file._path).unlink()  # noqa: SLF001
