"""List every file that registered tables refer to below a location; if references are unknown, refuse and name them.

A table shares a location if its own is below or above it, if its properties direct files there, or if the index has a
file of the table there. The pointer of such a table is read again, and all of its snapshots must be indexed. Other
tables are not read. Attached catalogs are listed first, and their tables count; so do companions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.catalog.attached import is_attached, sync
from lakemuster.catalog.history_indexing import index_needed
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError, FormatUnsupported, NotAuthorised, ReferencesUnknown, TableNotFound
from lakemuster.formats.protocol import Inventory, LookedAt
from lakemuster.formats.registry import format_of
from lakemuster.index.snapshots import SnapshotRecord, list_snapshots
from lakemuster.index.tables import TableRecord, load_metadata, records_where, tables_by_id
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.planner.history.references import REFERENCES, ReferenceState, listed
from lakemuster.planner.history.rules import HISTORY_RULES
from lakemuster.storage.locations import LOCAL, Location, Rewrites, redacted
from lakemuster.storage.spelling import comparable, is_below, local_path
from lakemuster.storage.store import ObjectStore
from lakemuster.wire.native.timeline import IndexingOut

MAX_NAMED = 3
"""Maximum refusals in an error's message; its context has all of them."""
_SAFE = re.compile(r"[A-Za-z0-9_=-]+")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A table, folder or catalog whose references are not all known, and the reason."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def refusal_error(location: str, refusals: Sequence[Refusal]) -> ReferencesUnknown:
    """Return the error that names all reasons."""
    told = "; ".join(map(str, refusals[:MAX_NAMED])) + ("; …" if len(refusals) > MAX_NAMED else "")
    return ReferencesUnknown(
        f"not every file that tables refer to below {redacted(location)} is known: {told}",
        refused=[{"name": one.name, "reason": one.reason} for one in refusals],
        refusals=len(refusals),
    )


@dataclass(frozen=True, slots=True)
class SharedTable:
    """A refreshed and completely indexed table that shares a location, and the store that reads it."""

    state: ReferenceState
    store: ObjectStore
    looked_at: LookedAt


