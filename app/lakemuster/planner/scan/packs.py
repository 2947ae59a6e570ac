"""Packs: statistics of the files of neighbouring manifests in one array, evaluated at once.

Evaluating manifests one by one costs some hundred microseconds each, however few files they list; a pack has about
:data:`PACK_ROWS` files, of any number of manifests. Where a pack ends depends only on the manifests at its end,
so that a commit, which adds and removes manifests, leaves most packs of a table unchanged. The arrays of packs are
cached.

Source: ARCHITECTURE.md, "Where state is".
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.caching import Cache, nbytes
from lakemuster.index import Index
from lakemuster.index.packed import SegmentSource, ends_run
from lakemuster.index.segments import Segment
from lakemuster.metadata.files import DELETED
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.pruning.bound_codes import BoundCodes, CodedValues, bound_codes_of
from lakemuster.planner.pruning.coded_statistics import CodedField, Marks, marks_of
from lakemuster.planner.pruning.or_to_in import or_to_in
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.planner.pruning.prune import Counts, FieldStats, Mask, can_match
from lakemuster.planner.pruning.statistics import EntryStatistics, PartitionStatistics, counts
from lakemuster.planner.pruning.zones import stacked
from lakemuster.predicates import TRUE, Bound, BoundLeaf, leaves

PACK_ROWS = 1 << 16
"""Approximate number of files of a pack."""

SOME_OF_A_PACK = 4
"""Evaluate a whole pack if at least one in this many of its entries is requested: gathering them costs more."""

_VALUE_BYTES, _SOURCE_BYTES = 640, 256
"""Bytes of a cached value besides its arrays, and of each segment of its pack."""

RowNumbers = NDArray[np.int64]
T = TypeVar("T")
Item = TypeVar("Item", bound=np.generic)
FieldKind = Literal["column", "partition"]


@dataclass(frozen=True, eq=False)
class Pack:
    """Neighbouring manifests of one spec.

    Attributes:
        segments: the segments that hold the entries, in order; one may hold those of several manifests.
        starts: (S + 1,) where each segment's entries begin in the pack.
        manifests: number of manifests.
    """

    segments: tuple[str, ...]
    starts: RowNumbers
    manifests: int

    @property
    def rows(self) -> int:
        """The number of entries of the pack."""
        return int(self.starts[-1])


# Packs are shared: one lives as long as a plan or a cache key refers to it.
_PACKS: WeakValueDictionary[tuple[SegmentSource, ...], Pack] = WeakValueDictionary()
_PACKS_LOCK = threading.Lock()


def _pack(sources: tuple[SegmentSource, ...]) -> Pack:
    with _PACKS_LOCK:
        pack = _PACKS.get(sources)
        if pack is None:
            starts = np.cumsum([0, *(source.rows for source in sources)])
            segments = tuple(source.segment for source in sources)
            pack = _PACKS[sources] = Pack(segments, starts, sum(source.manifests for source in sources))
        return pack


def packs_of(sources: Sequence[SegmentSource]) -> Iterator[Pack]:
    """Cut the manifests of some segments into packs, in order."""
    first = held = 0
    for number, source in enumerate(sources):
        held += source.rows
        # A manifest ends a pack with a probability of its share of PACK_ROWS.
        by_chance = ends_run(source.last, source.last_rows, PACK_ROWS)
        if by_chance or held >= 4 * PACK_ROWS or number == len(sources) - 1:
            yield _pack(tuple(sources[first : number + 1]))
            first, held = number + 1, 0


def weight_of(key: tuple[object, ...], arrays: object) -> int:
    """Return the bytes of arrays that are cached by a key, and of the packs that the key names."""
    segments = sum(len(part.segments) for part in key if isinstance(part, Pack))
    return _VALUE_BYTES + _SOURCE_BYTES * segments + nbytes(arrays)


pack_cache: Cache[tuple[object, ...], Any] = Cache("packs", weight_of)
"""Arrays of packs by pack, kind and field: :class:`BoundCodes`, :data:`Marks`, :class:`FieldStats`, masks, paths."""


@dataclass(frozen=True, slots=True)
class PackPredicate:
    """A predicate, prepared for the packs of one spec.

    Attributes:
        columns: the type that the predicate assumes for each column.
        partitions: the types of the spec's partition fields.
        members: the ids of columns in structs.
        values: a cache of leaves' values as bound codes, by the leaf's identity.
        projected: a cache of leaves' projections on partitions, by the leaf's identity.
    """

    index: Index
    bound: Bound
    projection: PartitionPredicates
    columns: dict[int, Primitive]
    partitions: dict[int, Primitive]
    members: frozenset[int] = frozenset()
    values: dict[int, CodedValues | None] = field(default_factory=dict)
    projected: dict[int, Bound | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls, index: Index, bound: Bound, projection: PartitionPredicates, members: frozenset[int] = frozenset()
    ) -> PackPredicate:
        """Prepare a whole predicate."""
        return cls(index, or_to_in(bound, projection), projection, leaf_types(bound), projection.types(), members)

    def matching(self, pack: Pack, spans: Sequence[slice] | None) -> RowNumbers:
        """Return the live entries of a pack that the predicate cannot drop alone, as places in the pack.

        Args:
            spans: the entries to evaluate, ascending and disjoint; None for all.
        """
        alive = _ALIVE[self.bound == TRUE](self.index, pack)
        if spans is None and self.bound == TRUE:
            return _every(pack.rows) if alive is None else np.flatnonzero(alive)
        rows = pack.rows if spans is None else sum(map(_size, spans))
        some = None if spans is None or rows * SOME_OF_A_PACK >= pack.rows else tuple(spans)
        keep = _walked(self, pack, some, pack.rows if some is None else rows)
        if spans is not None:
            found, keep, done = keep, np.zeros(pack.rows, np.bool_), 0
            for span in spans:
                keep[span] = found[span] if some is None else found[done : done + _size(span)]
                done += _size(span)
        return np.flatnonzero(keep if alive is None else keep & alive)

    def is_cached(self, pack: Pack) -> bool:
        """Tell whether codes or marks of all of the predicate's columns are cached for a pack."""
        return all(
            any((pack, "column", field_id, of, made) in pack_cache for made in (BoundCodes, Marks))
            for field_id, of in self.columns.items()
        )


