"""Determine which partitions are ready by a table's rules, from its current snapshot in the index."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lakemuster.catalog.listings import DocumentListing
from lakemuster.catalog.lists import difference, rows_of
from lakemuster.catalog.services import Services
from lakemuster.index import Index
from lakemuster.index.ready_partitions import ReadyPartition, StoredPartition, key_of, list_ready
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot, list_snapshots
from lakemuster.index.tables import TableRecord, load_metadata
from lakemuster.metadata.integer_text import parse_int64
from lakemuster.metadata.partition import PartitionField
from lakemuster.metadata.partition_periods import Period, period_of
from lakemuster.metadata.snapshot import MAIN, Snapshot, TableMetadata
from lakemuster.planner.columns import partition_type
from lakemuster.planner.rows import RowSource, conform
from lakemuster.planner.view import View
from lakemuster.table_settings import ReadinessRule
from lakemuster.wire.documents import READY_PARTITIONS
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.pages import ReadyPartitionOut
from lakemuster.wire.rows import chunks, json_objects

MAX_COMMITS = 50
"""Maximum commits examined, newest first. A partition that none of them touches has its last commit before them."""
_NO_WATERMARK = -(2**63)

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A partition of the current snapshot that has records.

    Attributes:
        values: the values of its fields, by name.
        row: its row in the list of partitions.
        period: the period of time that its values name; None if they name none.
        others: a digest of the values of its other fields.
    """

    key: bytes
    values: Mapping[str, object]
    row: Row
    period: Period | None
    others: bytes


def current_view(services: Services, table: TableRecord) -> tuple[View, list[SnapshotRecord]] | None:
    """Return a table at its current snapshot, and the snapshots of main; None if it is stale or not indexed."""
    if table.stale_reason is not None or table.metadata_location is None:
        return None
    with services.index.database.reading() as session:
        metadata = load_metadata(session, table.table_id)
        if metadata.current_snapshot_id is None:
            return View(table, metadata, None), []
        record = get_snapshot(session, table.table_id, metadata.current_snapshot_id, MAIN)
        records = list_snapshots(session, table.table_id, MAIN)
    return (View(table, metadata, record), records) if record.state == "published" else None


def default_fields(metadata: TableMetadata) -> tuple[PartitionField, ...]:
    """Return the partition fields of a table's default spec."""
    specs = [spec.fields for spec in metadata.specs if spec.spec_id == metadata.default_spec_id]
    return specs[0] if specs else ()


def candidates(index: Index, view: View, rule: ReadinessRule) -> list[Candidate]:
    """Return the partitions of a view's snapshot that have records."""
    fields = default_fields(view.metadata)
    if view.snapshot is None or not fields:
        return []
    found: dict[bytes, Candidate] = {}
    source = rows_of(index, "partitions", view)
    names = _names(source)
    for row in _json_rows(source):
        if row["record_count"] > 0:
            values = {name: row["partition"].get(name) for name in names}
            key = key_of(values)
            period = period_of(fields, values, rule.time)
            named = rule.time or tuple(field.name for field in fields if period_of([field], values, ()) is not None)[:1]
            others = key_of({name: value for name, value in values.items() if name not in named})
            # Partitions of different specs with equal values count as one.
            found[key] = Candidate(key, values, row, period, others)
    return list(found.values())


def _names(partitions: RowSource) -> list[str]:
    target = partitions.schema.field("partition").type
    return [target.field(number).name for number in range(target.num_fields)]


def _json_rows(source: RowSource) -> list[Row]:
    rows: list[Row] = []
    for _, batch in source.batches():
        for part in chunks(conform(batch, source.schema)):
            rows += json_objects(part)
    return rows


def ready_by(
    rule: ReadinessRule,
    found: Sequence[Candidate],
    pending: Collection[bytes],
    records: Sequence[SnapshotRecord],
    view: View,
    last_commits: Mapping[bytes, int],
) -> list[ReadyPartition]:
    """Return the pending partitions for which all conditions of a rule hold.

    Args:
        pending: keys of the partitions that are not known to be ready.
        records: the snapshots of main.
        last_commits: for each pending partition, see :func:`last_commits`; used by rules with ``quiet`` only.
    """
    own = None if view.snapshot is None else view.snapshot.snapshot
    chosen = [one for one in found if one.key in pending]
    if rule.quiet is not None:
        looked_at_ms = view.table.checked_at_ms or 0
        chosen = [one for one in chosen if looked_at_ms - last_commits[one.key] >= rule.quiet * 1000]
    if rule.watermark is not None:
        mark = watermark_ms(records, own, rule.watermark)
        chosen = [one for one in chosen if mark is not None and one.period and mark >= one.period.end_ms]
    if rule.sibling:
        latest: dict[bytes, int] = {}
        for one in found:
            if one.period is not None:
                latest[one.others] = max(latest.get(one.others, one.period.start_ms), one.period.start_ms)
        chosen = [one for one in chosen if one.period and one.period.start_ms < latest[one.others]]
    return [ReadyPartition(rule.title, one.values, _figures(one, own)) for one in chosen]


