"""Maintain companions: the Iceberg tables that the Iceberg metadata of Paimon tables describes.

A Paimon table's options create, move or remove its companion; a rollback withdraws it. A fault of a companion is not
a failure of its Paimon table: it is recorded, and reported to requests for the Iceberg table.
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
"""Maximum bytes of a schema file that is parsed in this process."""


def iceberg_metadata_location(store: ObjectStore, pointer: Pointer) -> str | None:
    """Return where a Paimon table's newest schema places its Iceberg metadata; None if nowhere, or if it is unreadable.

    For use before the table's first refresh, which reports errors.
    """
    schemas = dict(pointer.listings).get("schema", ())
    newest = max((info for info in schemas if is_schema(info)), key=lambda info: (len(info.name), info.name))
    try:
        options = dict(parse_schema(store.read(newest.location, max_bytes=SCHEMA_LIMIT)).options)
        return iceberg_root(pointer.metadata_location, options)
    except CatalogError:
        return None


def owner_of_metadata(store: ObjectStore, location: str) -> str | None:
    """Return the Paimon table whose Iceberg metadata is at a location outside of that table; None if there is none."""
    owner = owner_root(location)
    if owner is None:
        return None
    try:
        pointer = look(store, owner, "paimon")
    except CatalogError:
        return None
    return owner if iceberg_metadata_location(store, pointer) == location else None


@dataclass(frozen=True, slots=True)
class Companions:
    """The companions registered in an index."""

    index: Index

    def find(self, table: TableRecord) -> TableRecord | None:
        """Return the companion of a Paimon table; None if it has none."""
        with self.index.database.reading() as session:
            return find_companion(session, table.table_id)

    def owner(self, companion: TableRecord) -> TableRecord:
        """Return the Paimon table of a companion.

        Raises:
            TableNotFound: it was removed.
        """
        with self.index.database.reading() as session:
            return owner_of(session, companion)

    def follow(self, table: TableRecord, metadata: TableMetadata) -> None:
        """Create, move, remove or withdraw a Paimon table's companion as the table's newest metadata requires."""
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
                    self.withdraw(known, fault)

    def fault(self, companion: TableRecord, metadata: TableMetadata) -> str | None:
        """Return why Iceberg metadata does not match its Paimon table as of that table's last look; None if it does."""
        shown = next((s for s in metadata.snapshots if s.snapshot_id == metadata.current_snapshot_id), None)
        if shown is None:
            return None
        owner = self.owner(companion)
        return _fault(shown, owner.current_snapshot_id, self._snapshot(owner, shown.snapshot_id))

    def withdraw(self, companion: TableRecord, reason: str, cause: CatalogError | None = None) -> CompanionNotFound:
        """Withdraw a companion, and return the error that says why."""
        if companion.stale_reason != reason:
            LOG.warning("%s is not shown as an Iceberg table: %s", companion.name, reason if cause is None else cause)
        with self.index.database.session() as session:
            withdraw_companion(session, companion, reason)
        return CompanionNotFound(f"{companion.name} is a Paimon table, not shown as an Iceberg table: {reason}")

    def withdraw_missing(self, companion: TableRecord, error: CatalogError) -> CompanionNotFound:
        """Withdraw a companion whose metadata is missing where the options place it, or outside the allowed roots."""
        if isinstance(error, LocationRefused):
            reason = "its Iceberg metadata lies outside the roots that this server may read"
        else:
            reason = "its options ask for Iceberg metadata, and there is none yet"
        return self.withdraw(companion, reason, error)

    def not_found_error(self, table: TableRecord) -> CompanionNotFound:
        """Return the error that says why a Paimon table has no companion."""
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
    """Return why an Iceberg snapshot does not belong to a Paimon table; None if it does.

    Args:
        shown: the Iceberg snapshot.
        newest: the id of the Paimon table's newest snapshot.
        same: the Paimon snapshot with the id of ``shown``.
    """
    if newest is None or shown.snapshot_id > newest:
        return f"its Iceberg metadata is of snapshot {shown.snapshot_id}, which was rolled back"
    if same is not None and not is_made_of(shown, same):
        return f"its Iceberg metadata is of another snapshot {shown.snapshot_id}, from before a rollback"
    return None
