"""What routes and the local command line call: the catalog's verbs over one index and one store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from lakemuster.api.reused import PageCache
from lakemuster.api.views import ViewCache
from lakemuster.config import Settings
from lakemuster.errors import RefNotFound, RequestInvalid, SnapshotNotFound, SnapshotQuarantined, SnapshotUnpublished
from lakemuster.index import Index
from lakemuster.index.companions import list_iceberg_tables
from lakemuster.index.history import snapshot_at
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot, list_snapshots
from lakemuster.index.tables import TableRecord, find_table, list_tables, load_metadata, remove_table
from lakemuster.ingest.engine import Progress
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.register import Discovered, RewriteRules, discover, register
from lakemuster.ingest.reports import RefreshReport
from lakemuster.metadata.snapshot import MAIN, Format, Ref, TableMetadata
from lakemuster.planner.paimon.reading import Scan
from lakemuster.planner.scan.commits import commits_between
from lakemuster.planner.scan.incremental import appends_between
from lakemuster.planner.view import CURRENT, Selector, View
from lakemuster.storage.store import ObjectStore


@dataclass(frozen=True, slots=True)
class Services:
    """The catalog: settings, index, storage, refresher; and views and pages that were asked for lately."""

    settings: Settings
    index: Index
    store: ObjectStore
    refresher: Refresher
    views: ViewCache = field(default_factory=ViewCache)
    pages: PageCache = field(default_factory=PageCache)

    def close(self) -> None:
        """End decoders and connections."""
        self.refresher.close()

    def tables(self) -> list[TableRecord]:
        """All tables, by name."""
        with self.index.database.reading() as session:
            return list_tables(session)

    def table(self, name: str) -> TableRecord:
        """One table.

        Raises:
            TableNotFound: none of that name.
        """
        return find_table(self.index.database, name)

    def iceberg_tables(self) -> list[TableRecord]:
        """All Iceberg tables, those that are companions of Paimon tables among them, by name."""
        with self.index.database.reading() as session:
            return list_iceberg_tables(session)

    def iceberg_table(self, name: str) -> TableRecord:
        """One Iceberg table; of a Paimon table, its companion.

        Raises:
            TableNotFound: none of that name.
            CompanionNotFound: a Paimon table without Iceberg metadata that can be shown.
            CatalogError: the companion's metadata could never be read.
        """
        table = self.table(name)
        return table if table.format == "iceberg" else self.refresher.companion(table)

    def add(
        self, name: str, location: str, format: Format | None, rewrites: RewriteRules, *, operator: bool = False
    ) -> TableRecord:
        """Register a table after a look at its location."""
        return register(self.index, self.store, name, location, format, rewrites, operator=operator)

    def discover(
        self, url: str, namespace: str | None, rewrites: RewriteRules, *, operator: bool = False
    ) -> Iterator[Discovered]:
        """Register every table below a URL."""
        return discover(self.index, self.store, url, namespace, rewrites, operator=operator)

    def remove(self, name: str) -> None:
        """Forget a table; its files are not touched."""
        with self.index.database.session() as session:
            remove_table(session, name)

    def refresh(self, name: str, progress: Progress | None = None) -> RefreshReport:
        """Look at the table's pointer and index what is new."""
        return self.refresher.refresh(self.table(name), progress)

    def fresh(self, name: str) -> tuple[TableRecord, TableMetadata, str | None]:
        """A table whose pointer was looked at within the allowed staleness, or why it could not be."""
        table, stale = self._looked_at(name)
        with self.index.database.reading() as session:
            return table, load_metadata(session, table.table_id), stale

    def _looked_at(self, name: str, *, iceberg: bool = False, now: bool = False) -> tuple[TableRecord, str | None]:
        find = self.iceberg_table if iceberg else self.table
        before = find(name)
        stale = self.refresher.ensure_fresh(before, now=now)
        return (before if self.refresher.is_fresh(before) and not now else find(name)), stale

    def snapshots(self, name: str) -> tuple[TableRecord, list[SnapshotRecord], str | None]:
        """A fresh table's snapshots, oldest first."""
        table, _, stale = self.fresh(name)
        with self.index.database.reading() as session:
            return table, list_snapshots(session, table.table_id), stale

    def view(self, name: str, selector: Selector = CURRENT, *, iceberg: bool = False) -> View:
        """A table at the chosen snapshot, which is published on return.

        Without a pin, an unreadable newest snapshot gives the last published one, marked stale. A snapshot that is
        asked for by its id and not known may have been committed, by the caller even, after the last look at the
        pointer: it is looked at again, before there is said to be none.

        Args:
            iceberg: the Iceberg table of that name, see :meth:`iceberg_table`.

        Raises:
            TableNotFound, SnapshotNotFound, RefNotFound: no such thing.
            SnapshotQuarantined, SnapshotUnpublished: pinned, and not readable.
        """
        if sum(value is not None for value in (selector.snapshot_id, selector.ref, selector.as_of_ms)) > 1:
            raise RequestInvalid("snapshot, ref and as_of exclude each other")
        table, stale = self._looked_at(name, iceberg=iceberg)
        if stale is None and (kept := self.views.find(table, selector)) is not None:
            return kept
        if stale is None and selector.snapshot_id is None:
            # After a commit, everybody comes at once.
            with self.views.making(table):
                if (kept := self.views.find(table, selector)) is None:
                    kept = self._view(table, stale, selector)
                    self.views.keep(selector, kept)
                return kept
        try:
            view = self._view(table, stale, selector)
        except SnapshotNotFound:
            if selector.snapshot_id is None:
                raise
            table, stale = self._looked_at(name, iceberg=iceberg, now=True)
            view = self._view(table, stale, selector)
        self.views.keep(selector, view)
        return view

    def _view(self, table: TableRecord, stale: str | None, selector: Selector) -> View:
        # Of one state of the index: refreshes change the metadata and what is current together.
        with self.index.database.reading() as session:
            metadata = load_metadata(session, table.table_id)
            record, pinned = self._chosen(session, table, metadata, selector)
        if record is None:
            return View(table, metadata, None, stale)
        if pinned:
            return View(table, metadata, self.refresher.ensure_published(table, record), stale)
        newest = newest_schema_id(metadata, record.snapshot.branch)
        try:
            return View(table, metadata, self.refresher.ensure_published(table, record), stale, newest)
        except (SnapshotQuarantined, SnapshotUnpublished) as error:
            earlier = self._last_published(table, record)
            if earlier is None:
                raise
            return View(table, metadata, earlier, stale or str(error), newest)

    def appended(
        self, name: str, start: int, end: int | None, *, iceberg: bool = False
    ) -> tuple[View, tuple[View, ...]]:
        """What was appended after snapshot ``start`` and up to ``end`` (the current one): its view, and the appends'.

        Raises:
            RequestInvalid: ``start`` is no ancestor of ``end``, or the table is Paimon's.
            SnapshotNotFound, SnapshotQuarantined, SnapshotUnpublished: as :meth:`view`.
        """
        last = self.view(name, Selector(end), iceberg=iceberg)
        if last.table.format != "iceberg":
            raise RequestInvalid("plans between two snapshots are of Iceberg tables")
        if last.snapshot_id is None:
            raise SnapshotNotFound("the table has no snapshots")
        with self.index.database.reading() as session:
            records = list_snapshots(session, last.table.table_id)
        by_id = {record.snapshot.snapshot_id: record for record in records}
        appends = appends_between({number: r.snapshot for number, r in by_id.items()}, start, last.snapshot_id)
        ensure = self.refresher.ensure_published
        views = [replace(last, snapshot=ensure(last.table, by_id[found.snapshot_id])) for found in appends]
        return last, tuple(views)

    def committed(self, name: str, start: int, end: int | None, scan: Scan) -> tuple[View, tuple[View, ...]]:
        """What Paimon's commits after snapshot ``start`` and up to ``end`` wrote: the last one's view, and theirs.

        Raises:
            RequestInvalid: the snapshots do not follow one another, or some have expired.
            SnapshotNotFound, SnapshotQuarantined, SnapshotUnpublished: as :meth:`view`.
        """
        last = self.view(name, Selector(end))
        if last.snapshot is None:
            raise SnapshotNotFound("the table has no snapshots")
        branch, number = last.snapshot.snapshot.branch, last.snapshot.snapshot.snapshot_id
        with self.index.database.reading() as session:
            records = list_snapshots(session, last.table.table_id)
        by_id = {r.snapshot.snapshot_id: r for r in records if r.snapshot.branch == branch}
        followed = commits_between({n: r.snapshot for n, r in by_id.items()}, start, number, scan)
        ensure = self.refresher.ensure_published
        views = [replace(last, snapshot=ensure(last.table, by_id[found.snapshot_id])) for found in followed]
        return last, tuple(views)

    def _chosen(
        self, session: Session, table: TableRecord, metadata: TableMetadata, selector: Selector
    ) -> tuple[SnapshotRecord | None, bool]:
        if selector.snapshot_id is not None:
            return self._find(session, table, selector.snapshot_id), True
        if selector.as_of_ms is not None:
            return snapshot_at(session, table.table_id, selector.as_of_ms), True
        if selector.ref is None or selector.ref == MAIN:
            if metadata.current_snapshot_id is None:
                return None, False
            return get_snapshot(session, table.table_id, metadata.current_snapshot_id, MAIN), False
        ref = self._ref(metadata, selector.ref)
        return get_snapshot(session, table.table_id, ref.snapshot_id, ref.branch), ref.kind == "tag"

    def _find(self, session: Session, table: TableRecord, snapshot_id: int) -> SnapshotRecord:
        """A snapshot by id: of main, or else of the one branch that has it."""
        try:
            return get_snapshot(session, table.table_id, snapshot_id)
        except SnapshotNotFound:
            records = list_snapshots(session, table.table_id)
            found = [record for record in records if record.snapshot.snapshot_id == snapshot_id]
            if len(found) != 1:
                raise
            return found[0]

    def _ref(self, metadata: TableMetadata, name: str) -> Ref:
        for ref in metadata.refs:
            if ref.name == name:
                return ref
        raise RefNotFound(f"no branch or tag {name!r}", ref=name)

    def _last_published(self, table: TableRecord, record: SnapshotRecord) -> SnapshotRecord | None:
        """The newest published ancestor; Paimon's snapshots of a branch follow one another by id."""
        with self.index.database.reading() as session:
            records = list_snapshots(session, table.table_id)
        by_id = {r.snapshot.snapshot_id: r for r in records if r.snapshot.branch == record.snapshot.branch}
        if table.format == "paimon":
            older = [r for i, r in by_id.items() if i < record.snapshot.snapshot_id and r.state == "published"]
            return max(older, key=lambda r: r.snapshot.snapshot_id, default=None)
        seen: set[int] = set()
        parent = record.snapshot.parent_id
        while parent is not None and parent not in seen:
            seen.add(parent)
            ancestor = by_id.get(parent)
            if ancestor is None:
                return None
            if ancestor.state == "published":
                return ancestor
            parent = ancestor.snapshot.parent_id
        return None


def newest_schema_id(metadata: TableMetadata, branch: str) -> int:
    """The schema that a branch has now. Iceberg's branches have the table's."""
    own = metadata.branch_schemas.get(branch)
    return max(schema.schema_id for schema in own) if own else metadata.current_schema_id
