"""Fill in what the entries of a plan's files inherit from their manifests."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lakemuster.formats.iceberg.manifests import inherit
from lakemuster.planner.columns import single_array
from lakemuster.planner.inherited import inherited
from lakemuster.planner.scan.plan_rules import CompleteEntries, PlannedFiles, PlanRules
from lakemuster.planner.scan.planned_entries import MANY_EACH, BatchFiles, LazyEntries
from lakemuster.planner.scan.runs import runs_of

ROW_ID = "first_row_id"


def complete(files: PlannedFiles, entries: LazyEntries) -> CompleteEntries:
    """Fill in snapshot ids, sequence numbers and row ids."""
    spec, places, group = files.spec, files.places, files.group
    row_ids = _row_ids(files)
    finish = LazyEntries(
        entries.read, lambda recorded: inherited(recorded, spec.inheritance, spec.parts_of(places), row_ids)
    )
    is_scattered = len(files.rows) < MANY_EACH * (len(group) - 1)
    return finish, () if row_ids is not None or is_scattered else tuple(group)


def _row_ids(files: PlannedFiles) -> pa.Array | None:
    """Return row ids; None if none is inherited. Inherited ids depend on all earlier entries of the manifest.

    Manifests without a first row id may be beside others: their files have no ids but their own.
    """
    spec, owners = files.spec, files.owners
    if not spec.inheritance.has_row_ids[owners.first : owners.last + 1].any():
        return None
    found = []
    for part, start, end in runs_of(owners.each(np.arange(len(spec.parts)))):
        manifest = spec.parts[part].manifest
        segment = spec.index.segments.open(manifest.segment)
        own = [name for name in ("status", "record_count", ROW_ID) if name in segment.names]
        of_all = inherit(segment.table(own), manifest.header)
        if ROW_ID in of_all.column_names:
            found.append(single_array(of_all.column(ROW_ID)).take(pa.array(files.rows[start:end])))
        else:
            found.append(pa.nulls(end - start, pa.int64()))
    return pa.concat_arrays(found)


def whole(source: BatchFiles) -> pa.Table:
    """Return all entries of the batch that holds a source, without inherited row ids."""
    batch, spec = source.columns.batch, source.spec
    parts = spec.parts_of(np.arange(source.first, source.first + batch.num_rows))
    return pa.Table.from_batches([inherited(batch, spec.inheritance, parts)])


ICEBERG_PLANS = PlanRules(complete, whole)
