"""Step 3 of a refresh, publish: make indexed snapshots visible to queries, or quarantine them with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from lakemuster import tracing
from lakemuster.errors import CatalogError, CompanionNotFound, DecodeFailed, RefreshBusy, TableNotFound
from lakemuster.index.database import Database
from lakemuster.index.leases import Lease
from lakemuster.index.retries import schedule
from lakemuster.index.snapshots import publish, quarantine, row_id_of
from lakemuster.index.tables import TableRecord, record_look, store_metadata
from lakemuster.ingest.index import Indexed
from lakemuster.ingest.quarantine_reasons import is_outside
from lakemuster.metadata.snapshot import MAIN, Snapshot, TableMetadata

DECODES = 3
"""Maximum retries of a snapshot whose decoder crashed, timed out or ran out of memory."""


HealthRecorder = Callable[[Session, int, TableMetadata, Sequence[Indexed]], None]
"""Stores a table's health figures from new metadata, in the transaction that publishes the metadata.

Its arguments are the session, the table's id, the metadata, and the snapshots published or quarantined with it.
"""


@dataclass(slots=True)
class Publisher:
    """Publishes snapshots of one table under its lease.

    Attributes:
        published: the snapshots made visible.
        quarantined: the snapshots that cannot be read, with the reasons.
        health: stores health figures from new metadata.
    """

    database: Database
    lease: Lease
    health: HealthRecorder | None = None
    published: list[Snapshot] = field(default_factory=list)
    quarantined: list[tuple[Snapshot, str]] = field(default_factory=list)

    def publish_each(self, snapshots: Iterable[Indexed]) -> None:
        """Publish or quarantine snapshots that the index already has, each as soon as it is indexed."""
        for one in snapshots:
            with tracing.span("publish", snapshots=1), self.database.session() as session:
                self._publish(session, one)

    def publish_metadata(self, metadata: TableMetadata, token: str, looked_at_ms: int) -> None:
        """Make a table's first metadata visible; its snapshots are published later.

        Args:
            token: the token of the pointer that named the metadata.
            looked_at_ms: when the pointer was read, by the database's clock.
        """
        with self.database.session() as session:
            store_metadata(session, self.lease.table_id, metadata, looked_at_ms, pointer=token, lease=self.lease)

    def publish_state(
        self,
        metadata: TableMetadata,
        token: str,
        looked_at_ms: int,
        snapshots: Sequence[Indexed],
        *,
        is_metadata_visible: bool,
    ) -> None:
        """Make metadata and the snapshots that its refs name visible, in one transaction.

        Args:
            token, looked_at_ms: as in :meth:`publish_metadata`.
            is_metadata_visible: whether the metadata was published before.
        """
        table_id = self.lease.table_id
        with tracing.span("publish", snapshots=len(snapshots)), self.database.session() as session:
            if not is_metadata_visible:
                store_metadata(session, table_id, metadata, looked_at_ms, pointer=token, lease=self.lease)
            for one in snapshots:
                self._publish(session, one)
            current = (MAIN, metadata.current_snapshot_id)
            for snapshot, reason in self.quarantined:
                if (snapshot.branch, snapshot.snapshot_id) == current:
                    record_look(session, table_id, looked_at_ms, reason)
            if self.health is not None:
                self.health(session, table_id, metadata, snapshots)

    def _publish(self, session: Session, one: Indexed) -> None:
        row_id = row_id_of(session, self.lease.table_id, one.snapshot.snapshot_id, one.snapshot.branch)
        if one.error is None:
            publish(session, self.lease, row_id, one.manifests, one.dead, live=one.live, warnings=one.warnings)
            self.published.append(one.snapshot)
        else:
            text = f"{one.error.code}: {one.error}"
            before = quarantine(session, self.lease, row_id, text)
            if isinstance(one.error, DecodeFailed):
                # The cause may be the machine or the input: retry a few times only.
                is_first = before is None or not before.startswith(f"{one.error.code}: ")
                schedule(session, row_id, DECODES, is_first=is_first)
            elif is_outside(one.error):
                schedule(session, row_id)
            self.quarantined.append((one.snapshot, text))


def mark_stale(database: Database, table: TableRecord, error: CatalogError) -> None:
    """Record why a table could not be refreshed, unless the error does not concern its state."""
    if isinstance(error, RefreshBusy | TableNotFound | CompanionNotFound):
        return
    try:
        with database.session() as session:
            record_look(session, table.table_id, 0, f"{error.code}: {error}")
    except CatalogError:
        return
