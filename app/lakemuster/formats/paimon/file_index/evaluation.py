"""Evaluate one comparison on one file index: which rows of the file may match.

Source: Paimon ``FileIndexReader`` and its implementations. Unlike there, minus zero equals zero, NaN is found
by its key, and null matches a negation only if the comparison includes nulls.
"""

from __future__ import annotations

from functools import reduce

from pyroaring import BitMap

from lakemuster.formats.paimon.file_index import bitmap, bsi, range_bitmap
from lakemuster.formats.paimon.file_index.bitmap import BitmapIndex
from lakemuster.formats.paimon.file_index.bloom_filter import may_hold_any, value_hash
from lakemuster.formats.paimon.file_index.bsi import BitSlicedIndex
from lakemuster.formats.paimon.file_index.container import NULLS_ONLY, IndexRange
from lakemuster.formats.paimon.file_index.keys import Key, Keys
from lakemuster.formats.paimon.file_index.range_bitmap import RangeBitmap
from lakemuster.metadata.types import Primitive
from lakemuster.predicates import BoundLeaf, Op

MatchingRows = BitMap | None
"""The rows that may match; None if any row may. Do not modify."""

BLOOM_FILTER, BITMAP, BSI, RANGE_BITMAP = "bloom-filter", "bitmap", "bsi", "range-bitmap"

_ORDERED = frozenset({Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ})
_SUPPORTED: dict[str, frozenset[Op]] = {
    BLOOM_FILTER: frozenset({Op.EQ, Op.IN, Op.IS_NAN}),
    BITMAP: frozenset({Op.EQ, Op.IN, Op.NOT_EQ, Op.NOT_IN, Op.IS_NULL, Op.NOT_NULL, Op.IS_NAN}),
}
_SUPPORTED[BSI] = _SUPPORTED[RANGE_BITMAP] = _SUPPORTED[BITMAP] | _ORDERED
_NOTHING = BitMap()


def supports(kind: str, op: Op) -> bool:
    """Return whether indexes of a kind support a comparison."""
    return op in _SUPPORTED.get(kind, ())


def evaluate(data: bytes, where: IndexRange, of: Primitive, rows: int, leaf: BoundLeaf) -> MatchingRows:
    """Evaluate a comparison on an index.

    Args:
        data: the container.
        of: the column's type when the file was written; the leaf's type can hold all of its values.
        rows: number of rows in the file.
        leaf: a comparison of the column's own values.

    Raises:
        MetadataCorrupt: the bytes are not such an index, or one with another number of rows.
        FormatUnsupported: another version.
    """
    if where.start == NULLS_ONLY or not supports(where.kind, leaf.op):
        return None
    if where.kind == BLOOM_FILTER:
        return _of_bloom_filter(data, where, of, leaf)
    if (keys := Keys.of_type(of)) is None:
        return None
    if where.kind == BITMAP:
        if of.kind not in bitmap.KINDS:
            return None
        return _of_bitmap(BitmapIndex.parse(data, where.start, where.length, keys, rows), leaf)
    if where.kind == BSI:
        if of.kind not in bsi.KINDS:
            return None
        return _of_ordered(BitSlicedIndex.parse(data, where.start, where.length, rows), keys, rows, leaf)
    if of.kind not in range_bitmap.KINDS:
        return None
    return _of_ordered(RangeBitmap.parse(data, where.start, where.length, keys, rows), keys, rows, leaf)


def filter_hashes(of: Primitive, leaf: BoundLeaf) -> tuple[int, ...] | None:
    """Return the hashes of the values of EQ, IN or IS_NAN, for a bloom filter; None if one is not known."""
    values = (float("nan"),) if leaf.op is Op.IS_NAN else leaf.values
    hashes: list[int] = []
    for value in values:
        for one in (0.0, -0.0) if isinstance(value, float) and value == 0 else (value,):
            if (code := value_hash(of, one)) is None:
                return None
            hashes.append(code)
    return tuple(hashes)


def _of_bloom_filter(data: bytes, where: IndexRange, of: Primitive, leaf: BoundLeaf) -> MatchingRows:
    hashes = filter_hashes(of, leaf)
    if hashes is None or may_hold_any(data, where.start, where.length, hashes):
        return None
    return _NOTHING


def _of_bitmap(index: BitmapIndex, leaf: BoundLeaf) -> MatchingRows:
    everything = BitMap(range(index.rows))
    match leaf.op:
        case Op.IS_NULL:
            return index.nulls
        case Op.NOT_NULL:
            return everything - index.nulls
        case Op.NOT_EQ | Op.NOT_IN:
            known = _excluded(index.keys, leaf)
            if known is None:
                return None
            found = everything - index.of(known)
            return found if leaf.nulls else found - index.nulls
    wanted = _wanted(index.keys, leaf)
    return None if wanted is None else index.of(wanted)


def _of_ordered(index: BitSlicedIndex | RangeBitmap, keys: Keys, rows: int, leaf: BoundLeaf) -> MatchingRows:
    match leaf.op:
        case Op.IS_NULL:
            return BitMap(range(rows)) - index.present
        case Op.NOT_NULL:
            return index.present
        case Op.NOT_EQ | Op.NOT_IN:
            known = _excluded(keys, leaf)
            if known is None:
                return None
            found = index.present - _equal(index, known)
            return found | (BitMap(range(rows)) - index.present) if leaf.nulls else found
        case Op.EQ | Op.IN | Op.IS_NAN:
            wanted = _wanted(keys, leaf)
            return None if wanted is None else _equal(index, wanted)
    return _compared(index, keys, leaf)


def _compared(index: BitSlicedIndex | RangeBitmap, keys: Keys, leaf: BoundLeaf) -> MatchingRows:
    """Evaluate LT, LT_EQ, GT and GT_EQ."""
    if not keys.exact or (equals := keys.equal_keys(leaf.values[0])) is None:
        return None
    own = keys.key(leaf.values[0])
    assert own is not None
    match leaf.op:
        case Op.LT:
            return index.split(own).below
        case Op.LT_EQ:
            found = index.split(max(equals))
            return found.below | found.equal
        case Op.GT:
            return index.split(own).above
    found = index.split(min(equals))
    return found.above | found.equal


def _wanted(keys: Keys, leaf: BoundLeaf) -> tuple[Key, ...] | None:
    """Return the keys of all rows that may match EQ, IN or IS_NAN; None if they are not known."""
    if leaf.op is Op.IS_NAN:
        return None if keys.nan is None else (keys.nan,)
    each = [keys.equal_keys(value) for value in leaf.values]
    return None if None in each else tuple(key for some in each if some is not None for key in some)


def _excluded(keys: Keys, leaf: BoundLeaf) -> tuple[Key, ...] | None:
    """Return the keys of rows that certainly do not match NOT_EQ or NOT_IN; None if they are not known."""
    if not keys.exact:
        return None
    each = [keys.key(value) for value in leaf.values]
    return None if None in each else tuple(key for key in each if key is not None)


def _equal(index: BitSlicedIndex | RangeBitmap, keys: tuple[Key, ...]) -> BitMap:
    return reduce(BitMap.union, (index.split(key).equal for key in keys), BitMap())
