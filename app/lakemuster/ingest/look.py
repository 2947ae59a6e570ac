"""Step 1 of a refresh, look: find a table's pointer, and record looks that found no new state."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass

from sqlalchemy.orm import Session

from lakemuster import tracing
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import LocationRefused, NotATable, SnapshotNotFound, TableNotFound
from lakemuster.formats.protocol import Pointer
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot
from lakemuster.index.tables import TableRecord, record_recent_look, remove_table, unfinished
from lakemuster.ingest.ages import Ages
from lakemuster.ingest.companions import Companions
from lakemuster.ingest.pointers import look
from lakemuster.ingest.renames import follow
from lakemuster.storage.store import ObjectStore
from lakemuster.upstream.locations import split_catalog_location
from lakemuster.upstream.registry import Upstreams


@dataclass(frozen=True, slots=True)
class Looker:
    """Finds tables' pointers, and records looks that found no new state."""

    index: Index
    ages: Ages
    upstreams: Upstreams
    clock: Clock = SYSTEM

    def look(self, store: ObjectStore, table: TableRecord) -> Pointer:
        """Find the table's current metadata. The state is new if the pointer's token is not ``table.pointer``.

        Raises:
            CompanionNotFound: a companion's metadata is not where its Paimon table places it.
            TableNotFound: the table's catalog does not have it.
            CatalogError: the pointer cannot be read.
        """
        with tracing.span("look", table=table.name):
            return self._look(store, table)

    def _look(self, store: ObjectStore, table: TableRecord) -> Pointer:
        if split_catalog_location(table.location) is not None:
            return self._catalog_pointer(store, table)
        try:
            return look(store, table.location, table.format)
        except (NotATable, LocationRefused) as error:
            if table.companion_of is None:
                raise
            raise Companions(self.index).withdraw_missing(table, error) from error

    def _catalog_pointer(self, store: ObjectStore, table: TableRecord) -> Pointer:
        """Get a table's pointer from its catalog; rename or remove the table here if the catalog no longer has it.

        A table whose catalog is not attached is neither: another process may have other settings.
        """
        try:
            location, newest = self.upstreams.pointer(table.location)
        except TableNotFound:
            is_attached = self.upstreams.of_table(table.name) is not None
            if is_attached and not follow(self.index, self.upstreams, table):
                with contextlib.suppress(TableNotFound), self.index.database.session() as session:
                    remove_table(session, table.name)
            raise
        port = format_of(table.format)
        if not port.has_snapshot_files:
            # A catalog's metadata files never change.
            return Pointer(table.format, location, hashlib.sha256(location.encode()).hexdigest())
        found = look(store, location, table.format)
        return found if newest is None else port.limit(found, newest)

    def record_unchanged(self, table: TableRecord, began: float) -> str | None:
        """Record a look that found no new state; return why the newest snapshot is quarantined, None if it is not.

        Args:
            began: the start of the look by the monotonic clock, in seconds.
        """
        with self.index.database.session() as session:
            reason = _quarantine_reason(session, table)
            looked = record_recent_look(session, table.table_id, self.clock.monotonic() - began, reason)
        if looked is not None:
            self.ages.looked(table.table_id, looked, began)
        return reason

    def is_unfinished(self, table: TableRecord) -> bool:
        """Return whether the table's current snapshot is not indexed, and no process is refreshing the table."""
        with self.index.database.reading() as session:
            return bool(unfinished(session, [table.table_id]))

    def quarantine_reason(self, table: TableRecord) -> str | None:
        """Return why the table's newest snapshot is quarantined; None if it is not."""
        with self.index.database.reading() as session:
            return _quarantine_reason(session, table)


def _quarantine_reason(session: Session, table: TableRecord) -> str | None:
    head = _head(session, table)
    return head.error if head is not None and head.state == "quarantined" else None


def _head(session: Session, table: TableRecord) -> SnapshotRecord | None:
    if table.current_snapshot_id is None:
        return None
    with contextlib.suppress(SnapshotNotFound):
        return get_snapshot(session, table.table_id, table.current_snapshot_id)
    return None
