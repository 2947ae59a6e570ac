"""Compute and store the health of tables, and answer requests from the stored results.

Components that follow from metadata and manifest lists are stored in the transaction that publishes a snapshot. The
others need all entries of the current snapshot, or change with time: a background job computes them, and a request or a
command does so itself where that is quick.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy.orm import Session

from lakemuster.catalog.health_documents import health_out
from lakemuster.catalog.services import Services
from lakemuster.catalog.statistics import figures_of_questions, questions_of
from lakemuster.errors import CatalogError, FormatUnsupported, TableNotFound
from lakemuster.index.database import current_ms
from lakemuster.index.health import (
    HISTORY_DAYS,
    LONGEST_PAUSE_MS,
    MetadataState,
    StoredHealth,
    files_if_due,
    history,
    is_due,
    load_health,
    published_table,
    store_health,
)
from lakemuster.index.snapshots import SnapshotRecord, list_snapshots, snapshot_manifests
from lakemuster.index.table_record import TableRecord
from lakemuster.index.tables import load_metadata, tables_by_id
from lakemuster.ingest.index import Indexed
from lakemuster.ingest.list_reading import RETRYABLE
from lakemuster.metadata.health import Measured
from lakemuster.metadata.snapshot import MAIN, ManifestHeader, TableMetadata
from lakemuster.planner.health import components
from lakemuster.planner.health.commands import Commands
from lakemuster.planner.health.layout import layout_of
from lakemuster.planner.health.rules import HEALTH_RULES, TableState
from lakemuster.planner.history.expiry import ExpiryState, Policy
from lakemuster.planner.history.rules import HISTORY_RULES
from lakemuster.planner.manifest_list import LIVE_ROLES
from lakemuster.planner.view import View
from lakemuster.table_settings import TableRules
from lakemuster.wire.native.health import HealthOut

__all__ = ["HISTORY_DAYS", "evaluate", "health_document", "health_of", "health_recorder"]

QUICK_FILES = 10_000
"""A request computes the health of tables with fewer live files itself."""
FILE_COMPONENTS = ("small_files", "delete_debt", "skew")
"""The components that are unknown, with a reason, if the entries of the current snapshot cannot be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table's stored state, read in one transaction.

    Attributes:
        manifests: the data and delete manifests of the current snapshot; None if it is not published.
    """

    table: TableRecord
    metadata: TableMetadata
    records: Sequence[SnapshotRecord]
    manifests: Sequence[ManifestHeader] | None
    now_ms: int

    @property
    def current(self) -> SnapshotRecord | None:
        """The current snapshot of main."""
        return _current(self.metadata, self.records)


def _current(metadata: TableMetadata, records: Sequence[SnapshotRecord]) -> SnapshotRecord | None:
    wanted = (MAIN, metadata.current_snapshot_id)
    return next((one for one in records if (one.snapshot.branch, one.snapshot.snapshot_id) == wanted), None)


def evaluate(services: Services, table_id: int, now_ms: int | None = None) -> bool:
    """Compute the health of a table from the index, and store it. The table's pointer is not read.

    Args:
        now_ms: Unix milliseconds; None for the database's time.

    Returns:
        whether it was stored; False if the table has changed or was removed meanwhile.

    Raises:
        TableNotFound: the table was removed, or its metadata was never read.
        StorageUnavailable, StorageDenied, IndexUnavailable: the entries of the current snapshot cannot be read now, or
            the database does not answer; the stored health stays.
    """
    found = _found(services, table_id, now_ms)
    rules = services.refresher.rules_of(found.table.name)
    measured = list(_measured(services, found, rules))
    state = MetadataState(found.metadata.metadata_location, found.metadata.current_snapshot_id)
    due_at_ms = found.now_ms + _pause_ms(measured, rules)
    with services.index.database.session() as session:
        stored = store_health(
            session, table_id, state, measured, rules.health, found.now_ms, whole=True, due_at_ms=due_at_ms
        )
    return stored is not None


def health_of(services: Services, name: str, *, always: bool = False) -> tuple[TableRecord, StoredHealth, str | None]:
    """Return a fresh table, its health, and the reason if the health is not of its newest state.

    Args:
        always: compute it now, however large the table is; otherwise only if it is due and quick to compute, and the
            segment store answers.
    """
    table, _, stale = services.fresh(name)
    with services.index.database.reading() as session:
        found, files = load_health(session, table.table_id), files_if_due(session, table.table_id)
    if always or (files is not None and files < QUICK_FILES):
        with contextlib.nullcontext() if always else contextlib.suppress(*RETRYABLE):
            evaluate(services, table.table_id)
        with services.index.database.reading() as session:
            found = load_health(session, table.table_id)
    return table, found, stale


def health_document(services: Services, name: str, days: int | None, *, always: bool = False) -> HealthOut:
    """Return the response of ``/tables/{table}/health``.

    Args:
        days: the length of the history; None for no history.
        always: compute it now, however large the table is.
    """
    table, found, stale = health_of(services, name, always=always)
    with services.index.database.reading() as session:
        shown = None if days is None else history(session, table.table_id, days, current_ms(session))
        due = is_due(session, table.table_id)
    return health_out(table.name, found, shown, stale, is_due=due)


def health_recorder(services: Services) -> Callable[[Session, int, TableMetadata, Sequence[Indexed]], None]:
    """Return a function that stores the health that new metadata determines, in the transaction that publishes it."""
    return partial(_record, services)


def _record(
    services: Services, session: Session, table_id: int, metadata: TableMetadata, indexed: Sequence[Indexed]
) -> None:
    wanted = (MAIN, metadata.current_snapshot_id)
    own = next((one for one in indexed if (one.snapshot.branch, one.snapshot.snapshot_id) == wanted), None)
    if own is None:
        # The current snapshot was published earlier: the job computes its health.
        return
    table = published_table(session, table_id)
    if table is None:
        return
    rules = services.refresher.rules_of(table.name)
    manifests = None
    if own.error is None:
        manifests = [one.header for one in own.manifests if one.role in LIVE_ROLES]
    state = TableState(
        metadata,
        [one for one in metadata.snapshots if one.branch == MAIN],
        manifests,
        table.quarantined,
        None if own.error is None else f"{own.error.code}: {own.error}",
        table.now_ms,
        Commands.of(table.name, table.location, rules.spark_catalog),
    )
    of = MetadataState(metadata.metadata_location, metadata.current_snapshot_id)
    store_health(session, table_id, of, list(_of_metadata(state)), rules.health, state.now_ms, whole=False)


def _found(services: Services, table_id: int, now_ms: int | None) -> Found:
    with services.index.database.reading() as session:
        tables = tables_by_id(session, [table_id])
        if not tables:
            raise TableNotFound("the table is not registered", table_id=table_id)
        metadata = load_metadata(session, table_id)
        records = list_snapshots(session, table_id)
        current = _current(metadata, records)
        manifests = None
        if current is not None and current.state == "published":
            listed = snapshot_manifests(session, current.row_id)
            manifests = [one.header for one in listed if one.role in LIVE_ROLES]
        elif metadata.current_snapshot_id is None:
            manifests = []
        return Found(tables[0], metadata, records, manifests, current_ms(session) if now_ms is None else now_ms)


def _measured(services: Services, found: Found, rules: TableRules) -> Iterator[Measured]:
    """Measure all components."""
    current, metadata = found.current, found.metadata
    state = TableState(
        metadata,
        [one.snapshot for one in found.records if one.snapshot.branch == MAIN],
        found.manifests,
        sum(one.state == "quarantined" for one in found.records),
        None if current is None or current.state != "quarantined" else current.error,
        found.now_ms,
        _commands(found.table, rules),
    )
    yield from _of_metadata(state)
    of_format = HEALTH_RULES.of(found.table)
    try:
        retention = HISTORY_RULES.of(found.table).retention(
            ExpiryState(found.table, metadata, found.records, found.now_ms), Policy()
        )
        yield from of_format.of_history(state, retention)
    except FormatUnsupported:
        pass
    yield from _of_files(services, found, state, rules)


def _of_metadata(state: TableState) -> Iterator[Measured]:
    yield components.staleness(state)
    yield components.quarantine(state)
    yield from HEALTH_RULES.of(state.metadata).of_metadata(state)


def _of_files(services: Services, found: Found, state: TableState, rules: TableRules) -> Iterator[Measured]:
    current, of_format = found.current, HEALTH_RULES.of(found.table)
    reason = None
    if current is not None and current.state == "known":
        reason = "the current snapshot is not indexed yet"
    elif current is not None and current.state == "quarantined":
        reason = "the current snapshot cannot be read"
    else:
        view = View(found.table, found.metadata, current)
        try:
            questions = questions_of(services, view, None, "any")
            statistics = figures_of_questions(questions, rules.target_file_size)
            layout = layout_of(questions, statistics, rules.target_file_size, of_format.sorted_by(found.metadata))
            measured = list(of_format.of_files(state, layout))
        except RETRYABLE:
            # An outage is no change of the table's health.
            raise
        except CatalogError as error:
            reason = f"{error.code}: {error}"
        else:
            yield from measured
            return
    for name in FILE_COMPONENTS:
        yield Measured(name, None, components.UNITS[name], reason=reason)


def _commands(table: TableRecord, rules: TableRules) -> Commands:
    return Commands.of(table.name, table.location, rules.spark_catalog)


def _pause_ms(measured: Sequence[Measured], rules: TableRules) -> int:
    """Return the time until the health is due again: at a threshold of staleness, but after an hour at most."""
    threshold = rules.health.thresholds["staleness"]
    age = next((one.value for one in measured if one.name == "staleness"), None)
    limits = [one for one in (threshold.warning, threshold.critical) if one is not None]
    left = [round((limit - age) * 1000) for limit in limits if age is not None and limit > age]
    return max(1000, min([LONGEST_PAUSE_MS, *left]))
