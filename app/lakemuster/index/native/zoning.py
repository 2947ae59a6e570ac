"""Compute the zones of many fields at once with the compiled kernel: build its tables and read its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index.native import kernel
from lakemuster.index.native.kernel import BIT, D8, D16, F4, F8, FIXED, I1, I2, I4, I8, TEXT
from lakemuster.index.native.kernel_texts import AFTER, BEFORE
from lakemuster.index.native.memory import addresses_of
from lakemuster.kernels.loading import Kernel

find_compiled = Kernel(kernel.zones_of)
is_available = find_compiled.is_available

Places = NDArray[np.int64]
Octets = NDArray[np.uint8]

NONE = -1
"""Stands for a missing column."""

PARTS = 5
"""Parts of a field: lower and upper bounds, counts of nulls, of NaN, of values."""

_WORD = 8
_DIGITS_OF_A_WORD = 18
_INTEGERS = {1: int(I1), 2: int(I2), 4: int(I4), 8: int(I8)}
_ALIGNED = 64
_BEYOND = 1 << 32
"""Maximum bytes of a buffer: offsets of texts have 32 bits."""


@lru_cache(maxsize=256)
def _form(of: pa.DataType) -> tuple[int, int] | None:
    """The kernel's form of a type and the bytes of a value (of texts: of an offset); None when it is not supported."""
    if pa.types.is_boolean(of):
        return int(BIT), 0
    if pa.types.is_float32(of) or pa.types.is_float64(of):
        return int(F4 if of.bit_width == 32 else F8), of.bit_width // 8
    if pa.types.is_signed_integer(of) or (pa.types.is_temporal(of) and not pa.types.is_interval(of)):
        return _INTEGERS[of.bit_width // 8], of.bit_width // 8
    if pa.types.is_decimal128(of):
        return int(D8 if of.precision <= _DIGITS_OF_A_WORD else D16), 16
    if pa.types.is_string(of) or pa.types.is_binary(of):
        return int(TEXT), 4
    return (int(FIXED), of.byte_width) if pa.types.is_fixed_size_binary(of) else None


def can_zone(of: pa.DataType) -> bool:
    """Whether the kernel supports columns of a type."""
    return _form(of) is not None


@dataclass(frozen=True, slots=True)
class ZoneProgram:
    """The kernel's instructions for columns of given types.

    Attributes:
        types: types of all columns.
        forms: (C, 2) as from ``_form``; 0 for unused columns.
        used: (C,) whether the column belongs to a field.
        bounds, totals: the kernel's arguments, except for places.
        bound_parts, total_parts: the part that each one computes; ``PARTS`` parts per field, in the order of fields.
        parts: number of parts.
    """

    types: tuple[pa.DataType, ...]
    forms: Places
    used: NDArray[np.bool_]
    bounds: Places
    totals: Places
    bound_parts: list[int]
    total_parts: list[int]
    parts: int

    @classmethod
    def of(cls, types: Sequence[pa.DataType], fields: Places) -> ZoneProgram:
        """Build a program for fields: (F, 5) the column of each part, of a type that ``can_zone``, or ``NONE``."""
        used = np.zeros(len(types), np.bool_)
        used[fields[fields != NONE]] = True
        forms = np.array([form if use and (form := _form(of)) else (0, 0) for of, use in zip(types, used, strict=True)])
        parts = np.flatnonzero(fields.ravel() != NONE)
        numbers, columns = parts % PARTS, fields.ravel()[parts]
        bounded, counted = numbers < 2, numbers >= 2
        proofs = fields[parts[bounded] // PARTS][:, [2, 4]]
        wanted = np.where(numbers[bounded], int(AFTER), int(BEFORE))
        places = np.zeros(len(wanted), np.int64)
        return cls(
            tuple(types),
            forms.reshape(-1, 2),
            used,
            np.column_stack([columns[bounded], wanted, places, proofs]),
            np.column_stack([columns[counted], numbers[counted] == PARTS - 1, np.zeros(int(counted.sum()), np.int64)]),
            parts[bounded].tolist(),
            parts[counted].tolist(),
            fields.size,
        )


def zones_of(
    program: ZoneProgram,
    batches: Sequence[pa.RecordBatch],
    starts: Places,
    find: Callable[..., int] = find_compiled,
    memory: pa.Buffer | None = None,
) -> list[pa.Array | None] | None:
    """Compute the parts of the zones of all fields; None for a part that is missing or unknown throughout.

    Args:
        batches: the columns, all of the same entries.
        starts: (Z,) the entries at which zones begin, at least one.
        find: the kernel to use.
        memory: the buffer that holds all columns; None to use their addresses.

    Returns:
        None when the memory layout of the columns is not the one that the kernel expects.
    """
    table = _columns(np.concatenate([addresses_of(batch) for batch in batches]), program, memory)
    if table is None:
        return None
    columns, octets = table
    zones, rows, many = len(starts), batches[0].num_rows, len(program.totals)
    bounds, totals = program.bounds.copy(), program.totals.copy()
    forms, widths = program.forms[bounds[:, 0]].T
    widths = np.where(forms == BIT, 1, np.where(forms >= D16, _WORD, widths))
    sizes = -(-zones * widths // _WORD) * _WORD
    begins = _WORD * many * zones + np.cumsum(sizes) - sizes
    bounds[:, int(kernel.PLACE)] = begins // np.where(forms == I2, 1, np.minimum(widths, _WORD))
    totals[:, int(kernel.PLACE)] = np.arange(many) * zones
    found = np.zeros(_WORD * many * zones + int(sizes.sum()), np.uint8)
    unknown = np.zeros((len(bounds), zones), np.uint8)
    find(
        octets,
        octets.view(np.uint32),
        octets.view(np.uint64),
        columns,
        bounds.astype(np.uint64),
        totals.astype(np.uint64),
        np.append(starts, rows).astype(np.uint64),
        found,
        found.view(np.uint32),
        found.view(np.uint64),
        unknown,
    )
    parts: list[pa.Array | None] = [None] * program.parts
    whole, word = pa.py_buffer(found), pa.int64()
    for number, part in enumerate(program.total_parts):
        parts[part] = pa.Array.from_buffers(word, zones, [None, whole], 0, number * zones)
    chosen = np.flatnonzero(forms >= D16)
    gathered = _gathered(octets, columns[bounds[chosen, 0]], found, begins[chosen], unknown[chosen])
    buffers = dict(zip(chosen.tolist(), gathered, strict=True))
    missing, bits_of = unknown.sum(axis=1).tolist(), frozenset(np.flatnonzero(forms == BIT).tolist())
    places = zip(program.bound_parts, bounds[:, 0].tolist(), begins.tolist(), widths.tolist(), missing, strict=True)
    for number, (part, column, begin, width, nulls) in enumerate(places):
        if nulls == zones:
            continue
        values = buffers.get(number) or [whole.slice(begin, zones * width)]
        if number in bits_of:
            values = [pa.py_buffer(np.packbits(found[begin : begin + zones], bitorder="little"))]
        bits = pa.py_buffer(np.packbits(unknown[number] == 0, bitorder="little")) if nulls else None
        parts[part] = pa.Array.from_buffers(program.types[column], zones, [bits, *values], nulls)
    return parts


def _gathered(
    octets: Octets, columns: NDArray[np.uint64], found: Octets, begins: Places, unknown: Octets
) -> list[list[pa.Buffer]]:
    """The buffers of bounds longer than a word, gathered from the entries that the kernel found."""
    zones = unknown.shape[1]
    entries = found.view(np.int64)[(begins // _WORD)[:, None] + np.arange(zones)]
    _, data, base, form, size = columns.astype(np.int64).T[:, :, None]
    size = np.where(form == D16, 16, size)
    at, lengths = data + size * entries, np.broadcast_to(size, entries.shape)
    texts = np.flatnonzero(form == TEXT)
    if len(texts):
        offsets, places = octets.view(np.int32), (data[texts] >> 2) + entries[texts]
        lengths = lengths.copy()
        at[texts] = base[texts] + offsets[places]
        lengths[texts] = offsets[places + 1] - offsets[places]
    # Unknown bounds have no bytes in a column of texts, and zeros in others.
    lengths = np.where((unknown != 0) & (form == TEXT), 0, lengths)
    ends = np.zeros((len(entries), zones + 1), np.int32)
    np.cumsum(lengths, axis=1, out=ends[:, 1:])
    firsts = np.cumsum(lengths.ravel()) - lengths.ravel()
    places = np.repeat(at.ravel() - firsts, lengths.ravel()) + np.arange(int(lengths.sum()))
    values = octets[places]
    values[np.repeat(unknown.ravel() != 0, lengths.ravel())] = 0
    edges = np.cumsum(np.append(0, ends[:, -1])).tolist()
    whole, spans = pa.py_buffer(values), [(begin, end - begin) for begin, end in pairwise(edges)]
    whole_ends, width = pa.py_buffer(ends), 4 * (zones + 1)
    return [
        [whole_ends.slice(number * width, width), whole.slice(*span)] if is_text else [whole.slice(*span)]
        for number, (span, is_text) in enumerate(zip(spans, (form[:, 0] == TEXT).tolist(), strict=True))
    ]


def _columns(
    addresses: Places, program: ZoneProgram, memory: pa.Buffer | None
) -> tuple[NDArray[np.uint64], Octets] | None:
    """The kernel's table of columns, and the memory that holds them; None when a column is not aligned."""
    first, valid, data, base = addresses.T
    form, width = program.forms.T
    texts = program.used & (form == TEXT)
    begin = data + first * width
    aligned = np.where(form >= D8, np.where(form == FIXED, 1, np.minimum(width, _WORD)), np.maximum(width, 1))
    own = np.concatenate([valid[program.used], data[program.used], base[texts]])
    own = own[own != 0]
    if not len(own) or (begin % aligned)[program.used].any():
        return None
    if memory is None:
        low = int(own.min()) // _ALIGNED * _ALIGNED
        size = (int(own.max()) - low + _BEYOND) // _ALIGNED * _ALIGNED
        memory = pa.foreign_buffer(low, size, addresses)
    low = memory.address
    table = np.zeros((len(addresses), 5), np.uint64)
    table[:, int(kernel.VALID)] = np.where(valid == 0, NONE, (valid - low) * 8 + first).astype(np.uint64)
    table[:, int(kernel.DATA)] = np.where(form == BIT, (data - low) * 8 + first, begin - low).astype(np.uint64)
    table[:, int(kernel.BASE)] = np.where(base == 0, 0, base - low).astype(np.uint64)
    table[:, int(kernel.FORM)] = form.astype(np.uint64)
    table[:, int(kernel.SIZE)] = np.where(form == FIXED, width, 0).astype(np.uint64)
    return table, np.frombuffer(memory, np.uint8)
