"""Encode Paimon's BinaryRow column by column: the keys, partitions and statistics of its manifests.

Source: the layout of ``org.apache.paimon.data.BinaryRow`` and its serialised form with a big-endian arity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import avro
from benchmarks.avro import Mask, Values
from benchmarks.columns import Kind, Longs


@dataclass(frozen=True, slots=True)
class Cell:
    """One column of the rows; null where ``present`` is False."""

    kind: Kind
    values: Any
    present: Mask | None = None


def rows(cells: list[Cell], count: int) -> Values:
    """Return the serialised rows, as Avro ``bytes``."""
    arity = avro.constant(len(cells).to_bytes(4, "big"), count)
    header = np.zeros((count, (len(cells) + 63 + 8) // 64 * 8), np.uint8)
    offset = np.full(count, header.shape[1] + 8 * len(cells), np.int64)
    slots, tails = [], []
    for position, cell in enumerate(cells):
        present = np.ones(count, np.bool_) if cell.present is None else cell.present
        header[:, (position + 8) // 8] |= (~present).astype(np.uint8) << (position % 8)
        slot, tail = _slot(cell, offset)
        slots.append(avro.fixed(np.where(present, slot, 0)))
        if tail is not None:
            tails.append(tail.where(present))
            offset += tails[-1].lengths
    return avro.joined([arity, avro.fixed(header), *slots, *tails]).framed()


def _slot(cell: Cell, offset: Longs) -> tuple[Any, Values | None]:
    """Return a cell's eight bytes as a number, and its bytes in the row's variable-length part."""
    match cell.kind:
        case "double":
            return cell.values.view(np.int64), None
        case "timestamptz":
            nanos = cell.values % 1_000 * 1_000
            return offset << 32 | nanos, avro.fixed(cell.values // 1_000)
        case "string":
            return _text(avro.texts(cell.values), offset)
    unsigned = {1: np.uint8, 4: np.uint32, 8: np.uint64}[cell.values.dtype.itemsize]
    return cell.values.view(unsigned).astype(np.int64), None


def _text(text: Values, offset: Longs) -> tuple[Any, Values]:
    width = max(8, -(-text.data.shape[1] // 8) * 8)
    padded = np.zeros((len(text), width), np.uint8)
    padded[:, : text.data.shape[1]] = np.where(
        np.arange(text.data.shape[1]) < text.lengths[:, None], text.data, np.uint8(0)
    )
    inline = padded[:, :8].copy()
    inline[:, 7] = 0x80 | text.lengths
    is_short = text.lengths <= 7
    slot = np.where(is_short, inline.view(np.int64).ravel(), offset << 32 | text.lengths)
    return slot, Values(padded, np.where(is_short, 0, -(-text.lengths // 8) * 8))
