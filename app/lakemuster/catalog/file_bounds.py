"""The bounds of a column over a snapshot's files: by partition, and in groups for drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from lakemuster.caching import cached
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.services import Services
from lakemuster.catalog.statistics import questions_of
from lakemuster.errors import RequestInvalid
from lakemuster.metadata.files import typed_field
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.rows import RowSource, TableSource
from lakemuster.planner.statistics.bounds_map import Groups, SortedFiles, groups_of, sorted_files
from lakemuster.planner.statistics.file_bounds import FileBounds, file_bounds
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.statistics.numbers import Ints
from lakemuster.planner.statistics.overlap import BoundOrder, bound_order
from lakemuster.planner.statistics.partition_overlap import overlap_table
from lakemuster.planner.view import View
from lakemuster.predicates import NanMode
from lakemuster.wire.native.statistics import BoundsOut
from lakemuster.wire.rows import json_items

_BOUNDS = ("lower", "last_lower", "median_upper", "upper")


def overlap_of(services: Services, view: View, column: str) -> RowSource:
    """Return how much the files of each partition overlap on a column, computed once and cached.

    Raises:
        RequestInvalid: the table has no such column of a primitive type with an order.
        FormatUnsupported: the second branch cannot be read with this one.
    """
    questions = questions_of(services, view, None, "any")
    return TableSource("overlap", _overlap(questions, column), view.snapshot_id)


def bounds_out(
    services: Services, view: View, column: str, groups: int, given: Filter | None, nan: NanMode, stale: str | None
) -> BoundsOut:
    """Return the files of a snapshot as intervals of a column, in at most ``groups`` groups.

    Raises:
        RequestInvalid, FormatUnsupported: as for :func:`overlap_of`.
        FilterInvalid: the filter does not fit the columns.
    """
    every = questions_of(services, view, None, "any")
    kept = None if given is None else questions_of(services, view, given, nan)
    found = _drawn(every, kept, column, groups)
    placed = {"files": found.groups.files, "kept": found.groups.kept}
    rows = zip(*(of.tolist() for of in placed.values()), *(found.values[name] for name in _BOUNDS), strict=True)
    names = (*placed, "lower_bound", "last_lower_bound", "median_upper_bound", "upper_bound")
    return BoundsOut.model_validate(
        {
            "column": column,
            "type": found.type,
            "snapshot_id": view.snapshot_id,
            "stale": stale,
            "files": found.files,
            "kept_files": found.kept_files,
            "open_files": found.every.open_files,
            "kept_open_files": found.kept.open_files,
            "empty_files": found.every.empty_files,
            "kept_empty_files": found.kept.empty_files,
            "groups": [dict(zip(names, row, strict=True)) for row in rows],
        }
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Groups of files with their values, in the JSON single-value form."""

    type: str
    files: int
    every: SortedFiles
    kept_files: int
    kept: SortedFiles
    groups: Groups
    values: dict[str, list[Any]]


def _key(questions: Sequence[Question]) -> tuple[object, ...]:
    return tuple((of.scan.cache_key, of.bound, of.is_whole) for of in questions)


@cached("statistics", lambda table: table.nbytes, lambda questions, column: (*_key(questions), column))
def _overlap(questions: Sequence[Question], column: str) -> pa.Table:
    found = _found(questions, column, partitions=True)
    return overlap_table(found, questions[0].scan.view)


@dataclass(frozen=True, slots=True)
class _Files:
    """The bounds of files, and the files sorted by them."""

    bounds: FileBounds
    sorted: SortedFiles

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        arrays = (self.bounds.lower, self.bounds.upper, self.bounds.holding, self.bounds.partitions)
        return sum(of.nbytes for of in (*arrays, self.sorted.places, self.sorted.lower, self.sorted.upper))


@cached("statistics", lambda found: found.nbytes, lambda questions, column: (*_key(questions), column))
def _sorted(questions: Sequence[Question], column: str) -> _Files:
    found = _found(questions, column)
    return _Files(found, sorted_files(found.order(), found.holding))


@cached(
    "statistics",
    lambda found: 2000 + 400 * len(found.groups.files),
    lambda every, kept, column, groups: (_key(every), None if kept is None else _key(kept), column, groups),
)
def _drawn(every: Sequence[Question], kept: Sequence[Question] | None, column: str, groups: int) -> _Drawn:
    whole = _sorted(every, column)
    bounds, files = whole.bounds, whole.sorted
    rest, kept_files = files, len(bounds.holding)
    if kept is not None:
        again = _found(kept, column)
        kept_files = len(again.holding)
        if files.lower.dtype == np.uint64:
            rest = sorted_files(again.order(), again.holding)
        else:
            files, rest = _ranked(bounds, again)
    found = groups_of(files, rest, groups)
    values = {
        name: _json(bounds.lower if name.endswith("lower") else bounds.upper, getattr(found, name), bounds.kind)
        for name in _BOUNDS
    }
    return _Drawn(bounds.kind.text, len(bounds.holding), files, kept_files, rest, found, values)


def _ranked(every: FileBounds, kept: FileBounds) -> tuple[SortedFiles, SortedFiles]:
    """Sort both by ranks, which are comparable only if they are computed for both together."""
    lower, upper = (pa.concat_arrays(of) for of in ([every.lower, kept.lower], [every.upper, kept.upper]))
    order, files = bound_order(lower, upper, every.kind), len(every.holding)
    lowers, has_lower, uppers, has_upper = order
    first = BoundOrder(lowers[:files], has_lower[:files], uppers[:files], has_upper[:files])
    rest = BoundOrder(lowers[files:], has_lower[files:], uppers[files:], has_upper[files:])
    return sorted_files(first, every.holding), sorted_files(rest, kept.holding)


def _found(questions: Sequence[Question], column: str, *, partitions: bool = False) -> FileBounds:
    found = file_bounds(questions, column, partitions=partitions)
    if found is None:
        raise RequestInvalid(f"no column {column[:100]!r} of a primitive type whose values have an order")
    return found


def _json(bounds: pa.Array, places: Ints, kind: Primitive) -> list[Any]:
    """Return bounds in the JSON single-value form."""
    values = bounds.take(pa.array(places)).cast(arrow_type(kind))
    batch = pa.RecordBatch.from_arrays([values], schema=pa.schema([typed_field("v", values.type, kind.text)]))
    return [row["v"] for row in orjson.loads(b"[" + bytes(json_items(batch)) + b"]")]