def _every(rows: int) -> RowNumbers:
    """Return all places of a pack, as a read-only array."""
    return _counted(max(PACK_ROWS, 1 << rows.bit_length()))[:rows]


@lru_cache(maxsize=8)
def _counted(end: int) -> RowNumbers:
    numbers = np.arange(end)
    numbers.flags.writeable = False
    return numbers


def _walked(predicate: PackPredicate, pack: Pack, spans: tuple[slice, ...] | None, rows: int) -> Mask:
    return can_match(predicate.bound, PackStatistics(predicate, pack, spans, rows))


def _size(span: slice) -> int:
    return int(span.stop - span.start)


def _spanned(values: NDArray[Item], spans: Sequence[slice]) -> NDArray[Item]:
    """Return the values of the entries in some spans."""
    return np.concatenate([values[span] for span in spans])


def _places(spans: Sequence[slice], found: RowNumbers) -> RowNumbers:
    """Convert places in the concatenated spans to places in the pack."""
    starts = np.array([span.start for span in spans])
    before = np.cumsum([0, *map(_size, spans)])
    of_span = np.searchsorted(before, found, side="right") - 1
    return np.asarray(found + (starts - before[:-1])[of_span])


@dataclass(frozen=True, slots=True)
class PackStatistics:
    """Statistics of columns, or of partition fields, of some entries of a pack.

    Attributes:
        spans: the pack's entries to evaluate; None for all.
        rows: number of entries in the spans.
    """

    predicate: PackPredicate
    pack: Pack
    spans: tuple[slice, ...] | None
    rows: int
    kind: FieldKind = "column"

    @property
    def record_count(self) -> None:
        """None: :meth:`PackPredicate.matching` drops files without rows."""

    def field(self, field_id: int) -> CodedField | None:
        """Return the statistics of one column or partition field."""
        of = (self.predicate.columns if self.kind == "column" else self.predicate.partitions).get(field_id)
        if of is None:
            return None
        return CodedField(
            self.rows,
            of,
            lambda: self._keys(field_id, of),
            lambda: self._marks(field_id, of),
            lambda places: self._bounds(field_id, of, places),
            self.predicate.values,
        )

    def projected(self, leaf: BoundLeaf) -> tuple[Bound, PackStatistics] | None:
        """Return the leaf's projection, and the statistics of partitions."""
        if self.kind == "partition":
            return None
        known = self.predicate.projected
        if id(leaf) not in known:
            known[id(leaf)] = self.predicate.projection.inclusive(leaf)
        if (bound := known[id(leaf)]) is None:
            return None
        return bound, PackStatistics(self.predicate, self.pack, self.spans, self.rows, "partition")

    def _keys(self, field_id: int, of: Primitive) -> BoundCodes | None:
        def make() -> BoundCodes | None:
            return bound_codes_of(self._read(field_id, of), of, self.pack.rows)

        keys: BoundCodes | None = pack_cache.get_or_make((self.pack, self.kind, field_id, of, BoundCodes), make)
        return keys if keys is None or self.spans is None else keys.spans(list(self.spans))

    def _marks(self, field_id: int, of: Primitive) -> Marks:
        def make() -> Marks:
            return marks_of(self._read(field_id, of), of, self.pack.rows)

        marks: Marks = pack_cache.get_or_make((self.pack, self.kind, field_id, of, Marks), make)
        return marks if self.spans is None else _spanned(marks, self.spans)

    def _bounds(self, field_id: int, of: Primitive, places: RowNumbers | None) -> FieldStats:
        if places is not None:
            return self._read(field_id, of, places if self.spans is None else _places(self.spans, places))

        def make() -> FieldStats:
            return self._read(field_id, of)

        whole: FieldStats = pack_cache.get_or_make((self.pack, self.kind, field_id, of, FieldStats), make)
        return whole if self.spans is None else _sliced(whole, self.spans)

    def _read(self, field_id: int, of: Primitive, places: RowNumbers | None = None) -> FieldStats:
        """Read a field's recorded statistics, for the pack's entries at some places or for all."""
        pack = self.pack
        edges = pack.starts if places is None else np.searchsorted(places, pack.starts)
        found, rows = [], np.diff(edges).tolist()
        for number in np.flatnonzero(np.diff(edges)).tolist():
            own = None if places is None else places[edges[number] : edges[number + 1]] - pack.starts[number]
            segment = self.predicate.index.segments.open(pack.segments[number])
            found.append(_recorded(segment, self.kind, field_id, of, own, self.predicate.members))
        return stacked(found, [count for count in rows if count], of)


