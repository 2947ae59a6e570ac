"""Compute exactly which snapshots, refs and files an expiry would remove, without removing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.caching import cached
from lakemuster.catalog.history_indexing import index_needed
from lakemuster.catalog.listings import Page
from lakemuster.catalog.page_tokens import Key
from lakemuster.catalog.services import Services
from lakemuster.errors import PageTokenInvalid, RefNotFound, RequestInvalid, SnapshotsNotIndexed
from lakemuster.index import Index
from lakemuster.index.snapshots import SnapshotRecord, list_snapshots
from lakemuster.metadata.snapshot import MAIN
from lakemuster.planner.history.expiry import ExpiryState, Policy, Retention, by_partition
from lakemuster.planner.history.rules import HISTORY_RULES
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.expiry import (
    ExpiredPartitionOut,
    ExpiredRefOut,
    ExpiredSnapshotOut,
    ExpiredTotalOut,
    ExpiryOut,
)
from lakemuster.wire.native.timeline import IndexingOut
from lakemuster.wire.rows import Written, json_items, json_lines, json_objects

__all__ = ["ExpiredListing", "Expiry", "Policy", "expiry_of", "time_of"]

MAX_NAMED = 20
"""Maximum snapshots that an error names."""
BATCH_ROWS = 8192


@dataclass(frozen=True, slots=True)
class Expiry:
    """The snapshots, refs and files that an expiry would remove.

    Attributes:
        files: the list of files, with the columns of ``expired_schema``.
        stale: why this is not about the table's newest state; None if it is.
    """

    state: ExpiryState
    retention: Retention
    files: pa.Table
    stale: str | None

    def out(self) -> ExpiryOut:
        """Return the summary."""
        expired = {record.row_id for record in self.retention.expired}
        own = [record for record in self.state.records if record.snapshot.branch == self.state.branch]
        return ExpiryOut(
            snapshots=[
                ExpiredSnapshotOut(
                    snapshot_id=record.snapshot.snapshot_id,
                    committed_at=format_instant(record.snapshot.committed_at_ms),
                )
                for record in sorted(self.retention.expired, key=_by_time)
            ],
            retained=sum(record.row_id not in expired for record in own),
            refs=[
                ExpiredRefOut(name=ref.name, type=ref.kind, snapshot_id=ref.snapshot_id, reason=reason)
                for ref, reason in self.retention.refs
            ],
            totals=list(_totals(self.files)),
            partitions=[
                ExpiredPartitionOut.model_validate(row)
                for batch in by_partition(self.files).to_batches()
                for row in json_objects(batch)
            ],
            settings=dict(self.retention.settings),
            refused=self.retention.refused,
            now=format_instant(self.state.now_ms),
            branch=self.state.branch,
            stale=self.stale,
        )


def _by_time(record: SnapshotRecord) -> tuple[int, int]:
    return record.snapshot.committed_at_ms, record.row_id


def _totals(files: pa.Table) -> Iterator[ExpiredTotalOut]:
    grouped = files.group_by("kind", use_threads=False).aggregate(
        [("file_path", "count"), ("file_size_in_bytes", "sum"), ("reason", "count"), ("reason", "max")]
    )
    for row in grouped.to_pylist():
        yield ExpiredTotalOut(
            kind=row["kind"],
            files=row["file_path_count"],
            bytes=None if row["reason_count"] else row["file_size_in_bytes_sum"],
            reason=row["reason_max"],
        )


def expiry_of(
    services: Services,
    name: str,
    policy: Policy,
    branch: str | None = None,
    *,
    index: bool = False,
    now_ms: int | None = None,
) -> Expiry | IndexingOut:
    """Return what an expiry would remove.

    Args:
        branch: the branch, for formats whose branches expire separately; None for main.
        index: first index the snapshots that are needed; return the progress if that exceeds a request's timeout.
        now_ms: the time of the expiry, Unix epoch milliseconds; None for now.

    Raises:
        SnapshotsNotIndexed: it needs snapshots that are not indexed, or are quarantined.
        RequestInvalid: the format's branches do not expire separately, or it does not support an argument.
        RefNotFound: the branch does not exist.
        FormatUnsupported: the format does not support expiry.
    """
    at_ms = services.refresher.now_ms() if now_ms is None else now_ms
    state, stale = _state(services, name, branch, at_ms)
    rules = HISTORY_RULES.of(state.table)
    retention = rules.retention(state, policy)
    if index:

        def needed() -> Sequence[SnapshotRecord]:
            return rules.retention(_state(services, name, branch, at_ms)[0], policy).needed

        progress = index_needed(services, state.table, needed)
        if progress is not None:
            return progress
        state, stale = _state(services, name, branch, at_ms)
        retention = rules.retention(state, policy)
    _require_indexed(retention.needed)
    return Expiry(state, retention, _files(services.index, state, policy, retention), stale)


def _state(services: Services, name: str, branch: str | None, now_ms: int) -> tuple[ExpiryState, str | None]:
    table, metadata, stale = services.fresh(name)
    if branch is not None and branch != MAIN:
        if not HISTORY_RULES.of(table).numbers_snapshots:
            raise RequestInvalid("an expiry is of all branches of this table: omit ref")
        if branch not in metadata.branch_schemas:
            raise RefNotFound(f"the table has no branch {branch!r}", ref=branch)
    with services.index.database.reading() as session:
        records = list_snapshots(session, table.table_id)
    return ExpiryState(table, metadata, records, now_ms, branch or MAIN), stale


def _require_indexed(needed: Sequence[SnapshotRecord]) -> None:
    """Check that the snapshots are published.

    Raises:
        SnapshotsNotIndexed: some are not.
    """
    missing = [record for record in needed if record.state != "published"]
    if not missing:
        return
    unknown = [str(record.snapshot.snapshot_id) for record in missing if record.state == "known"]
    refused = [f"{record.snapshot.snapshot_id}: {record.error}" for record in missing if record.state == "quarantined"]
    words = []
    if unknown:
        words.append(f"{len(unknown)} of the {len(needed)} snapshots that it needs are not indexed (index=true does)")
    if refused:
        words.append(f"{len(refused)} cannot be read")
    raise SnapshotsNotIndexed(
        f"no exact answer: {', and '.join(words)}", not_indexed=unknown[:MAX_NAMED], quarantined=refused[:MAX_NAMED]
    )


def _key(index: Index, state: ExpiryState, policy: Policy, retention: Retention) -> tuple[object, ...]:
    """Return a cache key that stays valid: row ids are never reused, and publishing again changes the time."""
    metadata, table = state.metadata, state.table
    return (
        index,
        table.table_id,
        metadata.metadata_location,
        (metadata.current_schema_id, len(metadata.schemas), len(metadata.specs), table.rewrites, policy),
        tuple((record.row_id, record.published_at_ms) for record in retention.needed),
        tuple(record.row_id for record in retention.expired),
    )


@cached("expiry", lambda files: 4000 + files.nbytes, _key)
def _files(index: Index, state: ExpiryState, policy: Policy, retention: Retention) -> pa.Table:
    return HISTORY_RULES.of(state.table).expired_files(index, state, policy, retention)


@dataclass(frozen=True, slots=True)
class ExpiredListing:
    """The list of files that an expiry would remove. A page token holds the time of the first page's expiry.

    Attributes:
        descending: whether the files are in the reverse order.
    """

    expiry: Expiry
    descending: bool = False

    @property
    def _files(self) -> pa.Table:
        files = self.expiry.files
        return files.take(pa.array(range(files.num_rows - 1, -1, -1), pa.int64())) if self.descending else files

    @property
    def schema(self) -> pa.Schema:
        """The columns of the list."""
        schema: pa.Schema = self.expiry.files.schema
        return schema

    @property
    def _mark(self) -> tuple[int, str]:
        return self.expiry.state.now_ms, self.expiry.state.metadata.metadata_location

    def page(self, after: Key | None, size: int) -> Page:
        """Return the rows after the last one shown.

        Raises:
            PageTokenInvalid: the table has changed since the first page.
        """
        start = 0
        if after is not None:
            *mark, start = after  # type: ignore[assignment]
            if tuple(mark) != self._mark:
                raise PageTokenInvalid("the table has changed: start again with the first page")
        shown = self._files.slice(start, size)
        items = b",".join(json_items(batch) for batch in shown.to_batches() if batch.num_rows)
        end = start + shown.num_rows
        return Page(items, (*self._mark, end) if end < self.expiry.files.num_rows else None)

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield all rows."""
        for batch in self.batches():
            yield batch.num_rows, json_lines(batch)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows."""
        yield from self._files.to_batches(max_chunksize=BATCH_ROWS)


def time_of(after: Key) -> int:
    """Return the time of the expiry whose page ended with a key."""
    return int(after[0])
