"""Gather a few entries each of many manifests into one batch, column by column.

Arrow's ``take`` costs some ten microseconds for each column of each batch, however few rows it takes. Reading from
cached numpy views of the columns' buffers takes a tenth of that. Columns with nulls, and rare types, are left to Arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index.segments import Segment
from lakemuster.planner.pruning.bounds import numbers_of

CACHED_BATCHES = 8
"""Cached :class:`BatchColumns` for each open segment."""

RowNumbers = NDArray[np.int64]
Numbers = NDArray[np.generic]
Ends = NDArray[np.int32]
Item = TypeVar("Item", bound=np.generic)


class TextBuffers(NamedTuple):
    """Texts or bytes: where each begins and ends in ``data``."""

    starts: Ends
    stops: Ends
    data: memoryview | bytes


class ListBuffers(NamedTuple):
    """Lists of numbers: where each begins and ends in ``numbers``."""

    starts: Ends
    stops: Ends
    numbers: Numbers


ColumnBuffers = Numbers | TextBuffers | ListBuffers | None
"""The buffers of a column; None for columns that are left to Arrow. A value that all rows share is stored once."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchColumns:
    """Some columns of one batch of a segment.

    Attributes:
        batch: these columns only, without the segment's metadata.
        schema: one object for consecutive batches with equal schemas.
    """

    batch: pa.RecordBatch
    schema: pa.Schema
    plain: tuple[ColumnBuffers, ...]


_cached_batches: WeakKeyDictionary[Segment, dict[tuple[int, tuple[str, ...]], BatchColumns]] = WeakKeyDictionary()
_schemas: list[pa.Schema] = [pa.schema([])]
"""The schema of the previous batch."""


def batch_columns(segment: Segment, number: int, names: tuple[str, ...]) -> BatchColumns:
    """Return columns of a batch, cached by segment.

    Raises:
        KeyError: the segment has no such column.
        SegmentCorrupt: the segment does not read back.
    """
    known = _cached_batches.setdefault(segment, {})
    if (found := known.get((number, names))) is None:
        batch = segment.batch(number, names).replace_schema_metadata(None)
        schema = batch.schema
        if schema.equals(_schemas[0], check_metadata=True):
            schema = _schemas[0]
        _schemas[0] = schema
        if len(known) >= CACHED_BATCHES:
            known.clear()
        found = known[number, names] = BatchColumns(batch, schema, tuple(map(_plain, batch.columns)))
    return found


def gathered_entries(parts: Sequence[tuple[BatchColumns, RowNumbers]]) -> pa.RecordBatch:
    """Concatenate rows of several batches.

    Args:
        parts: columns of one schema, each with the positions of its rows in the batch, at least one.

    Raises:
        pa.ArrowCapacityError: the texts exceed what one Arrow array holds.
    """
    schema, places = parts[0][0].schema, [rows for _, rows in parts]
    arrays = []
    for number, field in enumerate(schema):
        plain = [columns.plain[number] for columns, _ in parts]
        kinds = set(map(type, plain))
        if kinds == {np.ndarray}:
            arrays.append(_array(field.type, _numbers(plain, places)))  # type: ignore[arg-type]
        elif kinds == {TextBuffers}:
            arrays.append(_texts(field.type, plain, places))  # type: ignore[arg-type]
        elif kinds == {ListBuffers}:
            arrays.append(_lists(field.type, plain, places))  # type: ignore[arg-type]
        else:
            taken = [columns.batch.column(number).take(pa.array(rows)) for columns, rows in parts]
            arrays.append(pa.concat_arrays(taken))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _plain(column: pa.Array) -> ColumnBuffers:
    rows = len(column)
    if not rows or column.null_count or column.offset:
        return None
    if pa.types.is_string(column.type) or pa.types.is_binary(column.type):
        _, ends, buffer = column.buffers()
        starts, stops = _ends(ends, rows)
        data = memoryview(b"" if buffer is None else buffer)
        if (one := _shared_text(starts, stops, data)) is not None:
            zero, length = np.zeros(1, np.int32), np.full(1, len(one), np.int32)
            return TextBuffers(_same(zero, rows), _same(length, rows), one)
        return TextBuffers(starts, stops, data)
    if pa.types.is_list(column.type):
        child = column.values
        numbers = None if child.null_count else numbers_of(child)
        return None if numbers is None else ListBuffers(*_ends(column.buffers()[1], rows), numbers)
    numbers = numbers_of(column)
    if (
        numbers is not None
        and numbers.dtype.kind == "i"
        and numbers[0] == numbers[-1]
        and (numbers == numbers[0]).all()
    ):
        return _same(numbers[:1].copy(), rows)
    return numbers


def _shared_text(starts: Ends, stops: Ends, data: memoryview) -> bytes | None:
    """Return the text that all rows share; None if they differ."""
    first, last = bytes(data[starts[0] : stops[0]]), bytes(data[starts[-1] : stops[-1]])
    if first != last or not (stops - starts == len(first)).all():
        return None
    return first if bytes(data[starts[0] : stops[-1]]) == first * len(starts) else None


def _same(one: NDArray[Item], rows: int) -> NDArray[Item]:
    return np.broadcast_to(one, rows)


def _ends(buffer: pa.Buffer, rows: int) -> tuple[Ends, Ends]:
    ends = np.frombuffer(buffer, np.int32, rows + 1)
    return ends[:-1], ends[1:]


def _numbers(plain: Sequence[Numbers], places: Sequence[RowNumbers]) -> NDArray[Any]:
    return np.concatenate([numbers[rows] for numbers, rows in zip(plain, places, strict=True)])


def _array(kind: pa.DataType, numbers: Numbers) -> pa.Array:
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)], 0)


def _texts(kind: pa.DataType, plain: Sequence[TextBuffers], places: Sequence[RowNumbers]) -> pa.Array:
    starts = _numbers([texts.starts for texts in plain], places)
    stops = _numbers([texts.stops for texts in plain], places)
    data = chain.from_iterable([texts.data] * len(rows) for texts, rows in zip(plain, places, strict=True))
    found = [of[start:stop] for of, start, stop in zip(data, starts.tolist(), stops.tolist(), strict=True)]
    buffers = [None, pa.py_buffer(_ends_of(stops - starts)), pa.py_buffer(b"".join(found))]
    return pa.Array.from_buffers(kind, len(starts), buffers, 0)


def _lists(kind: pa.DataType, plain: Sequence[ListBuffers], places: Sequence[RowNumbers]) -> pa.Array:
    lengths, inside = [], []
    for lists, rows in zip(plain, places, strict=True):
        starts: NDArray[Any] = lists.starts[rows]
        own = lists.stops[rows] - starts
        ends = own.cumsum()
        inside.append(np.arange(ends[-1]) + (starts - (ends - own)).repeat(own))
        lengths.append(own)
    numbers = _array(kind.value_type, _numbers([lists.numbers for lists in plain], inside))
    return pa.ListArray.from_arrays(pa.array(_ends_of(np.concatenate(lengths))), numbers, type=kind)


def _ends_of(lengths: NDArray[Any]) -> Ends:
    if lengths.sum(dtype=np.int64) > np.iinfo(np.int32).max:
        raise pa.ArrowCapacityError("values of more than 2 GiB")
    ends = np.zeros(len(lengths) + 1, np.int32)
    lengths.cumsum(out=ends[1:])
    return ends