def _recorded(
    segment: Segment,
    kind: FieldKind,
    field_id: int,
    of: Primitive,
    places: RowNumbers | None,
    members: frozenset[int],
) -> FieldStats:
    """Read one segment's statistics of a field, with bounds in the type ``of``."""
    wanted = _PARTITION if kind == "partition" else _STATISTICS
    names = [name for name in segment.columns_of.get(field_id, ()) if name.startswith(wanted)]
    rows = segment.num_rows if places is None else len(places)
    if not names and kind == "column":
        return FieldStats()
    if kind == "column":
        names.append("record_count")
    table = segment.table(names) if names else _NOTHING
    if names and places is not None:
        table = table.take(pa.array(places))
    if kind == "partition":
        stats: FieldStats | None = PartitionStatistics(table, rows, frozenset((field_id,))).field(field_id)
    else:
        stats = EntryStatistics(table, members).field(field_id)
    if stats is None:
        return FieldStats()
    target = arrow_type(of)
    lower, upper = (
        None if bounds is None or target is None else cast_or_none(bounds, target)
        for bounds in (stats.lower, stats.upper)
    )
    return replace(stats, lower=lower, upper=upper)


def _sliced(stats: FieldStats, spans: Sequence[slice]) -> FieldStats:
    def bounds(of: pa.Array | None) -> pa.Array | None:
        return None if of is None else pa.concat_arrays([of.slice(span.start, _size(span)) for span in spans])

    def numbers(of: Counts | None) -> Counts | None:
        return None if of is None else _spanned(of, spans)

    return FieldStats(
        bounds(stats.lower),
        bounds(stats.upper),
        numbers(stats.null_count),
        numbers(stats.nan_count),
        numbers(stats.value_count),
    )


def _live(index: Index, pack: Pack) -> Mask | None:
    """Mark the entries that are not deleted; None for all."""

    def make() -> Mask | None:
        live = np.concatenate([_numbers(index, name, "status") != DELETED for name in pack.segments])
        return None if live.all() else live

    mask: Mask | None = pack_cache.get_or_make((pack, "live"), make)
    return mask


def _with_rows(index: Index, pack: Pack) -> Mask | None:
    """Mark the entries that are neither deleted nor known to have no rows; None for all."""

    def make() -> Mask | None:
        some = np.concatenate([_numbers(index, name, "record_count") != 0 for name in pack.segments])
        if (live := _live(index, pack)) is not None:
            some &= live
        return None if some.all() else some

    mask: Mask | None = pack_cache.get_or_make((pack, "with rows"), make)
    return mask


def _numbers(index: Index, segment: str, name: str) -> Counts:
    return counts(index.segments.open(segment).table([name]).column(0))


_ALIVE = {True: _live, False: _with_rows}
_PARTITION: tuple[str, ...] = ("partition.",)
_STATISTICS = ("lower.", "upper.", "null_count.", "nan_count.", "value_count.")
_NOTHING = pa.table({})


def leaf_types(bound: Bound) -> dict[int, Primitive]:
    """Return the type that a predicate assumes for each of its columns."""
    return {leaf.field_id: leaf.type for leaf in leaves(bound) if leaf.transform is None}