def _figures(one: Candidate, snapshot: Snapshot | None) -> dict[str, object]:
    return {
        "record_count": one.row["record_count"],
        "file_count": one.row["file_count"],
        "time_end": None if one.period is None else format_instant(one.period.end_ms),
        "snapshot_id": None if snapshot is None else str(snapshot.snapshot_id),
    }


def watermark_ms(records: Sequence[SnapshotRecord], current: Snapshot | None, name: str) -> int | None:
    """Return a property of a snapshot, or of its newest ancestor that has it, as milliseconds since 1970.

    Snapshots of a compaction often lack it. Return None if none has it, or it is not a time.
    """
    by_id = {record.snapshot.snapshot_id: record.snapshot for record in records}
    at = current
    for _ in range(len(records) + 1):
        if at is None:
            return None
        value = at.summary.get(name, at.extra.get(name))
        if value is not None:
            return _time(value)
        at = None if at.parent_id is None else by_id.get(at.parent_id)
    return None


def _time(value: object) -> int | None:
    text = str(value).strip()
    try:
        number = parse_int64(text)
        if number is not None:
            return None if number == _NO_WATERMARK else number
        at = datetime.fromisoformat(text)
        return round((at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def last_commits(
    index: Index,
    view: View,
    records: Sequence[SnapshotRecord],
    pending: Collection[bytes],
    known: tuple[int, Mapping[bytes, int]] | None = None,
) -> dict[bytes, int]:
    """Return when each pending partition was last committed to: milliseconds since 1970, by the writers' clocks.

    A commit touches a partition if it adds or removes one of its files. If older snapshots have expired, are not
    indexed, or exceed ``MAX_COMMITS``, the time is that of the oldest examined one: never earlier than the real one.

    Args:
        known: an earlier snapshot's row id, and the result of this function for it.
    """
    by_id = {record.snapshot.snapshot_id: record for record in records if record.state == "published"}
    found: dict[bytes, int] = {}
    rest, at = set(pending), view.snapshot
    for _ in range(MAX_COMMITS):
        if at is None or not rest:
            break
        if known is not None and known[0] == at.row_id:
            found |= {key: known[1][key] for key in rest if key in known[1]}
            rest -= known[1].keys()
        parent = None if at.snapshot.parent_id is None else by_id.get(at.snapshot.parent_id)
        if parent is None:
            break
        for key in _touched(index, view, parent, at) & rest:
            found[key] = at.snapshot.committed_at_ms
            rest.remove(key)
        at = parent
    oldest = 0 if at is None else at.snapshot.committed_at_ms
    return found | dict.fromkeys(rest, oldest)


def _touched(index: Index, view: View, before: SnapshotRecord, after: SnapshotRecord) -> set[bytes]:
    views = [View(view.table, view.metadata, record) for record in (before, after)]
    names = [field.name for field in partition_type(view.metadata.specs, views[1].schemas)]
    rows = _json_rows(difference(index, *views))
    return {key_of({name: row["partition"].get(name) for name in names}) for row in rows}


def ready_listing(services: Services, name: str) -> tuple[TableRecord, DocumentListing[StoredPartition]]:
    """Return a table, and its partitions that are ready, oldest first.

    Raises:
        TableNotFound: no table has that name.
    """
    table = services.table(name)
    with services.index.database.reading() as session:
        found = list_ready(session, table.table_id)
    return table, DocumentListing(
        READY_PARTITIONS,
        found,
        lambda one: (one.number,),
        ready_document,
    )


def ready_document(one: StoredPartition) -> dict[str, object]:
    """Return a ready partition as a row of the list."""
    row = {**one.document, "rule": one.rule, "ready_at": format_instant(one.ready_at_ms)}
    return ReadyPartitionOut.model_validate(row).model_dump(mode="json")
