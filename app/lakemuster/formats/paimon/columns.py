"""Per-field columns of manifest entries, assembled from groups of entries that were decoded together.

Files of one manifest may have different schemas and record statistics of different columns; each group decodes to
arrays over its own rows. :class:`Columns` collects these by field and spreads them over all rows, null where a group
has no values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.bound_order import inverted
from lakemuster.metadata.files import column, count_type, typed_field
from lakemuster.metadata.types import Primitive

Index = NDArray[np.int64]

_MAX_CODE = 2**62
_LOWER = ("lower.", "key_lower.")


def groups(codes: NDArray[np.int64]) -> Iterator[Index]:
    """Yield the row numbers of each distinct code, in the order of their first rows."""
    if len(codes) == 0:
        return
    if (codes == codes[0]).all():
        yield np.arange(len(codes))
        return
    order = np.argsort(codes, kind="stable")
    cuts = np.flatnonzero(np.diff(codes[order])) + 1
    yield from sorted(np.split(order, cuts), key=lambda rows: int(rows[0]))


def combine(*codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Combine codes to one per distinct tuple; sort only when their product would not fit 64 bits."""
    combined, size = np.zeros(len(codes[0]), np.int64), 1
    for more in codes:
        if not len(more) or (more == more[0]).all():
            continue
        least = int(more.min())
        span = int(more.max()) - least + 1
        if size * span < _MAX_CODE:
            added = more - least
        else:
            (combined, size), (added, span) = _dense(combined), _dense(more)
        combined = combined * span + added
        size *= span
    return combined


def _dense(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    values, dense = np.unique(codes, return_inverse=True)
    return dense.astype(np.int64), len(values)


def value_codes(values: pa.Array) -> Index:
    """Return one code per distinct value of a column without lists; null is a value, floats differ by their bits."""
    if pa.types.is_floating(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    return np.asarray(values.dictionary_encode(null_encoding="encode").indices.to_numpy(), np.int64)


class Columns:
    """Builder of the per-field columns of ``count`` entries."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._parts: dict[tuple[str, int, str], list[tuple[Index, pa.Array]]] = {}
        self._texts: dict[tuple[str, int], list[str]] = {}

    def add(self, family: str, kind: str, field_id: int, of: Primitive | None, rows: Index, values: pa.Array) -> None:
        """Add ``values`` at ``rows`` of a column; values that are all null are ignored.

        Args:
            family: columns of one family share the order of first occurrence of types, so that
                ``lower.5@X`` and ``upper.5@X`` belong together.
            kind: the first half of the column's name.
            of: the type of the values; None for counts, which always have the same type.
        """
        if values.null_count == len(values):
            return
        text = "" if of is None else of.text
        if of is not None:
            met = self._texts.setdefault((family, field_id), [])
            if text not in met:
                met.append(text)
            variant = "" if met[0] == text else f"@{text}"
        else:
            variant = ""
        name = column(kind, field_id) + variant
        self._parts.setdefault((name, field_id, text), []).append((rows, values))

    def build(self) -> Iterator[tuple[pa.Field, pa.Array]]:
        """Yield the finished columns, in the order of their first occurrence."""
        for (name, _, text), parts in self._parts.items():
            values = self._laid_out(parts)
            if not text:
                values = _narrow(values)
            yield typed_field(name, values.type, text) if text else pa.field(name, values.type), values

    def _laid_out(self, parts: list[tuple[Index, pa.Array]]) -> pa.Array:
        if len(parts) == 1 and len(parts[0][0]) == self._count:
            return parts[0][1]
        place = np.full(self._count, -1, np.int64)
        place[np.concatenate([rows for rows, _ in parts])] = np.arange(sum(len(rows) for rows, _ in parts))
        values = pa.concat_arrays([values for _, values in parts])
        return values.take(pa.array(place, mask=place < 0))


def _narrow(counts: pa.Array) -> pa.Array:
    ends = pc.min_max(counts)
    return counts.cast(count_type(ends["min"].as_py(), ends["max"].as_py()))


def without_inverted_bounds(columns: Iterable[tuple[pa.Field, pa.Array]]) -> Iterator[tuple[pa.Field, pa.Array]]:
    """Yield the columns of bounds, null where a lower bound is above the upper one: such a pair proves nothing."""
    found = {field.name: (field, values) for field, values in columns}
    lower = [name for name in found if name.startswith(_LOWER)]
    names = [(name, upper) for name in lower if (upper := name.replace("lower", "upper", 1)) in found]
    for number, rows in inverted([(found[one][1], found[other][1]) for one, other in names]):
        for name in names[number]:
            field, values = found[name]
            found[name] = field, pc.if_else(pa.array(rows), pa.scalar(None, values.type), values)
    yield from ((field, values) for field, values in found.values() if values.null_count < len(values))
