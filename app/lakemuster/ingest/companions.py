"""Maintain companions: tables of another format whose metadata a table carries, as Paimon tables carry Iceberg's.

The table's options create, move or remove its companion; a rollback withdraws it. A faulty companion does not fail the
refresh of its owner: the fault is recorded, and reported to requests for the companion.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from lakemuster.errors import CatalogError, CompanionNotFound, FormatUnsupported, LocationRefused, SnapshotNotFound
from lakemuster.formats.protocol import CompanionRules, FormatPort
from lakemuster.formats.registry import format_of, table_formats
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
from lakemuster.ingest.pointers import look
from lakemuster.metadata.snapshot import MAIN, Format, Snapshot, TableMetadata
from lakemuster.storage.store import ObjectStore

LOG = logging.getLogger("lakemuster.ingest")


@dataclass(frozen=True, slots=True)
class Owner:
    """The table whose companion is at a location: its root and its format."""

    location: str
    format: FormatPort


def owner_of_metadata(store: ObjectStore, location: str, format: Format) -> Owner | None:
    """Return the table whose companion of a format is at a location outside that table; None if there is none."""
    for port in table_formats():
        rules = port.companion
        root = None if rules is None or rules.format != format else rules.owner_root(location)
        if rules is None or root is None:
            continue
        try:
            pointer = look(store, root, port.name)
        except CatalogError:
            continue
        if rules.find(store, pointer) == location:
            return Owner(root, port)
    return None


@dataclass(frozen=True, slots=True)
class Companions:
    """The companions registered in an index."""

    index: Index

    def find(self, table: TableRecord) -> TableRecord | None:
        """Return the companion of a table; None if it has none."""
        if format_of(table.format).companion is None:
            return None
        with self.index.database.reading() as session:
            return find_companion(session, table.table_id)

    def owner(self, companion: TableRecord) -> TableRecord:
        """Return the table that a companion belongs to.

        Raises:
            TableNotFound: it was removed.
        """
        with self.index.database.reading() as session:
            return owner_of(session, companion)

    def follow(self, table: TableRecord, metadata: TableMetadata) -> None:
        """Create, move, remove or withdraw a table's companion as the table's newest metadata requires."""
        rules = format_of(table.format).companion
        if rules is None:
            return
        known = self.find(table)
        location = self._location(rules, table, metadata)
        if location is None:
            if known is not None:
                with self.index.database.session() as session:
                    remove_companion(session, table.table_id)
            return
        if known is None or known.location != location:
            with self.index.database.session() as session:
                known = set_companion(session, table, location, rules.format)
        if known.metadata_location is not None and known.current_snapshot_id is not None:
            snapshots = {s.snapshot_id: s for s in metadata.snapshots if s.branch == MAIN}
            shown = self._snapshot(known, known.current_snapshot_id)
            if shown is not None:
                fault = _fault(rules, shown, metadata.current_snapshot_id, snapshots.get(shown.snapshot_id))
                if fault is not None:
                    self.withdraw(known, fault)

    def fault(self, companion: TableRecord, metadata: TableMetadata) -> str | None:
        """Return why a companion's metadata does not match its table as of that table's last look; None if it does."""
        shown = next((s for s in metadata.snapshots if s.snapshot_id == metadata.current_snapshot_id), None)
        if shown is None:
            return None
        owner = self.owner(companion)
        rules = format_of(owner.format).companion
        assert rules is not None, "companions belong to tables of formats that have them"
        return _fault(rules, shown, owner.current_snapshot_id, self._snapshot(owner, shown.snapshot_id))

    def withdraw(self, companion: TableRecord, reason: str, cause: CatalogError | None = None) -> CompanionNotFound:
        """Withdraw a companion, and return the error that states the reason."""
        if companion.stale_reason != reason:
            _warn(companion.name, companion.format, reason if cause is None else cause)
        with self.index.database.session() as session:
            owner = owner_of(session, companion)
            withdraw_companion(session, companion, reason)
        return _not_found(owner, companion.format, reason)

    def withdraw_missing(self, companion: TableRecord, error: CatalogError) -> CompanionNotFound:
        """Withdraw a companion whose metadata is missing where the options place it, or outside the allowed roots."""
        title = format_of(companion.format).title
        if isinstance(error, LocationRefused):
            reason = f"its {title} metadata is outside the allowed roots"
        else:
            reason = f"its options ask for {title} metadata, which does not exist yet"
        return self.withdraw(companion, reason, error)

    def not_found_error(self, table: TableRecord, format: Format) -> CompanionNotFound:
        """Return the error that states why a table has no companion of a format."""
        rules = format_of(table.format).companion
        if rules is None or rules.format != format:
            return _not_found(table, format, "tables of its format carry no such metadata")
        reason = f"its option {rules.option} is not set"
        try:
            with self.index.database.reading() as session:
                metadata = load_metadata(session, table.table_id)
                if rules.location(metadata.location, metadata.properties) is not None:
                    reason = f"its {format_of(format).title} metadata has not been read yet"
        except CatalogError as error:
            reason = str(error)
        return _not_found(table, format, reason)

    def _location(self, rules: CompanionRules, table: TableRecord, metadata: TableMetadata) -> str | None:
        try:
            return rules.location(metadata.location, metadata.properties)
        except FormatUnsupported as error:
            _warn(table.name, rules.format, error)
            return None

    def _snapshot(self, table: TableRecord, snapshot_id: int) -> Snapshot | None:
        try:
            with self.index.database.reading() as session:
                return get_snapshot(session, table.table_id, snapshot_id).snapshot
        except SnapshotNotFound:
            return None


def _fault(rules: CompanionRules, shown: Snapshot, newest: int | None, same: Snapshot | None) -> str | None:
    """Return why a companion's snapshot does not belong to its table; None if it does.

    Args:
        shown: the companion's snapshot.
        newest: the id of the table's newest snapshot.
        same: the table's snapshot with the id of ``shown``, if any.
    """
    title = format_of(rules.format).title
    if newest is None or shown.snapshot_id > newest:
        return f"its {title} metadata is of snapshot {shown.snapshot_id}, which was rolled back"
    if same is not None and not rules.is_made_of(shown, same):
        return f"its {title} metadata is of another snapshot {shown.snapshot_id}, from before a rollback"
    return None


def _not_found(table: TableRecord, format: Format, reason: str) -> CompanionNotFound:
    own, other = format_of(table.format).title, format_of(format).title
    return CompanionNotFound(f"{table.name} is {_a(own)} table, not shown as {_a(other)} table: {reason}")


def _warn(name: str, format: Format, reason: str | CatalogError) -> None:
    LOG.warning("%s is not shown as %s table: %s", name, _a(format_of(format).title), reason)


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"