@dataclass(frozen=True, slots=True)
class References:
    """Every reference of the tables that share a location."""

    services: Services
    tables: tuple[SharedTable, ...]

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield batches of ``REFERENCES``; a file may occur more than once, and outside of the location.

        Raises:
            CatalogError: the index or storage does not answer.
        """
        for table in self.tables:
            inventory = format_of(table.state.table.format).inventory
            assert inventory is not None, "a table without it was refused"
            kinds: dict[str, list[str]] = {}
            for kind, location in inventory.documents(table.store, table.looked_at):
                kinds.setdefault(kind, []).append(location)
            for kind, locations in kinds.items():
                yield listed(kind, locations)
            for batch in HISTORY_RULES.of(table.state.table).references(self.services.index, table.state):
                if batch.num_rows:
                    yield batch.cast(REFERENCES)


def references_below(
    services: Services,
    location: str,
    *,
    index: bool = False,
    may: Callable[[Levels], bool] | None = None,
    is_operator: bool = False,
) -> References | IndexingOut:
    """Return what the tables that share a location refer to, as of now.

    Args:
        index: first index the snapshots that are missing; return the progress if that exceeds a request's timeout.
        may: whether the caller may know of a table; None if it may know of all.
        is_operator: every location is allowed.

    Raises:
        ReferencesUnknown: some references are not known; the error says why.
        NotAuthorised: the caller may not know of a table there.
        LocationRefused: the location is not allowed.
    """
    store = services.store.allowing(location) if is_operator else services.store
    store.roots.admit(location)
    question = _Question(services, location, store, may)
    question.sync_catalogs()
    question.look()
    if index and (progress := question.index()) is not None:
        return progress
    tables = question.whole_tables()
    if question.refusals:
        raise refusal_error(location, question.refusals)
    return References(services, tables)


@dataclass(slots=True)
class _Question:
    services: Services
    location: str
    store: ObjectStore
    may: Callable[[Levels], bool] | None
    refusals: list[Refusal] = field(default_factory=list)
    sharing: set[int] = field(default_factory=set)
    """Ids of the tables that share the location."""
    elsewhere: dict[tuple[int, str | None], bool] = field(default_factory=dict)
    """Whether tables outside of the location have files in it, by table id and metadata location."""

    def sync_catalogs(self) -> None:
        for catalog in self.services.refresher.upstreams:
            try:
                sync(self.services.index, catalog)
            except CatalogError as error:
                self._require_right((catalog.name, "\0", "\0"))  # for all of its tables
                self.refusals.append(Refusal(catalog.name, f"the catalog cannot be listed: {error}"))

    def look(self) -> None:
        """Find the tables that share the location, and refresh them."""
        tables = self._registered()
        seen: set[int] = set()
        # A refresh may reveal a table's location, or a companion.
        while unseen := [one for one in tables if one.table_id not in seen and self._must_be_looked_at(one)]:
            own = [one for one in unseen if one.companion_of is None]
            for table, outcome in self.services.refresher.refresh_many(own):
                if isinstance(outcome, CatalogError) and not isinstance(outcome, TableNotFound):
                    self._refuse(table, f"it cannot be looked at: {outcome}")
            for table in unseen:
                if table.companion_of is not None:
                    self._look_at_companion(table)
            seen |= {one.table_id for one in unseen}
            tables = self._registered()
        self.sharing = {one.table_id for one in tables if self._shares(one)}

    def index(self) -> IndexingOut | None:
        for table in self._shared():

            def needed(of: TableRecord = table) -> Sequence[SnapshotRecord]:
                with self.services.index.database.reading() as session:
                    return list_snapshots(session, of.table_id)

            progress = index_needed(self.services, table, needed)
            if progress is not None:
                return progress
        return None

    def whole_tables(self) -> tuple[SharedTable, ...]:
        """Return the tables that share the location; add a refusal for each whose references are not all known."""
        every = self._registered()
        uuids = frozenset(one.uuid for one in every if one.uuid is not None)
        found = (self._whole(table, uuids) for table in self._shared())
        return tuple(one for one in found if one is not None)

    def _whole(self, table: TableRecord, uuids: frozenset[str]) -> SharedTable | None:
        if table.metadata_location is None:
            if table.companion_of is None:
                self._refuse(table, table.stale_reason or "its metadata was never read")
            return None
        if table.stale_reason is not None:
            self._refuse(table, f"its newest state cannot be read: {table.stale_reason}")
        with self.services.index.database.reading() as session:
            metadata, records = load_metadata(session, table.table_id), list_snapshots(session, table.table_id)
        if unknown := [one for one in records if one.state == "known"]:
            self._refuse(table, f"{len(unknown)} of its {len(records)} snapshots are not indexed (--index)")
        for one in [one for one in records if one.state == "quarantined"][:1]:
            self._refuse(table, f"snapshot {one.snapshot.snapshot_id} cannot be read: {one.error}")
        inventory = format_of(table.format).inventory
        if inventory is None:
            self._refuse(table, f"its format, {table.format}, does not tell its files")
            return None
        if (elsewhere := self._recorded_elsewhere(table, metadata, inventory)) is not None:
            self._refuse(table, f"its metadata says that it lies at {elsewhere}: register it with a rewrite")
        store = self.services.refresher.store_for(table)
        pointer = table.pointer or ""
        looked_at = LookedAt(
            metadata,
            [one.snapshot for one in records],
            frozenset(pointer.split(":")[1:]) if not is_attached(table) else frozenset(),
            not is_attached(table) and format_of(table.format).root_of(table.location) is not None,
            Rewrites(table.rewrites).apply,
            uuids,
        )
        try:
            doubt = inventory.doubt(store, looked_at)
        except CatalogError as error:
            doubt = f"it cannot be looked at: {error}"
        if doubt is not None:
            self._refuse(table, doubt)
        return SharedTable(ReferenceState(table, metadata, records), store, looked_at)

    def _recorded_elsewhere(self, table: TableRecord, metadata: TableMetadata, inventory: Inventory) -> str | None:
        """Return the location that the metadata of a copied table records; None if the table is where it says."""
        root = None if is_attached(table) else format_of(table.format).root_of(metadata.metadata_location)
        if root is None:
            return None
        moved = Rewrites(table.rewrites).apply
        recorded = moved(metadata.location)
        own = [recorded, *map(moved, inventory.places(metadata))]
        here = {form for place in own for form in self._forms(place)}
        if any(is_below(form, other) for form in self._forms(root) for other in here):
            return None
        return redacted(recorded)

    def _refuse(self, table: TableRecord, reason: str) -> None:
        self._require_right(parse_name(table.name))
        name = table.name if table.companion_of is None else f"{table.name} ({format_of(table.format).title} metadata)"
        if all(one.name != name for one in self.refusals):
            self.refusals.append(Refusal(name, reason))

    def _registered(self) -> list[TableRecord]:
        with self.services.index.database.reading() as session:
            return records_where(session)

    def _shared(self) -> list[TableRecord]:
        with self.services.index.database.reading() as session:
            found = sorted(tables_by_id(session, sorted(self.sharing)), key=lambda one: (one.name, one.table_id))
        for one in found:
            self._require_right(parse_name(one.name))
        return found

    def _require_right(self, table: Levels) -> None:
        if self.may is not None and not self.may(table):
            raise NotAuthorised("this token may not know of all tables of the location", needs="admin")

    def _look_at_companion(self, table: TableRecord) -> None:
        """Refresh a companion; one without metadata refers to nothing."""
        try:
            self.services.refresher.ensure_fresh(table, now=True)
        except CatalogError as error:
            with self.services.index.database.reading() as session:
                known = tables_by_id(session, [table.table_id])
            if known and known[0].metadata_location is not None:
                self._refuse(table, f"it cannot be looked at: {error}")

    def _must_be_looked_at(self, table: TableRecord) -> bool:
        return self._shares(table) or (is_attached(table) and table.metadata_location is None)

    def _shares(self, table: TableRecord) -> bool:
        here = self._forms(self.location)
        return any(
            is_below(form, other) or is_below(other, form)
            for place in self._places(table)
            for form in self._forms(place)
            for other in here
        ) or self._refers(table, here)

    def _places(self, table: TableRecord) -> Iterator[str]:
        moved = Rewrites(table.rewrites).apply
        if not is_attached(table):
            yield table.location
        for recorded in (table.table_location, table.metadata_location):
            if recorded is not None:
                yield moved(recorded)
                yield recorded
        inventory = format_of(table.format).inventory
        if table.metadata_location is not None and inventory is not None:
            with self.services.index.database.reading() as session:
                metadata = load_metadata(session, table.table_id)
            yield from map(moved, inventory.places(metadata))

    def _forms(self, location: str) -> set[str]:
        """Return the comparable forms of a location: as written and, if local and allowed, with links resolved."""
        try:
            found = {comparable(location)}
            if Location.parse(location).scheme == LOCAL and self.store.roots.hold(Location.parse(location)):
                found.add(comparable(os.path.realpath(local_path(location))))
        except (ValueError, CatalogError):
            return set()
        return found

    def _refers(self, table: TableRecord, here: Collection[str]) -> bool:
        """Return whether the index has a file of the table below the location. The result is cached."""
        key = table.table_id, table.metadata_location
        if key not in self.elsewhere:
            self.elsewhere[key] = table.metadata_location is not None and self._refers_now(table, here)
        return self.elsewhere[key]

    def _refers_now(self, table: TableRecord, here: Collection[str]) -> bool:
        with self.services.index.database.reading() as session:
            metadata, records = load_metadata(session, table.table_id), list_snapshots(session, table.table_id)
        published = [one for one in records if one.state == "published"]
        # Every spelling of a location contains the same runs of letters and digits.
        needles = [re.escape(max(_SAFE.findall(form), key=len, default="")) for form in here]
        try:
            rows = HISTORY_RULES.of(table).references(self.services.index, ReferenceState(table, metadata, published))
        except FormatUnsupported:
            return False
        for batch in rows:
            exact = batch.filter(pc.is_null(batch.column("name"))).column("location")
            for location in exact.filter(pc.match_substring_regex(exact, "|".join(needles))).to_pylist():
                if any(is_below(form, other) for form in self._forms(location) for other in here):
                    return True
        return False
