"""The job that records an event when a partition becomes ready by a rule of its table."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakemuster.catalog.partition_readiness import Candidate, candidates, current_view, last_commits, ready_by
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError
from lakemuster.index.ready_partitions import ReadyPartition, forget, report_ready, reported_keys
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord, names_by_id, tables_by_id
from lakemuster.jobs.job import Run
from lakemuster.jobs.runner import raised_at
from lakemuster.planner.view import View
from lakemuster.table_settings import ReadinessRule

EVERY_SECONDS = 2.0

LOG = logging.getLogger("lakemuster.jobs")


@dataclass(slots=True)
class _Pending:
    """The partitions of a table at a snapshot, and which are ready.

    Attributes:
        snapshot: the row id of the snapshot; None if the table has none.
        found: its partitions, by rule.
        told: keys of the partitions that are stored as ready, by rule.
        commits: when each pending partition was last committed to.
    """

    view: View
    snapshot: int | None
    records: Sequence[SnapshotRecord]
    found: dict[str, list[Candidate]]
    told: dict[str, set[bytes]]
    commits: Mapping[bytes, int] = field(default_factory=dict)


class TellReadyPartitions:
    """Evaluates the readiness rules of tables; the partitions of a table's snapshot are read once and cached."""

    name = "readiness"
    first_seconds = 0.0

    def __init__(self, services: Services, every_seconds: float = EVERY_SECONDS) -> None:
        self._services = services
        self.every_seconds = every_seconds
        self._pending: dict[int, _Pending] = {}

    def run(self, run: Run) -> str:
        """Evaluate the rules of every table that has any.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        index = self._services.index
        if not any(one.partition_ready for one in self._services.settings.tables.values()):
            return "no table has rules"
        with index.database.reading() as session:
            names = names_by_id(session)
            ruled = {number: rules for number, name in names.items() if (rules := self._rules(name))}
            tables = tables_by_id(session, sorted(ruled))
        incarnations = {table.table_id: table.incarnation for table in tables}
        self._pending = {
            number: one
            for number, one in self._pending.items()
            if number in incarnations and one.view.table.incarnation == incarnations[number]
        }
        told, failed = 0, 0
        for table in tables:
            if not run.goes_on():
                break
            try:
                told += len(self._evaluate(table, ruled[table.table_id]))
            except Exception as error:  # noqa: BLE001 - one table's failure must not affect others
                failed += 1
                self._pending.pop(table.table_id, None)
                reason = error.code if isinstance(error, CatalogError) else f"{type(error).__name__}{raised_at(error)}"
                LOG.warning("the partitions of a table cannot be told to be ready: %s", reason)
        return f"{len(tables)} tables with rules, {told} partitions told, {failed} tables failed"

    def _rules(self, name: str) -> tuple[ReadinessRule, ...]:
        return self._services.settings.of_table(name).partition_ready

    def _evaluate(self, table: TableRecord, rules: Sequence[ReadinessRule]) -> list[ReadyPartition]:
        seen = self._view(table)
        if seen is None:
            return []
        view, records = seen
        pending = self._of_snapshot(view, records, rules)
        ready: list[ReadyPartition] = []
        for rule in rules:
            found = pending.found[rule.title]
            keys = {one.key for one in found} - pending.told.get(rule.title, set())
            ready += ready_by(rule, found, keys, records, view, pending.commits)
        is_new = {rule.title for rule in rules} - pending.told.keys()
        if not ready and not is_new:
            return []
        with self._services.index.database.session() as session:
            told = report_ready(session, table.table_id, view.snapshot_id, [rule.title for rule in rules], ready)
        if told is None:
            return []
        for rule in rules:
            pending.told.setdefault(rule.title, set())
        for one in ready:
            pending.told[one.rule].add(one.key)
        return told

    def _view(self, table: TableRecord) -> tuple[View, Sequence[SnapshotRecord]] | None:
        """Return a table at its current snapshot, and the snapshots of main; None if it is stale or not indexed."""
        before = self._pending.get(table.table_id)
        if before is None or table.stale_reason is not None:
            return current_view(self._services, table)
        known = before.view.table
        if (known.metadata_location, known.generation) != (table.metadata_location, table.generation):
            return current_view(self._services, table)
        return replace(before.view, table=table), before.records

    def _of_snapshot(self, view: View, records: Sequence[SnapshotRecord], rules: Sequence[ReadinessRule]) -> _Pending:
        """Return the partitions at a view's snapshot, which are read once."""
        number = None if view.snapshot is None else view.snapshot.row_id
        before = self._pending.get(view.table.table_id)
        if before is not None and before.snapshot == number and before.view.table.generation == view.table.generation:
            return before
        index, table_id = self._services.index, view.table.table_id
        found = {rule.title: candidates(index, view, rule) for rule in rules}
        present = {one.key for some in found.values() for one in some}
        with index.database.reading() as session:
            told = reported_keys(session, table_id)
        # A partition that disappeared is announced again when it returns.
        gone = set().union(*told.values()) - present
        if gone:
            with index.database.session() as session:
                forget(session, table_id, view.snapshot_id, gone)
        told = {rule: keys - gone for rule, keys in told.items()}
        quiet = {
            one.key
            for rule in rules
            if rule.quiet is not None
            for one in found[rule.title]
            if one.key not in told.get(rule.title, ())
        }
        known = None if before is None or before.snapshot is None else (before.snapshot, before.commits)
        commits = last_commits(index, view, records, quiet, known) if quiet else {}
        made = _Pending(view, number, records, found, told, commits)
        self._pending[table_id] = made
        return made
