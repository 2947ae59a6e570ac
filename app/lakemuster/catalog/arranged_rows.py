"""The rows of a snapshot's list in another order: sorted, reversed, or only the first ones of the sorted list."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.catalog.table_lists import direction
from lakemuster.errors import RequestInvalid
from lakemuster.planner.rows import START, RowSource, TableSource, batched_rows, conform


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The order of a list, as in the query parameters of the same names."""

    sort: str | None = None
    order: str | None = None
    top: int | None = None


AS_IT_IS = Arrangement()


@dataclass(frozen=True, slots=True)
class ArrangedRows(TableSource):
    """The arranged rows, in memory, and the list that they come from."""

    source: RowSource


def arranged(source: RowSource, wanted: Arrangement) -> RowSource:
    """Return the rows of a list in the wanted order.

    A list in memory can be sorted whole. From any other list, the first ``top`` rows are selected exactly: all rows
    are read, and about twice ``top`` rows are in memory at a time.

    Raises:
        RequestInvalid: the field does not exist, its values have no order, or the list is too long to be sorted whole.
    """
    if wanted == AS_IT_IS or (wanted.sort, wanted.order, wanted.top) == (None, "asc", None):
        return source
    field, descending = direction(wanted.sort, wanted.order)
    if isinstance(source, TableSource):
        table = source.table
        if field is not None:
            table = table.take(_order(table, field, descending))
        elif descending:
            table = table.take(pa.array(range(table.num_rows - 1, -1, -1), pa.int64()))
        found = table if wanted.top is None else table.slice(0, wanted.top)
        return ArrangedRows(source.key, found, source.snapshot_id, source)
    if field is None or wanted.top is None:
        raise RequestInvalid(f"a sorted list of {source.key} needs both sort and top: it may have millions of rows")
    return ArrangedRows(
        source.key, _first(source, field, wanted.top, descending=descending), source.snapshot_id, source
    )


def _first(source: RowSource, field: str, top: int, *, descending: bool) -> pa.Table:
    """Select the first rows of a sorted list. Of equal rows, those that come first in the list are selected."""
    schema = source.schema
    kept = schema.empty_table()
    _order(kept, field, descending)
    batches = (conform(batch, schema) for _, batch in source.batches(START))
    for some in batched_rows(batches, top):
        candidates = pa.concat_tables([kept, pa.Table.from_batches(some, schema)])
        kept = candidates.take(_order(candidates, field, descending)[:top]).combine_chunks()
    return kept


def _order(table: pa.Table, field: str, descending: bool) -> pa.Array:
    """Return the indices of the rows sorted by a field; the sort is stable, and nulls come last."""
    name, _, member = field.partition(".")
    columns = table.column(name) if name in table.column_names else None
    if columns is not None and member:
        kind = columns.type
        known = pa.types.is_struct(kind) and [kind.field(index).name for index in range(kind.num_fields)].count(member)
        columns = pc.struct_field(columns, member) if known == 1 else None
    if columns is None or pa.types.is_nested(columns.type):
        raise RequestInvalid(f"the list is sorted by one of {', '.join(_sortable(table.schema))}", sort=field)
    keys = pa.table({"key": columns})
    return pc.sort_indices(keys, [("key", "descending" if descending else "ascending")])


def _sortable(schema: pa.Schema) -> list[str]:
    """Return the fields to sort by that an error names: those with single values, and the partition's."""
    names = [one.name for one in schema if not pa.types.is_nested(one.type)]
    if "partition" in schema.names:
        names += [f"partition.{one.name}" for one in schema.field("partition").type]
    return names
