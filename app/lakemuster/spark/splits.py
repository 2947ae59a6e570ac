"""Divide the files of a plan between tasks: cut large files, pack small ones by size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.client.model import Row
from lakemuster.spark.reading.model import BYTE_RANGE, Split


@dataclass(frozen=True, slots=True)
class Packing:
    """Sizes by which files are divided between tasks.

    Attributes:
        target_size: bytes that a task reads; larger files are cut if possible.
        open_file_cost: the minimum weight of a file, or of a piece of one, in bytes.
    """

    target_size: int
    open_file_cost: int

    @property
    def piece_size(self) -> int:
        """Bytes of a piece of a file; not less than the cost of opening it."""
        return max(self.target_size, self.open_file_cost)


def splits_of(files: pa.Table, deletes: pa.Table) -> list[Split]:
    """Return the splits of a plan: those of the server (Paimon), else one per file.

    Args:
        files: ``Plan.to_arrow()``.
        deletes: ``Plan.deletes_to_arrow()``; a file's ``deletes`` are row indices in it.
    """
    marks = deletes.to_pylist()
    rows: Iterable[dict[str, Any]] = _without_nanoseconds(files).to_pylist()
    together: dict[object, list[Row]] = {}
    for number, row in enumerate(rows):
        row["deletes"] = [marks[place] for place in row.get("deletes") or ()]
        split = row.get("split")
        together.setdefault(("file", number) if split is None else ("split", split), []).append(row)
    return [Split(tuple(files)) for files in together.values()]


def _without_nanoseconds(files: pa.Table) -> pa.Table:
    """Round the timestamps of partitions and keys down to microseconds, as in rows; Python has no finer ones."""
    for place, field in enumerate(files.schema):
        if _has_nanoseconds(field.type):
            files = files.set_column(place, field.name, _floored(files.column(place).combine_chunks()))
    return files


def _floored(values: pa.Array) -> pa.Array:
    of = values.type
    if pa.types.is_struct(of):
        inner = [_floored(values.field(place)) for place in range(of.num_fields)]
        return pa.StructArray.from_arrays(inner, names=of.names, mask=values.is_null())
    if not _has_nanoseconds(of):
        return values
    return pc.floor_temporal(values, unit="microsecond").cast(pa.timestamp("us", of.tz))


def _has_nanoseconds(of: pa.DataType) -> bool:
    if pa.types.is_struct(of):
        return any(_has_nanoseconds(field.type) for field in of)
    return bool(pa.types.is_timestamp(of) and of.unit == "ns")


def cut(splits: Iterable[Split], packing: Packing) -> Iterator[Split]:
    """Cut large Parquet files, if each is a split of its own, into pieces of about the target size.

    Pieces start at row groups if the plan has their offsets, and anywhere otherwise: a row group belongs to the piece
    that it starts in.
    """
    for split in splits:
        if len(split.files) > 1:
            yield split
        else:
            [file] = split.files
            yield from (Split((piece,)) for piece in _pieces(file, _cuts(file, packing.piece_size)))


def shared(splits: Iterable[Split], number: int, of: int) -> Iterator[Split]:
    """Yield range ``number`` of ``of`` equal byte ranges of each file; range 0 holds files that cannot be cut."""
    for split in splits:
        for file in split.files:
            size = int(file["file_size_in_bytes"])
            pieces = _pieces(file, [size * place // of for place in range(1, of)] if _can_be_cut(file) else [])
            if number < len(pieces):
                yield Split((pieces[number],))


def pack(splits: Sequence[Split], packing: Packing) -> Iterator[tuple[Split, ...]]:
    """Group splits, in order, into parts of up to the target size; a split is never divided."""
    held: list[Split] = []
    size = 0
    for split in splits:
        weight = sum(_weight(file, packing.open_file_cost) for file in split.files)
        if held and size + weight > packing.target_size:
            yield tuple(held)
            held, size = [], 0
        held.append(split)
        size += weight
    if held:
        yield tuple(held)


def _can_be_cut(file: Mapping[str, Any]) -> bool:
    # Paimon files that must be merged are not raw convertible.
    return bool(file["file_format"] == "parquet" and file.get("raw_convertible", True))


def _cuts(file: Mapping[str, Any], piece_size: int) -> list[int]:
    """Return the byte offsets where the second and later pieces of a file start."""
    size = int(file["file_size_in_bytes"])
    if size <= piece_size or not _can_be_cut(file):
        return []
    starts = file.get("split_offsets") or []
    if not starts or starts[-1] >= size or any(one >= following for one, following in pairwise([-1, *starts])):
        return list(range(piece_size, size, piece_size))
    cuts, begun = [], 0
    for start, end in pairwise([*starts, size]):
        if start > starts[0] and end - begun > piece_size:
            cuts.append(start)
            begun = start
    return cuts


def _pieces(file: Row, cuts: Sequence[int]) -> list[Row]:
    if not cuts:
        return [file]
    return [{**file, BYTE_RANGE: between} for between in pairwise([0, *cuts, None])]


def _weight(file: Mapping[str, Any], open_file_cost: int) -> int:
    size = int(file["file_size_in_bytes"])
    first, end = file.get(BYTE_RANGE) or (0, None)
    deletes = sum(mark.get("file_size_in_bytes") or 0 for mark in file["deletes"])
    return int(max((size if end is None else end) - first + deletes, open_file_cost))
