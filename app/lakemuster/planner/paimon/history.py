"""Paimon's rules of a table's history."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow.compute as pc

from lakemuster.index import Index
from lakemuster.metadata.files import ADDED, DELETED
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.history.rules import ChangedEntries, HistoryRules
from lakemuster.planner.manifest_list import parts
from lakemuster.planner.paimon.expired_files import expired_files
from lakemuster.planner.paimon.references import references
from lakemuster.planner.paimon.retention import retention
from lakemuster.planner.view import View


def delta_entries(index: Index, _old: View | None, new: View) -> ChangedEntries:
    """Return the entries of a snapshot's delta list, which are its changes to the snapshot before it.

    Source: Paimon specification, "Snapshot": ``deltaManifestList``.
    """
    added, removed = [], []
    for part in parts(index, new, {"delta"}):
        segment = index.segments.open(part.manifest.segment)
        table = segment.table([name for name in segment.names if "." not in name or name.startswith("partition.")])
        added.append((part, table.filter(pc.equal(table.column("status"), ADDED))))
        removed.append((part, table.filter(pc.equal(table.column("status"), DELETED))))
    return added, removed


def writer_figures(snapshot: Snapshot) -> Mapping[str, int]:
    """Return the figures that a snapshot file records."""
    total = snapshot.extra.get("total_record_count")
    return {"total_records": total} if isinstance(total, int) else {}


PAIMON_HISTORY = HistoryRules(
    delta_entries,
    needs_parent=False,
    writer_figures=writer_figures,
    numbers_snapshots=True,
    retention=retention,
    expired_files=expired_files,
    references=references,
)
