"""Keep companions in step with their Paimon tables: options give one, move it or take it away, rollbacks withdraw it.

Nothing that is wrong with a companion is a failure of its Paimon table: it is noted, and told to those who ask for
the Iceberg table.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from lakemuster.errors import CatalogError, CompanionNotFound, FormatUnsupported, LocationRefused, SnapshotNotFound
from lakemuster.formats.paimon.iceberg_metadata import STORAGE, iceberg_root, is_made_of, owner_root
from lakemuster.formats.paimon.table_metadata import parse_schema
from lakemuster.index import Index
from lakemuster.index.companions import (
    find_companion,
    owner_of,
    remove_companion,
    set_companion,
    withdraw_companion,
)
from lakemuster.index.snapshots import get_snapshot
from lakemuster.index.tables import TableRecord, load_metadata
from lakemuster.ingest.pointers import Pointer, is_schema, look
from lakemuster.metadata.snapshot import MAIN, Snapshot, TableMetadata
from lakemuster.storage.store import ObjectStore

LOG = logging.getLogger("lakemuster.ingest")
SCHEMA_LIMIT = 2**20
"""Bytes of a schema that is parsed in this process."""


def announced(store: ObjectStore, pointer: Pointer) -> str | None:
    """Where the Iceberg metadata is that a Paimon table's newest schema asks for; None also when that cannot be told.

    For a look before the table's first refresh, which says what is wrong.
    """
    schemas = dict(pointer.listings).get("schema", ())
    newest = max((info for info in schemas if is_schema(info)), key=lambda info: (len(info.name), info.name))
    try:
        options = dict(parse_schema(store.read(newest.location, max_bytes=SCHEMA_LIMIT)).options)
        return iceberg_root(pointer.metadata_location, options)
    except CatalogError:
        return None


def owner_of_metadata(store: ObjectStore, location: str) -> str | None:
    """The Paimon table whose Iceberg metadata is at a location outside of that table; None when it is nobody's."""
    owner = owner_root(location)
    if owner is None:
        return None
    try:
        pointer = look(store, owner, "paimon")
    except CatalogError:
        return None
    return owner if announced(store, pointer) == location else None


@dataclass(frozen=True, slots=True)
class Companions:
    """The companions of an index."""

    index: Index

    def find(self, table: TableRecord) -> TableRecord | None:
        """The companion of a Paimon table."""
        with self.index.database.reading() as session:
            return find_companion(session, table.table_id)

    def owner(self, companion: TableRecord) -> TableRecord:
        """The Paimon table of a companion.

        Raises:
            TableNotFound: it was removed.
        """
        with self.index.database.reading() as session:
            return owner_of(session, companion)

    def follow(self, table: TableRecord, metadata: TableMetadata) -> None:
        """Bring a Paimon table's companion in line with what the table's newest metadata says."""
        known = self.find(table)
        location = self._location(table, metadata.properties)
        if location is None:
            if known is not None:
                with self.index.database.session() as session:
                    remove_companion(session, table.table_id)
            return
        if known is None or known.location != location:
            with self.index.database.session() as session:
                known = set_companion(session, table, location)
        if known.metadata_location is not None and known.current_snapshot_id is not None:
            snapshots = {s.snapshot_id: s for s in metadata.snapshots if s.branch == MAIN}
            shown = self._snapshot(known, known.current_snapshot_id)
            if shown is not None:
                fault = _fault(shown, metadata.current_snapshot_id, snapshots.get(shown.snapshot_id))
                if fault is not None:
                    self.withdrawn(known, fault)

    def fault(self, companion: TableRecord, metadata: TableMetadata) -> str | None:
        """Why Iceberg metadata is not of the Paimon table's snapshots, as they were at the last look at that table."""
        shown = next((s for s in metadata.snapshots if s.snapshot_id == metadata.current_snapshot_id), None)
        if shown is None:
            return None
        owner = self.owner(companion)
        return _fault(shown, owner.current_snapshot_id, self._snapshot(owner, shown.snapshot_id))

    def withdrawn(self, companion: TableRecord, reason: str, cause: CatalogError | None = None) -> CompanionNotFound:
        """Stop showing a companion; the error says why."""
        if companion.stale_reason != reason:
            LOG.warning("%s is not shown as an Iceberg table: %s", companion.name, reason if cause is None else cause)
        with self.index.database.session() as session:
            withdraw_companion(session, companion, reason)
        return CompanionNotFound(f"{companion.name} is a Paimon table, not shown as an Iceberg table: {reason}")

    def unseen(self, companion: TableRecord, error: CatalogError) -> CompanionNotFound:
        """Stop showing a companion that is not where the options say, or where we may not look."""
        if isinstance(error, LocationRefused):
            reason = "its Iceberg metadata lies outside the roots that this server may read"
        else:
            reason = "its options ask for Iceberg metadata, and there is none yet"
        return self.withdrawn(companion, reason, error)

    def absent(self, table: TableRecord) -> CompanionNotFound:
        """Why a Paimon table has no companion."""
        reason = f"its option {STORAGE} is not set"
        try:
            with self.index.database.reading() as session:
                if iceberg_root(table.location, load_metadata(session, table.table_id).properties) is not None:
                    reason = "its Iceberg metadata was not looked at yet"
        except CatalogError as error:
            reason = str(error)
        return CompanionNotFound(f"{table.name} is a Paimon table, not shown as an Iceberg table: {reason}")

    def _location(self, table: TableRecord, options: Mapping[str, str]) -> str | None:
        try:
            return iceberg_root(table.location, options)
        except FormatUnsupported as error:
            LOG.warning("%s is not shown as an Iceberg table: %s", table.name, error)
            return None

    def _snapshot(self, table: TableRecord, snapshot_id: int) -> Snapshot | None:
        try:
            with self.index.database.reading() as session:
                return get_snapshot(session, table.table_id, snapshot_id).snapshot
        except SnapshotNotFound:
            return None


def _fault(shown: Snapshot, newest: int | None, same: Snapshot | None) -> str | None:
    """Why an Iceberg snapshot is none of a Paimon table whose ``newest`` snapshot has that id."""
    if newest is None or shown.snapshot_id > newest:
        return f"its Iceberg metadata is of snapshot {shown.snapshot_id}, which was rolled back"
    if same is not None and not is_made_of(shown, same):
        return f"its Iceberg metadata is of another snapshot {shown.snapshot_id}, from before a rollback"
    return None
