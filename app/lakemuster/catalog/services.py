"""The catalog's operations on one index and one store, called by routes and the local command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from lakemuster.catalog import table_formats as _registered  # noqa: F401
from lakemuster.catalog.attached import Changed, attach, record_changes
from lakemuster.catalog.branches import with_second
from lakemuster.catalog.catalog_rules import CATALOG_RULES, FollowedSnapshots
from lakemuster.catalog.chosen_snapshots import last_published, newest_schema_id, resolve
from lakemuster.catalog.page_tokens import Pin
from lakemuster.catalog.plan_page_cache import PageCache
from lakemuster.catalog.recent_plans import RecentPlans
from lakemuster.catalog.token_signing import TokenSigner
from lakemuster.catalog.view_cache import ViewCache
from lakemuster.config import Settings
from lakemuster.errors import (
    CatalogError,
    LookFailed,
    NotFound,
    PageTokenInvalid,
    RefNotFound,
    RequestInvalid,
    SnapshotNotFound,
    SnapshotQuarantined,
    SnapshotUnpublished,
    StorageError,
    TableNotFound,
)
from lakemuster.index import Index
from lakemuster.index.leases import held_leases
from lakemuster.index.signing import signing_key
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot, list_snapshots
from lakemuster.index.tables import (
    TableRecord,
    find_table,
    find_table_nowait,
    list_tables,
    load_metadata,
    remove_table,
    similar_names,
)
from lakemuster.ingest.engine import Progress
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.register import Discovered, RewriteRules, discover, register
from lakemuster.ingest.reports import RefreshReport
from lakemuster.ingest.table_locations import require_known_location, require_location
from lakemuster.metadata.names import Levels
from lakemuster.metadata.snapshot import MAIN, Format, TableMetadata
from lakemuster.planner.view import CURRENT, Selector, View
from lakemuster.storage.store import ObjectStore

T = TypeVar("T")

MAX_SIMILAR_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class Services:
    """The catalog: settings, index, storage, refresher, caches of views and pages, and recent plans."""

    settings: Settings
    index: Index
    store: ObjectStore
    refresher: Refresher
    views: ViewCache = field(default_factory=ViewCache)
    pages: PageCache = field(default_factory=PageCache)
    recent_plans: RecentPlans = field(default_factory=RecentPlans)

    def close(self) -> None:
        """Stop decoders and close connections."""
        self.refresher.close()

    def token_signer(self) -> TokenSigner:
        """Return the signer of page and plan tokens; all replicas share its key."""
        with self.index.database.session() as session:
            return TokenSigner(signing_key(session))

    def tables(self, namespace: str | None = None) -> list[TableRecord]:
        """Return all tables, or those of one namespace, by name; those whose last look failed are marked stale."""
        with self.index.database.reading() as session:
            tables = list_tables(session, namespace)
        return [self.with_failure(table) for table in tables]

    def held_leases(self) -> int:
        """Return how many tables' leases this process holds."""
        return held_leases(self.index.database)

    def with_failure(self, table: TableRecord) -> TableRecord:
        """Return a table, marked stale if its last look by this process failed."""
        error = self.refresher.failure(table)
        if error is None or table.stale_reason is not None:
            return table
        return replace(table, stale_reason=f"{error.code}: {error}")

    def table(self, name: str) -> TableRecord:
        """Return one table.

        Raises:
            TableNotFound: no table has that name.
            UpstreamFailed: its catalog must be queried, and does not answer.
        """
        try:
            return find_table(self.index.database, name)
        except TableNotFound:
            found = attach(self.index, self.refresher.upstreams, name)
            if found is None:
                raise
            return found

    def peek(self, name: str) -> TableRecord | None:
        """Return a table by name, None if the database cannot answer at once; raise TableNotFound if it is missing."""
        return find_table_nowait(self.index.database, name)

    def similar_names(self, name: Levels, format: Format | None) -> list[str]:
        """Return at most ``MAX_SIMILAR_NAMES`` names of tables that resemble a name; see :func:`similar_names`."""
        with self.index.database.reading() as session:
            return similar_names(session, name, format, MAX_SIMILAR_NAMES)

    def iceberg_table(self, name: str) -> TableRecord:
        """Return one Iceberg table; for a Paimon table, its companion.

        Raises:
            TableNotFound: no table has that name.
            CompanionNotFound: a Paimon table without Iceberg metadata that can be served.
            CatalogError: the companion's metadata could never be read.
        """
        table = self.table(name)
        return table if CATALOG_RULES.of(table).is_iceberg else self.refresher.companion(table, "iceberg")

    def add(
        self,
        name: str,
        location: str,
        format: Format | None,
        rewrites: RewriteRules,
        *,
        operator: bool = False,
        confined_to: Sequence[str] | None = None,
    ) -> TableRecord:
        """Register a table after reading its pointer; see :func:`register`."""
        given, catalogs = (name, location, format, rewrites), self.refresher.upstreams
        return register(self.index, self.store, *given, operator=operator, confined_to=confined_to, catalogs=catalogs)

    def discover(
        self, url: str, namespace: str | None, rewrites: RewriteRules, *, operator: bool = False
    ) -> Iterator[Discovered]:
        """Register every table below a URL."""
        catalogs = self.refresher.upstreams
        return discover(self.index, self.store, url, namespace, rewrites, operator=operator, catalogs=catalogs)

    def note_changes(self, catalog: str, changes: Sequence[Changed]) -> None:
        """Mark tables of an attached catalog as changed by a commit, for this process's requests. No I/O."""
        for one in changes:
            self.refresher.note_change(one.location(catalog), is_prefix=one.is_namespace)

    def mark_changed(self, catalog: str, changes: Sequence[Changed]) -> bool:
        """Mark tables as changed for the requests of all processes; see :func:`record_changes`."""
        return record_changes(self.index, catalog, changes)

    def remove(self, name: str) -> None:
        """Unregister a table; its files are not touched."""
        with self.index.database.session() as session:
            remove_table(session, name)

    def refresh(self, name: str, progress: Progress | None = None) -> RefreshReport:
        """Read the table's pointer, and index what is new."""
        table = self.table(name)
        require_location(self.store.confinement, table)
        return self.refresher.refresh(table, progress)

    def refresh_many(self, names: Sequence[str]) -> Iterator[tuple[str, RefreshReport | CatalogError]]:
        """Refresh tables concurrently; yield the name of each with its report or failure, as they complete.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        with self.index.database.reading() as session:
            registered = {table.name: table for table in list_tables(session)}
        tables: list[TableRecord] = []
        for name in dict.fromkeys(names):
            try:
                table = registered.get(name) or self.table(name)
                require_location(self.store.confinement, table)
                tables.append(table)
            except CatalogError as error:
                yield name, error
        for table, outcome in self.refresher.refresh_many(tables):
            yield table.name, outcome

    def fresh(self, name: str) -> tuple[TableRecord, TableMetadata, str | None]:
        """Return a table read within the allowed staleness, its metadata, and why the look failed if it did."""
        table, stale = self._looked_at(name)
        with self.index.database.reading() as session:
            return table, load_metadata(session, table.table_id), stale

    def catch_up(self, table: TableRecord) -> None:
        """Read a table's pointer again, and wait as long as if no earlier state were known.

        Raises:
            TableNotFound: the table is no longer registered.
        """
        self.refresher.ensure_fresh(table, now=True)

    def metadata(self, table: TableRecord) -> TableMetadata:
        """Return a table's metadata as of the last look.

        Raises:
            TableNotFound: its metadata was never read.
        """
        with self.index.database.reading() as session:
            return load_metadata(session, table.table_id)

    def found(self, name: str, find: Callable[[TableRecord, TableMetadata], T]) -> tuple[T, str | None]:
        """Return what ``find`` finds in a fresh table, and the reason if that is not its newest state.

        A missing item may have been committed after the last look: the table's pointer is read again before NotFound
        is raised.

        Raises:
            NotFound: raised by ``find`` after the pointer was read successfully.
            LookFailed: the item is unknown, and the table's pointer cannot be read.
        """
        table, metadata, stale = self.fresh(name)
        try:
            return find(table, metadata), stale
        except NotFound:
            table, stale = self._looked_at(name, now=True)
        with self.index.database.reading() as session:
            metadata = load_metadata(session, table.table_id)
        with self._certain(table, stale):
            return find(table, metadata), stale

    @contextmanager
    def _certain(self, table: TableRecord, stale: str | None) -> Iterator[None]:
        """Raise LookFailed instead of NotFound if the last look failed, since the item may exist."""
        try:
            yield
        except NotFound as error:
            if self.refresher.is_certain(table, stale):
                raise
            raise LookFailed(f"{error}, as far as known: {stale}", **error.context) from error

    def _looked_at(self, name: str, *, iceberg: bool = False, now: bool = False) -> tuple[TableRecord, str | None]:
        find = self.iceberg_table if iceberg else self.table
        before = find(name)
        require_location(self.store.confinement, before)
        stale = self.refresher.ensure_fresh(before, now=now)
        found = before if self.refresher.is_fresh(before) and not now else find(name)
        require_known_location(self.store.confinement, found)
        return found, stale

    def snapshots(self, name: str) -> tuple[TableRecord, list[SnapshotRecord], str | None]:
        """Return a fresh table's snapshots, oldest first."""
        table, _, stale = self.fresh(name)
        with self.index.database.reading() as session:
            return table, list_snapshots(session, table.table_id), stale

    def known_snapshots(self, table: TableRecord, branch: str) -> list[SnapshotRecord]:
        """Return the snapshots of one branch as of the last look, oldest first."""
        with self.index.database.reading() as session:
            return list_snapshots(session, table.table_id, branch)

    def heads(self, table: TableRecord, snapshot_ids: Mapping[str, int]) -> dict[str, SnapshotRecord]:
        """Return one snapshot of each given branch, from one state of the index.

        Raises:
            SnapshotNotFound: a branch does not have its snapshot.
        """
        with self.index.database.reading() as session:
            own = table.table_id
            return {branch: get_snapshot(session, own, number, branch) for branch, number in snapshot_ids.items()}

    def view(self, name: str, selector: Selector = CURRENT, *, iceberg: bool = False) -> View:
        """Return a table at the chosen snapshot, which is published on return.

        Without a pin, an unreadable newest snapshot is replaced by the last published one, marked stale. A snapshot
        or ref that is not known may have been committed after the last look at the pointer, perhaps by the caller: the
        pointer is read again before SnapshotNotFound or RefNotFound is raised.

        Args:
            iceberg: return the Iceberg table of that name, see :meth:`iceberg_table`.

        Raises:
            TableNotFound, SnapshotNotFound, RefNotFound: no such table, snapshot or ref.
            LookFailed: the snapshot or ref is unknown, and the table's pointer cannot be read.
            SnapshotQuarantined, SnapshotUnpublished: it is not readable, and is pinned or has no older replacement.
        """
        if sum(value is not None for value in (selector.snapshot_id, selector.ref, selector.as_of_ms)) > 1:
            raise RequestInvalid("snapshot, ref and as_of are mutually exclusive")
        table, stale = self._looked_at(name, iceberg=iceberg)
        if (kept := self.views.get(table, selector)) is not None:
            return kept if stale is None else replace(kept, stale=stale)
        try:
            if selector.snapshot_id is not None:
                return self._cached_view(table, stale, selector)
            # After a commit, many requests arrive at once: one of them makes the view.
            with nullcontext() if stale is not None else self.views.making(table):
                if stale is None and (kept := self.views.get(table, selector)) is not None:
                    return kept
                return self._cached_view(table, stale, selector)
        except (SnapshotNotFound, RefNotFound):
            table, stale = self._looked_at(name, iceberg=iceberg, now=True)
        with self._certain(table, stale):
            return self._cached_view(table, stale, selector)

    def known_view(self, table: TableRecord) -> View:
        """Return a table's current view as of the last look."""
        return self.views.get(table, CURRENT) or self._cached_view(table, None, CURRENT)

    def pinned(self, table: TableRecord, pin: Pin) -> View:
        """Return the view that a page token pins, without reading the table's pointer.

        Raises:
            PageTokenInvalid: the snapshot no longer exists.
        """
        if (kept := self.views.get(table, pin)) is not None:
            return kept
        with self.index.database.reading() as session:
            try:
                record = get_snapshot(session, table.table_id, pin.snapshot_id, pin.branch)
            except SnapshotNotFound:
                record = None
            metadata = load_metadata(session, table.table_id)
        if record is None or record.row_id != pin.row_id:
            raise PageTokenInvalid("the snapshot of this page token no longer exists: start again with the first page")
        view = View(table, metadata, self.refresher.ensure_published(table, record), schema_id=pin.schema_id)
        self.views.put(pin, view)
        return view

    def _cached_view(self, table: TableRecord, stale: str | None, selector: Selector) -> View:
        view = self._view(table, stale, selector)
        self.views.put(selector, view)
        return view

    def _view(self, table: TableRecord, stale: str | None, selector: Selector) -> View:
        view = self._own_view(table, stale, selector)
        snapshots = partial(self.known_snapshots, table)
        return with_second(view, selector, snapshots, lambda record: self.refresher.ensure_published(table, record))

    def _own_view(self, table: TableRecord, stale: str | None, selector: Selector) -> View:
        # Read both from one state of the index: refreshes change the metadata and the current snapshot together.
        with self.index.database.reading() as session:
            metadata = load_metadata(session, table.table_id)
            record, pinned = resolve(session, table, metadata, selector)
        if record is None:
            branch = selector.ref or MAIN
            return View(table, metadata, None, stale, newest_schema_id(metadata, branch), branch=branch)
        if pinned:
            return View(table, metadata, self.refresher.ensure_published(table, record), stale)
        newest = newest_schema_id(metadata, record.snapshot.branch)
        if record.state == "published":
            return View(table, metadata, record, stale, newest)
        earlier = last_published(self.index, table, record)
        try:
            record = self.refresher.ensure_published(table, record, is_replaceable=earlier is not None)
            return View(table, metadata, record, stale, newest)
        except (SnapshotQuarantined, SnapshotUnpublished, StorageError) as error:
            # Meanwhile another server may have published a newer one, and removed this one.
            earlier = last_published(self.index, table, record)
            if earlier is None:
                raise
            return View(table, metadata, earlier, stale or str(error), newest)

    def followed(
        self, name: str, end: int | None, follow: FollowedSnapshots, *, iceberg: bool = False
    ) -> tuple[View, tuple[View, ...]]:
        """Return the view of snapshot ``end`` (by default the current one), and the views of the snapshots to follow.

        Args:
            follow: chooses them among the snapshots of the view's branch; its exceptions propagate.

        Raises:
            SnapshotNotFound, SnapshotQuarantined, SnapshotUnpublished: see :meth:`view`.
        """
        last = self.view(name, Selector(end), iceberg=iceberg)
        if last.snapshot is None:
            raise SnapshotNotFound("the table has no snapshots")
        own = last.snapshot.snapshot
        with self.index.database.reading() as session:
            records = list_snapshots(session, last.table.table_id)
        by_id = {r.snapshot.snapshot_id: r for r in records if r.snapshot.branch == own.branch}
        followed = follow({number: r.snapshot for number, r in by_id.items()}, own.snapshot_id)
        ensure = self.refresher.ensure_published
        views = [replace(last, snapshot=ensure(last.table, by_id[found.snapshot_id])) for found in followed]
        return last, tuple(views)
