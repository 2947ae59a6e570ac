"""Look rows up in a set of key rows, with Java's equality: null equals null, NaN equals NaN, -0.0 differs from 0.0.

Source: ``Comparators`` and ``StructLikeSet`` of Iceberg 1.11.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Codes = npt.NDArray[np.int64]
"""Dictionary codes of values, from 0; -1 for a value not in the dictionary."""


def comparable(values: pa.Array) -> pa.Array:
    """Convert values to integers, bytes or strings that are equal exactly if Java considers the values equal."""
    of = values.type
    if pa.types.is_null(of) or pa.types.is_boolean(of):
        return values.cast(pa.int8())
    if pa.types.is_floating(of):
        values = pc.if_else(pc.is_nan(values), pa.scalar(float("nan"), of), values)
        return values.view(pa.int32() if of.bit_width == 32 else pa.int64())
    if pa.types.is_temporal(of):
        return values.view(pa.int32() if of.bit_width == 32 else pa.int64())
    return values.view(pa.binary(16)) if pa.types.is_decimal128(of) else values


class KeySet:
    """A set of key rows over one or more columns, indexed for lookups.

    Args:
        columns: the values of each column, in the form of :func:`comparable`; equally long.
    """

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        self._columns = [_Numbers(column) if pa.types.is_integer(column.type) else _Texts(column) for column in columns]
        self._pairs: list[Codes] = []
        codes = self._columns[0].codes(columns[0])
        for values, column in zip(columns[1:], self._columns[1:], strict=True):
            pairs = codes * column.size + column.codes(values)
            distinct = np.unique(pairs)
            self._pairs.append(distinct)
            codes = np.searchsorted(distinct, pairs)

    @property
    def nbytes(self) -> int:
        """The approximate size in memory, in bytes."""
        return sum(column.nbytes for column in self._columns) + sum(pairs.nbytes for pairs in self._pairs)

    def among(self, columns: Sequence[pa.Array]) -> npt.NDArray[np.bool_]:
        """Return whether each row is one of the keys; ``columns`` in the form and order of the keys' columns."""
        codes = self._columns[0].codes(columns[0])
        for values, column, distinct in zip(columns[1:], self._columns[1:], self._pairs, strict=True):
            others = column.codes(values)
            pairs = np.where((codes < 0) | (others < 0), -1, codes * column.size + others)
            codes = _places(distinct, pairs)
        return codes >= 0


class _Numbers:
    """A dictionary of integers and null."""

    def __init__(self, values: pa.Array) -> None:
        distinct = pc.unique(values)
        self._values = np.sort(distinct.drop_null().to_numpy())
        self._null = len(self._values) if distinct.null_count else -1
        self.size = len(self._values) + 1
        self.nbytes = self._values.nbytes

    def codes(self, values: pa.Array) -> Codes:
        if not values.null_count:
            return _places(self._values, values.to_numpy())
        codes = _places(self._values, pc.fill_null(values, 0).to_numpy())
        return np.where(values.is_null().to_numpy(zero_copy_only=False), self._null, codes)


class _Texts:
    """A dictionary of strings or bytes, and null."""

    def __init__(self, values: pa.Array) -> None:
        distinct = pc.unique(values)
        self._codes = {value: code for code, value in enumerate(distinct.to_pylist())}
        self.size = len(self._codes) + 1
        self.nbytes = distinct.nbytes + 150 * len(distinct)  # about 150 bytes per object and dict entry

    def codes(self, values: pa.Array) -> Codes:
        encoded = values.dictionary_encode(null_encoding="encode")
        found = np.fromiter((self._codes.get(value, -1) for value in encoded.dictionary.to_pylist()), np.int64)
        codes: Codes = found[encoded.indices.to_numpy()]
        return codes


def _places(distinct: npt.NDArray[np.integer], values: npt.NDArray[np.integer]) -> Codes:
    """Return the index of each value in an ascending array of distinct values; -1 if it is not in it."""
    if not len(distinct):
        return np.full(len(values), -1)
    places = np.searchsorted(distinct, values)
    places[places == len(distinct)] = 0
    return np.where(distinct[places] == values, places, -1)
