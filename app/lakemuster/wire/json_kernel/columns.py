"""Columns to be written as JSON text, and the fallback that writes them with Arrow's functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.numbers import number_type
from lakemuster.metadata.values import SAFE_INTEGER, date_text
from lakemuster.wire.json_kernel.kernel import FIRST_DAY, LAST_DAY

ALWAYS, UNSAFE, NEVER = 0, SAFE_INTEGER + 1, 2**63 + 1
"""The smallest magnitude of integers that are written as strings."""


@dataclass(frozen=True)
class KernelColumn(ABC):
    """One value for each row; null where ``array`` is null."""

    array: pa.Array

    @abstractmethod
    def whole(self) -> pa.StringArray:
        """Return the JSON texts; nulls stay null."""


@dataclass(frozen=True)
class JsonTexts(KernelColumn):
    """Texts that are JSON, except for quotation marks if ``quoted``."""

    quoted: bool = False

    def whole(self) -> pa.StringArray:
        """See :meth:`KernelColumn.whole`."""
        return quote(self.array) if self.quoted else self.array


@dataclass(frozen=True)
class Strings(KernelColumn):
    """Arbitrary texts, to be escaped."""

    def whole(self) -> pa.StringArray:
        """See :meth:`KernelColumn.whole`."""
        if _is_plain(self.array):
            return quote(self.array)
        written = [None if value is None else orjson.dumps(value).decode() for value in self.array.to_pylist()]
        return pa.array(written, pa.string())


@dataclass(frozen=True)
class Dates(KernelColumn):
    """Dates of any year."""

    @property
    def is_usual(self) -> bool:
        """Whether all years have four digits, including the values under nulls."""
        days = _integers(self.array.view(pa.int32()))
        return not len(days) or bool(days.min() >= FIRST_DAY and days.max() <= LAST_DAY)

    def whole(self) -> pa.StringArray:
        """See :meth:`KernelColumn.whole`."""
        if self.is_usual:
            return quote(self.array.cast(pa.string()))
        days = self.array.view(pa.int32()).to_pylist()
        return quote(pa.array([None if day is None else date_text(day) for day in days], pa.string()))


@dataclass(frozen=True)
class Integers(KernelColumn):
    """Integers.

    Attributes:
        quoted_from: the smallest magnitude that is written as a string.
    """

    quoted_from: int = NEVER

    def whole(self) -> pa.StringArray:
        """See :meth:`KernelColumn.whole`."""
        texts = self.array.cast(pa.string())
        if self.quoted_from == ALWAYS:
            return quote(texts)
        values = _integers(self.array)
        if not len(values) or (values.min() > -self.quoted_from and values.max() < self.quoted_from):
            return texts
        most = self.quoted_from - 1
        safe = pc.and_(pc.greater_equal(self.array, -most), pc.less_equal(self.array, most))
        return pc.if_else(safe, texts, quote(texts))


@dataclass(frozen=True)
class Lists(KernelColumn):
    """Lists of integers.

    Attributes:
        quoted_from: the smallest magnitude that is written as a string.
    """

    quoted_from: int = NEVER

    def whole(self) -> pa.StringArray:
        """See :meth:`KernelColumn.whole`."""
        lengths = pc.fill_null(pc.list_value_length(self.array), 0).cast(pa.int32())
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
        numbers = pc.fill_null(Integers(self.array.flatten(), self.quoted_from).whole(), "null")
        inner = pc.binary_join(pa.ListArray.from_arrays(offsets, numbers), ",")
        return only_where(self.array, pc.binary_join_element_wise("[", inner, "]", ""))


RowPart: TypeAlias = str | pa.Array | KernelColumn
"""A constant text for all rows, an array of JSON texts without nulls, or a column to be written."""


def _is_plain(array: pa.StringArray) -> bool:
    """Return whether no text needs an escape."""
    _, offsets, octets = array.buffers()
    if octets is None or not len(array):
        return True
    bounds = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
    text = np.frombuffer(octets, np.uint8)[bounds[0] : bounds[-1]]
    if not len(text):
        return True
    return bool(text.min() >= 0x20) and not (text == ord('"')).any() and not (text == ord("\\")).any()


def quote(array: pa.Array) -> pa.Array:
    """Put texts in quotation marks."""
    return pc.binary_join_element_wise('"', array, '"', "")


def only_where(array: pa.Array, texts: pa.Array) -> pa.Array:
    """Return the texts, null where ``array`` is null."""
    return texts if array.null_count == 0 else pc.if_else(array.is_valid(), texts, pa.scalar(None, pa.string()))


def _integers(array: pa.Array) -> NDArray[np.integer[Any]]:
    """Return the integers; values under nulls are arbitrary, and at worst select the slower path."""
    every = np.frombuffer(array.buffers()[1], number_type(array.type))
    return cast("NDArray[np.integer[Any]]", every[array.offset : array.offset + len(array)])
