"""The bounds of a column over a snapshot's files: by partition, and in groups that can be drawn."""

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
from lakemuster.planner.statistics.bounds_map import BoundsMap, bounds_map
from lakemuster.planner.statistics.file_bounds import FileBounds, file_bounds
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.statistics.numbers import Ints
from lakemuster.planner.statistics.overlap import bound_order
from lakemuster.planner.statistics.partition_overlap import overlap_table
from lakemuster.planner.view import View
from lakemuster.predicates import NanMode
from lakemuster.wire.native.statistics import BoundsOut
from lakemuster.wire.rows import json_items

_BOUNDS = ("lower", "last_lower", "median_upper", "upper")


def overlap_of(services: Services, view: View, column: str) -> RowSource:
    """Return how far the files of each partition overlap on a column, computed once and cached.

    Raises:
        RequestInvalid: the table has no such column of a primitive type with an order.
        FormatUnsupported: a second branch that cannot be read with this one.
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
    placed = {"files": found.map.groups.files, "kept": found.map.groups.kept}
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
            "open_files": found.map.open_files,
            "kept_open_files": found.map.kept_open_files,
            "empty_files": found.map.empty_files,
            "kept_empty_files": found.map.kept_empty_files,
            "groups": [dict(zip(names, row, strict=True)) for row in rows],
        }
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A map of bounds with the values of its groups, in the JSON single-value form."""

    type: str
    files: int
    kept_files: int
    map: BoundsMap
    values: dict[str, list[Any]]


def _key(questions: Sequence[Question]) -> tuple[object, ...]:
    return tuple((of.scan.cache_key, of.bound, of.is_whole) for of in questions)


@cached("statistics", lambda table: table.nbytes, lambda questions, column: (*_key(questions), column))
def _overlap(questions: Sequence[Question], column: str) -> pa.Table:
    found = _found(questions, column, partitions=True)
    return overlap_table(found, questions[0].scan.view)


@cached(
    "statistics",
    lambda found: 2000 + 400 * len(found.map.groups.files),
    lambda every, kept, column, groups: (_key(every), None if kept is None else _key(kept), column, groups),
)
def _drawn(every: Sequence[Question], kept: Sequence[Question] | None, column: str, groups: int) -> _Drawn:
    whole = _found(every, column)
    again = whole if kept is None else _found(kept, column)
    lower, upper = pa.concat_arrays([whole.lower, again.lower]), pa.concat_arrays([whole.upper, again.upper])
    files = len(whole.holding)
    holding = np.concatenate([whole.holding, again.holding])
    found = bounds_map(bound_order(lower, upper, whole.kind), holding, files, groups)
    places = found.groups
    values = {
        name: _json(lower if name.endswith("lower") else upper, getattr(places, name), whole.kind) for name in _BOUNDS
    }
    return _Drawn(whole.kind.text, files, len(again.holding), found, values)


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
