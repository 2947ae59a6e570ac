"""Synthetic table metadata, and the steps of a refresh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from lakemuster.index import leases
from lakemuster.index.database import Database
from lakemuster.index.segments import SegmentInfo, segment_name
from lakemuster.index.snapshots import Published, SnapshotRecord, get_snapshot, list_snapshots, publish
from lakemuster.index.tables import add_table, store_metadata
from lakemuster.metadata.counts import LiveCounts
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import (
    MAIN,
    ManifestHeader,
    ManifestListRef,
    PartitionFieldSummary,
    Ref,
    Role,
    Snapshot,
    TableMetadata,
)
from lakemuster.metadata.types import Field, Kind, ListType, Primitive

NASTY = "nul \0, lone \ud800, escape \x1b, é"
"""Text that a database may reject or modify."""

SCHEMA = Schema(
    0,
    (
        Field(1, "id", Primitive(Kind.LONG, "long"), required=True, doc=NASTY),
        Field(2, NASTY, Primitive(Kind.DECIMAL, "decimal(9, 2)", 9, 2), initial_default="1.10"),
        Field(3, "tags", ListType(Field(4, "element", Primitive(Kind.STRING, "string")))),
    ),
    identifier_field_ids=(1,),
)
SPECS = (PartitionSpec(0, ()), PartitionSpec(1, (PartitionField(1000, "id_bucket", "bucket[16]", (1,)),)))


def snapshot(number: int, branch: str = MAIN, *, at_ms: int | None = None, **changes: Any) -> Snapshot:
    """Return a snapshot with an id; an ``at_ms`` other than the default makes it a different commit of the same id."""
    at_ms = 1000 * number if at_ms is None else at_ms
    made = Snapshot(
        number,
        at_ms,
        (ManifestListRef("manifests", f"s3://lake/t/{branch}-{number}-{at_ms}.avro", 500),),
        branch=branch,
        parent_id=number - 1 if number > 1 else None,
        operation="append",
        schema_id=0,
        summary={"text": NASTY},
        extra={"big": 2**80, "nan": [1.5, None], "text": NASTY},
    )
    return replace(made, **changes)


def metadata(snapshots: Sequence[Snapshot], **changes: Any) -> TableMetadata:
    """Return Iceberg metadata with snapshots, the last of which is current."""
    current = snapshots[-1].snapshot_id if snapshots else None
    made = TableMetadata(
        format="iceberg",
        format_version=2,
        uuid="11111111-1111-1111-1111-111111111111",
        location="s3://lake/t",
        metadata_location="s3://lake/t/metadata/v1.metadata.json",
        schemas=(SCHEMA, replace(SCHEMA, schema_id=7)),
        current_schema_id=7,
        specs=SPECS,
        default_spec_id=1,
        properties={"owner": NASTY, "\0": ""},
        snapshots=tuple(snapshots),
        current_snapshot_id=current,
        refs=() if current is None else (Ref("main", "branch", current), Ref(NASTY, "tag", current, extra={"a": 1})),
        snapshot_log=tuple((s.committed_at_ms, s.snapshot_id) for s in snapshots),
        last_updated_ms=5,
        branch_schemas={"b1": (SCHEMA,)},
        extra={"statistics": [{"snapshot_id": 2**63 - 1, "nan": -0.0}]},
    )
    return replace(made, **changes)


def on_main(numbers: Iterable[int]) -> TableMetadata:
    """Return metadata with snapshots of these ids; main refers to the last, and there is no other ref."""
    made = metadata([snapshot(number) for number in numbers])
    return replace(made, refs=made.refs[:1])


def header(number: int, location: str = "s3://lake/t/metadata") -> ManifestHeader:
    """Return a manifest list's row with every field set, mostly to distinct values."""
    bounds = (
        PartitionFieldSummary(1000, "n", False, True, number, 2**63 - 1, b"\0", b"\xff", number),
        PartitionFieldSummary(1001, NASTY, None, None, Decimal("1.10"), Decimal("-0"), None, b""),
        PartitionFieldSummary(1002, "u", True, False, UUID(int=number), b"\0\xff", b"raw", None),
        PartitionFieldSummary(1003, "f", False, True, -0.0, float("inf")),
        PartitionFieldSummary(1004, "s", False, None, NASTY, "\U0010ffff"),
    )
    return ManifestHeader(
        f"{location}/m{number}.avro",
        100 + number,
        "deletes" if number % 3 == 0 else "data",
        spec_id=1,
        sequence_number=number,
        min_sequence_number=0,
        added_snapshot_id=-(2**63),
        added_files_count=number,
        existing_files_count=2**63 - 1,
        deleted_files_count=0,
        added_rows_count=None,
        existing_rows_count=1,
        deleted_rows_count=2,
        partitions=bounds if number % 2 else None,
        key_metadata=b"\0key",
        first_row_id=2**62,
        schema_id=0,
        min_bucket=-1,
        max_bucket=3,
        min_level=0,
        max_level=5,
        min_row_id=0,
        max_row_id=9,
        total_buckets=-2,
        extra_files=("a", NASTY) if number % 2 else (),
    )


def published(numbers: Sequence[int], role: Role = "manifests") -> list[Published]:
    """Return manifests to publish under one role."""
    return [Published(role, header(n), segment_name(header(n).location, header(n).length)) for n in numbers]


def segments(manifests: Sequence[Published]) -> list[SegmentInfo]:
    """Return the manifests' segments, which no store contains."""
    return [SegmentInfo(m.segment, m.header.location, m.header.length or 0, 10, 1000) for m in manifests]


def table(database: Database, name: str = "shop.orders", *, of: TableMetadata | None = None) -> int:
    """Register a table and store its metadata, if given; return its id."""
    with database.session() as session:
        table_id = add_table(session, name, "s3://lake/t", "iceberg", (("s3://old", "s3://lake"),)).table_id
        if of is not None:
            store_metadata(session, table_id, of, 1)
    return table_id


def store(database: Database, table_id: int, of: TableMetadata, checked_at_ms: int = 2) -> None:
    """Store metadata as another refresh does."""
    with database.session() as session:
        store_metadata(session, table_id, of, checked_at_ms)


def show(
    database: Database, table_id: int, number: int, manifests: Sequence[Published], dead: Sequence[int] | None = None
) -> None:
    """Publish a snapshot as a refresh does."""
    with leases.hold(database, table_id, wait_seconds=5) as lease, database.session() as session:
        publish(
            session,
            lease,
            get_snapshot(session, table_id, number).row_id,
            manifests,
            None if dead is None else np.array(dead, dtype=np.int64),
            live=LiveCounts(len(manifests), 1, 2**62, 2**63 - 1),
            segments=segments(manifests),
        )


def records(database: Database, table_id: int) -> dict[tuple[str, int], SnapshotRecord]:
    """Return all snapshots of a table by branch and id."""
    with database.reading() as session:
        return {(r.snapshot.branch, r.snapshot.snapshot_id): r for r in list_snapshots(session, table_id)}
