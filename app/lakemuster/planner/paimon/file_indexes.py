"""Prune files with the indexes that are embedded in their entries.

An index returns the rows of its file for which a comparison may hold. A predicate's ANDs and ORs intersect and unite
these rows, so that two comparisons must hold for the same row. A file without a remaining row may be dropped, like
one that its statistics exclude. A missing or unreadable index keeps the file. Index files beside the data file are
not read; Paimon's own planner does not read them either.

Columns are found by field id, under the name and type of the file's schema. Paimon rewrites indexes of older files by
the column's *position* in their schema among today's columns: a column whose position has changed may have another
column's index, and its index is not used. Nor is an index of an ORC file whose values may be others than those read.

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
from lakemuster.formats.paimon.file_index.container import IndexRange, parse_container
from lakemuster.formats.paimon.file_index.evaluation import MatchingRows, evaluate, supports
from lakemuster.formats.paimon.orc_bounds import are_orc, compare_alike
from lakemuster.metadata.types import Primitive
from lakemuster.planner.columns import single_array
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
    conjuncts,
)

EMBEDDED = "embedded_file_index"
"""The entries' column that holds the index container."""

COLUMNS = (EMBEDDED, "file_name", *DESCRIBING)
"""The columns of an entry that are needed to evaluate its indexes."""

KINDS = ("bloom-filter", "bitmap", "bsi", "range-bitmap")
"""The supported kinds of indexes."""

_MOST_ROWS = 1 << 31
_AT_ONCE = 1024
_CACHED = 512


def can_evaluate(bound: Bound) -> bool:
    """Return whether an index could exclude rows by a predicate."""
    match bound:
        case AlwaysTrue() | AlwaysFalse() | Opaque():
            return False
        case BoundLeaf():
            return bound.transform is None and any(supports(kind, bound.op) for kind in KINDS)
        case BoundAnd(children=children):
            return any(map(can_evaluate, children))
        case BoundOr(children=children):
            return all(can_evaluate(child) or isinstance(child, AlwaysFalse) for child in children)


def kept_by_index(entries: pa.Table, evolution: Evolution, bound: Bound, among: Mask) -> Mask:
    """Mark the entries of ``among`` whose indexes leave rows that may match.

    Args:
        entries: with :data:`COLUMNS`; without the first, no entry has an index.
        among: (N,) the entries to evaluate.
    """
    if EMBEDDED not in entries.column_names or not among.any() or not can_evaluate(bound):
        return among
    keep = among.copy()
    places = np.flatnonzero(among & entries.column(EMBEDDED).is_valid().to_numpy())
    alike = all(compare_alike(leaf.type, leaf.values) for leaf in conjuncts(bound) if isinstance(leaf, BoundLeaf))
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        taken = entries.select(COLUMNS).take(pa.array(some))
        schema_ids = single_array(taken.column("schema_id")).to_numpy()
        gone = without_values(single_array(taken.column(EMBEDDED)), schema_ids, partial(indexed_as, evolution), bound)
        if not alike:
            gone &= ~are_orc(single_array(taken.column("file_name")))
        keep[some[gone]] = False
        left = taken.filter(pa.array(~gone))
        for place, file in zip(some[~gone].tolist(), files(left, evolution), strict=True):
            rows = file.rows_of(bound)
            keep[place] = rows is None or bool(rows)
    return keep


def files(entries: pa.Table, evolution: Evolution) -> Iterator[IndexedFile]:
    """Yield each entry's indexes."""
    columns = [single_array(entries.column(name)).to_pylist() for name in (EMBEDDED, "schema_id", "record_count")]
    orc = are_orc(single_array(entries.column("file_name"))).tolist()
    for data, schema_id, rows, is_orc in zip(*columns, orc, strict=True):
        yield IndexedFile(evolution, schema_id, rows, data, is_orc)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """The indexes of one file.

    Attributes:
        rows: the number of rows in the file.
        data: the index container; None if the file has none.
        is_orc: whether the file is in the format ORC.
    """

    evolution: Evolution
    schema_id: int
    rows: int
    data: bytes | None
    is_orc: bool

    def rows_of(self, bound: Bound) -> MatchingRows:
        """Return the rows that may match a predicate; None for all."""
        match bound:
            case AlwaysTrue() | Opaque():
                return None
            case AlwaysFalse():
                return BitMap()
            case BoundLeaf():
                return reduce(_both, (answer for _, answer in self.index_results(bound)), None)
            case BoundAnd(children=children):
                left: MatchingRows = None
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

    def index_results(self, leaf: BoundLeaf) -> Iterator[tuple[str, MatchingRows]]:
        """Yield the kind of each index of the column and the rows for which it allows a comparison."""
        if self.data is None or leaf.transform is not None or not 0 <= self.rows < _MOST_ROWS:
            return
        place = indexed_as(self.evolution, leaf.field_id).get(self.schema_id)
        if place is None:
            return
        name, of = place
        if self.is_orc and not compare_alike(leaf.type, leaf.values):
            return
        for index in _indexes(self.data, name):
            try:
                yield index.kind, evaluate(self.data, index, of, self.rows, leaf)
            except CatalogError:
                yield index.kind, None


def _both(first: MatchingRows, second: MatchingRows) -> MatchingRows:
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
    """Return a column's name and type in each schema for whose files its indexes can be used."""
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
        # In a container, ``a[b]`` is the key ``b`` of the map ``a``.
        if isinstance(top.type, Primitive) and not top.name.endswith("]"):
            found[schema.schema_id] = top.name, top.type
    return found
