"""Files that the indexes in their own entries leave out.

An index names the rows of its file that a comparison may hold for; of a whole predicate they are put together as its
ANDs and ORs say, so that two comparisons must hold for one row. A file of which no row is left may go, as one whose
statistics exclude it may. What has no index, or one that does not read, keeps. Indexes in files beside the data file
are not looked at: neither does Paimon's own planner.

Columns are found by field id, under the name and type of the file's schema. Paimon rewrites indexes of older files by
the column's *position* in their schema among today's columns: a column that has changed its place since may have the
index of another, and is not asked.

Source: Paimon ``FileIndexPredicate``, ``AppendOnlyFileStoreScan``, ``KeyValueFileStoreScan``, ``FileIndexProcessor``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial, reduce

import numpy as np
import pyarrow as pa
from pyroaring import BitMap

from lakemuster.errors import CatalogError
from lakemuster.formats.paimon.file_index.answers import Answer, answers, ask
from lakemuster.formats.paimon.file_index.container import IndexRange, parse_container
from lakemuster.metadata.types import Primitive
from lakemuster.planner.columns import flat
from lakemuster.planner.paimon.bloom_filters import without_values
from lakemuster.planner.paimon.statistics import DESCRIBING, Evolution
from lakemuster.planner.pruning.prune import Mask
from lakemuster.predicates import (
    AlwaysFalse,
    AlwaysTrue,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Opaque,
)

EMBEDDED = "embedded_file_index"
"""The column of entries that holds their indexes."""

COLUMNS = (EMBEDDED, *DESCRIBING)
"""What must be known of an entry to ask its indexes."""

KINDS = ("bloom-filter", "bitmap", "bsi", "range-bitmap")
"""The kinds of indexes that are asked."""

_MOST_ROWS = 1 << 31
_AT_ONCE = 1024
_CACHED = 4096


def can_ask(bound: Bound) -> bool:
    """Whether some index could say anything of a predicate."""
    match bound:
        case AlwaysTrue() | AlwaysFalse() | Opaque():
            return False
        case BoundLeaf():
            return bound.transform is None and any(answers(kind, bound.op) for kind in KINDS)
        case BoundAnd(children=children):
            return any(map(can_ask, children))
        case BoundOr(children=children):
            return all(can_ask(child) or isinstance(child, AlwaysFalse) for child in children)


def kept_by_index(entries: pa.Table, evolution: Evolution, bound: Bound, among: Mask) -> Mask:
    """Mark, of some entries, those whose indexes leave rows that may match.

    Args:
        entries: with :data:`COLUMNS`; without the first, none has an index.
        among: (N,) those to ask.
    """
    if EMBEDDED not in entries.column_names or not among.any() or not can_ask(bound):
        return among
    keep = among.copy()
    places = np.flatnonzero(among & entries.column(EMBEDDED).is_valid().to_numpy())
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        taken = entries.select(COLUMNS).take(pa.array(some))
        schema_ids = flat(taken.column("schema_id")).to_numpy()
        gone = without_values(flat(taken.column(EMBEDDED)), schema_ids, partial(indexed_as, evolution), bound)
        keep[some[gone]] = False
        left = taken.filter(pa.array(~gone))
        for place, file in zip(some[~gone].tolist(), files(left, evolution), strict=True):
            rows = file.rows_of(bound)
            keep[place] = rows is None or bool(rows)
    return keep


def files(entries: pa.Table, evolution: Evolution) -> Iterator[IndexedFile]:
    """Each entry's indexes."""
    columns = [flat(entries.column(name)).to_pylist() for name in (EMBEDDED, "schema_id", "record_count")]
    for data, schema_id, rows in zip(*columns, strict=True):
        yield IndexedFile(evolution, schema_id, rows, data)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """The indexes of one file.

    Attributes:
        rows: of the file.
        data: the container of its indexes; None where it has none.
    """

    evolution: Evolution
    schema_id: int
    rows: int
    data: bytes | None

    def rows_of(self, bound: Bound) -> Answer:
        """The rows that may match a predicate."""
        match bound:
            case AlwaysTrue() | Opaque():
                return None
            case AlwaysFalse():
                return BitMap()
            case BoundLeaf():
                return reduce(_both, (answer for _, answer in self.answers(bound)), None)
            case BoundAnd(children=children):
                left: Answer = None
                for child in children:
                    left = _both(left, self.rows_of(child))
                    if left is not None and not left:
                        break
                return left
            case BoundOr(children=children):
                found = BitMap()
                for child in children:
                    if (rows := self.rows_of(child)) is None:
                        return None
                    found |= rows
                return found

    def answers(self, leaf: BoundLeaf) -> Iterator[tuple[str, Answer]]:
        """What each index of the column says of a comparison, and the kind of the index."""
        if self.data is None or leaf.transform is not None or not 0 <= self.rows < _MOST_ROWS:
            return
        place = indexed_as(self.evolution, leaf.field_id).get(self.schema_id)
        if place is None:
            return
        name, of = place
        for index in _indexes(self.data, name):
            try:
                yield index.kind, ask(self.data, index, of, self.rows, leaf)
            except CatalogError:
                yield index.kind, None


def _both(first: Answer, second: Answer) -> Answer:
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _indexes(data: bytes, name: str) -> tuple[IndexRange, ...]:
    try:
        return parse_container(data).get(name, ())
    except CatalogError:
        return ()


@lru_cache(maxsize=_CACHED)
def indexed_as(evolution: Evolution, field_id: int) -> dict[int, tuple[str, Primitive]]:
    """A column's name and type in each schema whose files' indexes may be asked for it."""
    now = evolution.today(field_id)
    if now is None:
        return {}
    alike = evolution.read_alike(field_id, now)
    positions = {
        schema.schema_id: next((n for n, top in enumerate(schema.fields) if top.field_id == field_id), None)
        for schema in evolution.schemas
    }
    found = {}
    for schema in evolution.schemas:
        position = positions[schema.schema_id]
        if position is None or schema.schema_id not in alike:
            continue
        if any(other != position for later, other in positions.items() if later > schema.schema_id):
            continue
        top = schema.fields[position]
        # ``a[b]`` is how a container names one key of a map.
        if isinstance(top.type, Primitive) and not top.name.endswith("]"):
            found[schema.schema_id] = top.name, top.type
    return found
