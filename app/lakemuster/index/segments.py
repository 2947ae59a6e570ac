"""Segments: the SQL register of complete segments, and the names of ``segment_files`` and ``segment_store``."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from lakemuster.index.database import Database, NowMs, current_ms
from lakemuster.index.mapped_segment import BATCH_ROWS
from lakemuster.index.orm import ManifestRow, SegmentRow
from lakemuster.index.segment_files import (
    DECODER_VERSION,
    Segment,
    Written,
    segment_name,
    write_segment,
)
from lakemuster.index.segment_store import SegmentStore
from lakemuster.index.statements import chunks, insert_new
from lakemuster.metadata.counts import EntryCounts, PackedCounts

__all__ = [
    "BATCH_ROWS",
    "DECODER_VERSION",
    "Segment",
    "SegmentInfo",
    "SegmentStore",
    "Swept",
    "Written",
    "add_counts",
    "known_segments",
    "register_segments",
    "replace_segment",
    "segment_name",
    "sweep",
    "true_counts",
    "used_segments",
    "write_segment",
]

GRACE_SECONDS = 24 * 3600.0
_ROWS_AT_ONCE = 50_000
"""Number of registrations checked by one transaction: PostgreSQL cancels a statement that takes half a minute."""
_FILES_AT_ONCE = 100
"""Number of files looked up in the register at once: few, so that they are deleted soon after."""


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """A segment that is complete in the store.

    Attributes:
        location, length: those of its manifest; for a packed segment, the name of its last segment, and 0.
        rows, bytes: numbers of entries and bytes of the segment.
        counts: packed ``EntryCounts`` of its entries by status; None for a packed segment.
    """

    name: str
    location: str
    length: int
    rows: int
    bytes: int
    decoder_version: int = DECODER_VERSION
    counts: PackedCounts | None = None


@dataclass(frozen=True, slots=True)
class Swept:
    """The numbers of register rows, files, and bytes of these files that a sweep removed."""

    unregistered: int
    files: int
    bytes: int


def known_segments(session: Session, names: Collection[str]) -> set[str]:
    """Return the registered names among some segment names."""
    known: set[str] = set()
    for chunk in chunks(list(names)):
        known.update(session.scalars(select(SegmentRow.name).where(SegmentRow.name.in_(chunk))))
    return known


def used_segments(session: Session, names: Collection[str]) -> set[str]:
    """Return the segments, among some names, that manifests of published snapshots refer to."""
    used: set[str] = set()
    for chunk in chunks(list(names)):
        used.update(session.scalars(select(ManifestRow.segment).where(ManifestRow.segment.in_(chunk))))
    return used


def true_counts(session: Session, names: Collection[str]) -> dict[str, EntryCounts]:
    """Return the entry counts of the named segments that have any, by name."""
    found: dict[str, EntryCounts] = {}
    for chunk in chunks(list(names)):
        rows = session.execute(
            select(SegmentRow.name, SegmentRow.counts).where(SegmentRow.name.in_(chunk), SegmentRow.counts.is_not(None))
        )
        found.update((name, EntryCounts.unpack(packed)) for name, packed in rows if packed is not None)
    return found


def add_counts(session: Session, counts: Mapping[str, PackedCounts]) -> None:
    """Record the entry counts of registered segments, by name; an older version may have recorded others, or none."""
    for name in sorted(counts):
        session.execute(
            update(SegmentRow)
            .where(SegmentRow.name == name)
            .values(counts=counts[name])
            .execution_options(synchronize_session=False)
        )


def register_segments(session: Session, segments: Sequence[SegmentInfo]) -> None:
    """Register segments that are in the store; existing registrations are left unchanged."""
    if not segments:
        return
    registered_at_ms = current_ms(session)
    # Sorted, so that two processes cannot deadlock.
    ordered = sorted(segments, key=lambda segment: segment.name)
    insert_new(session, SegmentRow, [asdict(segment) | {"registered_at_ms": registered_at_ms} for segment in ordered])


def replace_segment(session: Session, segment: SegmentInfo) -> None:
    """Register a rewritten segment, replacing its previous registration."""
    register_segments(session, [segment])
    values = asdict(segment)
    session.execute(
        update(SegmentRow)
        .where(SegmentRow.name == values.pop("name"))
        .values(values)
        .execution_options(synchronize_session=False)
    )


def sweep(
    database: Database,
    store: SegmentStore,
    *,
    grace_seconds: float = GRACE_SECONDS,
    goes_on: Callable[[], bool] = lambda: True,
) -> Swept:
    """Remove segments that no manifest of any table refers to, and packed segments whose last segment is one of these.

    Segments registered or written less than ``grace_seconds`` ago stay, since they may belong to a running
    refresh; this must be longer than any refresh takes. Files that are written again between being listed and being
    deleted stay, too, and files that Lakemuster did not write. Readers that have a removed segment mapped keep it.

    Args:
        goes_on: called every few files; the sweep ends early if it returns False.

    Raises:
        IndexUnavailable: the database or the store does not answer; what was removed stays removed.
    """
    unregistered = _unregister_orphans(database, grace_seconds, goes_on)
    # If one of the clocks is ahead, files of running refreshes would seem old.
    newest_ms = min(time.time() * 1000, database.clock_ms()) - grace_seconds * 1000
    old = [file for file in store.files() if file.modified_ms is not None and file.modified_ms <= newest_ms]
    files = size = 0
    for start in range(0, len(old), _FILES_AT_ONCE):
        if not goes_on():
            break
        some = old[start : start + _FILES_AT_ONCE]
        with database.reading() as session:
            known = known_segments(session, [file.name for file in some if file.name is not None])
        for file in some:
            if file.name not in known and store.is_unchanged(file):
                store.delete(file.key)
                files, size = files + 1, size + file.size
    return Swept(unregistered, files, size)


def _unregister_orphans(database: Database, grace_seconds: float, goes_on: Callable[[], bool]) -> int:
    """Delete the registrations of unused segments, in the order of names; return their number."""
    unregistered, after = 0, ""
    while goes_on():
        with database.session() as session:
            names = select(SegmentRow.name).where(SegmentRow.name > after).order_by(SegmentRow.name)
            through = session.scalar(names.offset(_ROWS_AT_ONCE - 1).limit(1))
            orphans = (
                delete(SegmentRow)
                .where(SegmentRow.name > after)
                .where(SegmentRow.registered_at_ms <= NowMs() - round(grace_seconds * 1000))
                .where(~exists().where(ManifestRow.segment == SegmentRow.name))
                .where(~exists().where(ManifestRow.segment == SegmentRow.location))
                .returning(SegmentRow.name)
                .execution_options(synchronize_session=False)
            )
            if through is not None:
                orphans = orphans.where(SegmentRow.name <= through)
            unregistered += len(session.execute(orphans).all())
        if through is None:
            break
        after = through
    return unregistered
