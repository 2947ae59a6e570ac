"""Bugs to plant in aggregates of Paimon tables: effects of merging are ignored."""

from __future__ import annotations

from typing import Any

import numpy as np

from lakemuster.planner.aggregates import interval
from lakemuster.planner.aggregates.row_rules import RowsGiven
from lakemuster.planner.paimon import merge_groups, rows_given
from tests.unit.planner.oracle.planting import Patch, Planted, instead

PLANTED_AGGREGATES = Planted()
planted = PLANTED_AGGREGATES.named


@planted("files of a keyed bucket are not merged", "merging")
def _(patch: Patch) -> None:
    patch.setattr(rows_given, "_alone", lambda files: np.ones(len(files.places), np.bool_))


@planted("deletion vectors delete nothing", "vectors")
def _(patch: Patch) -> None:
    def none(files: Any) -> Any:
        nothing = np.zeros(len(files.places), np.int64)
        return nothing, nothing > 0

    patch.setattr(rows_given, "_in_vectors", none)


@planted("a vector of unknown size is empty", "vectors")
def _(patch: Patch) -> None:
    instead(patch, rows_given, "_in_vectors", lambda real: lambda files: (real(files)[0], real(files)[1] & False))


@planted("files of the same row ids are counted each", "evolved")
def _(patch: Patch) -> None:
    def each(scan: Any, bound: Any) -> Any:
        records = merge_groups.chosen(scan, bound).numbers("record_count")
        return records, records

    patch.setattr(rows_given, "_of_ranges", each)


@planted("merged values are described by their files")
def _(patch: Patch) -> None:
    patch.setattr(rows_given, "_only", lambda stats, _: stats)


@planted("values prove matches where files are merged", "merging")
def _(patch: Patch) -> None:
    patch.setattr(rows_given, "_MERGED", rows_given._ALONE)
    instead(patch, rows_given.PaimonRowsGiven, "rows", lambda real: lambda *of: _all_given(real(*of)))


def _all_given(given: RowsGiven) -> RowsGiven:
    """Return rows as if no file hid a row of another."""
    return RowsGiven(np.maximum(given.most, 0), given.most)


@planted("nulls that are not counted are none", "append")
def _(patch: Patch) -> None:
    instead(patch, interval.Exclusions, "nulls", lambda real: lambda *of: np.maximum(real(*of), 0))


@planted("NaN that is not counted is none", "append")
def _(patch: Patch) -> None:
    instead(patch, interval.Exclusions, "nans", lambda real: lambda *of: np.maximum(real(*of), 0))
