"""The files of a plan as parts that tasks read, packed by size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.model import Split


@dataclass(frozen=True, slots=True)
class Packing:
    """How much a task reads.

    Attributes:
        target_size: bytes of files that a task reads; one that is larger is read alone.
        open_file_cost: bytes that a file counts for at least.
    """

    target_size: int
    open_file_cost: int


def splits_of(files: pa.Table, deletes: pa.Table) -> list[Split]:
    """The splits of a plan: what the server put together (Paimon's), else each file by itself.

    Args:
        files: ``Plan.to_arrow()``.
        deletes: ``Plan.deletes_to_arrow()``; the ``deletes`` of a file are places in it.
    """
    marks = deletes.to_pylist()
    rows: Iterable[dict[str, Any]] = files.to_pylist()
    together: dict[object, list[Row]] = {}
    for number, row in enumerate(rows):
        row["deletes"] = [marks[place] for place in row.get("deletes") or ()]
        split = row.get("split")
        together.setdefault(("file", number) if split is None else ("split", split), []).append(row)
    return [Split(tuple(files)) for files in together.values()]


def pack(splits: Sequence[Split], packing: Packing) -> Iterator[tuple[Split, ...]]:
    """Splits in their order, as many to a part as come to the target size; none is torn."""
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


def _weight(file: Mapping[str, Any], open_file_cost: int) -> int:
    size = file["file_size_in_bytes"] + sum(mark.get("file_size_in_bytes") or 0 for mark in file["deletes"])
    return max(int(size), open_file_cost)
