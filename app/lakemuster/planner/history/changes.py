"""Count what a commit added and removed, and the partitions that it touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.caching import cached
from lakemuster.index import Index
from lakemuster.planner.columns import partition_names, partition_struct, partition_type
from lakemuster.planner.history.figures import Figures, counted
from lakemuster.planner.history.partition_texts import partition_texts
from lakemuster.planner.history.rules import HISTORY_RULES
from lakemuster.planner.lists.differences import identity
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.rows import conform
from lakemuster.planner.view import View


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that one commit added and removed.

    Attributes:
        partitions: a text of the spec and values of each partition in which it added or removed files.
    """

    added: Figures
    removed: Figures
    partitions: pa.Array


def _weight(changes: Changes) -> int:
    return 500 + int(changes.partitions.nbytes)


def _key(index: Index, old: View | None, new: View) -> tuple[object, ...]:
    """Return a cache key that stays valid: row ids are never reused, and publishing again changes the time.

    The texts of partitions depend on the table's specs and schemas.
    """
    records = [view.snapshot for view in (old, new) if view is not None and view.snapshot is not None]
    metadata = new.metadata
    state = (metadata.current_schema_id, len(metadata.schemas), len(metadata.specs))
    return (index, state, *((record.row_id, record.published_at_ms) for record in records))


@cached("changes", _weight, _key)
def changes_of(index: Index, old: View | None, new: View) -> Changes:
    """Compare the live files of a published snapshot with the live files of the snapshot before it.

    Args:
        old: None if there was none, or if the format's rules do not need it.
    """
    added, removed = HISTORY_RULES.of(new.table).changed_entries(index, old, new)
    added_ids, removed_ids = _identities(added), _identities(removed)
    added = [(part, _without(table, removed_ids)) for part, table in added]
    removed = [(part, _without(table, added_ids)) for part, table in removed]
    texts = [_partitions(new, part, table) for part, table in (*added, *removed) if table.num_rows]
    partitions = pc.unique(pa.concat_arrays(texts)) if texts else pa.array([], pa.string())
    return Changes(_sum(added), _sum(removed), partitions)


def distinct_partitions(changes: Sequence[Changes]) -> int:
    """Return the number of partitions that any of some commits touched."""
    if len(changes) == 1:
        return len(changes[0].partitions)
    return int(pc.count_distinct(pa.chunked_array([one.partitions for one in changes], pa.string())).as_py())


def _sum(entries: Sequence[tuple[ManifestPart, pa.Table]]) -> Figures:
    total = Figures()
    for _, table in entries:
        total = total.plus(counted(table))
    return total


def _identities(entries: Sequence[tuple[ManifestPart, pa.Table]]) -> pa.Array:
    found = [identity(table) for _, table in entries]
    return pa.concat_arrays(found) if found else pa.array([], pa.string())


def _without(table: pa.Table, identities: pa.Array) -> pa.Table:
    if not len(identities) or not table.num_rows:
        return table
    return table.filter(pc.invert(pc.is_in(identity(table), value_set=identities)))


def _partitions(view: View, part: ManifestPart, table: pa.Table) -> pa.Array:
    """Return the text of each entry's partition: its spec, and its values in the types of the list of partitions."""
    specs, spec_id = view.metadata.specs, part.manifest.header.spec_id
    spec = next((spec for spec in specs if spec.spec_id == spec_id), None)
    own = partition_struct(table, spec, partition_names(specs))
    newest_first = sorted(view.metadata.schemas, key=lambda schema: -schema.schema_id)
    target = pa.schema([pa.field("p", partition_type(specs, newest_first))])
    whole = conform(pa.RecordBatch.from_arrays([own], names=["p"]), target).column(0)
    return partition_texts(pa.repeat(pa.scalar(spec_id, pa.int32()), table.num_rows), whole)
