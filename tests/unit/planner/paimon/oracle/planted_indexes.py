"""Bugs to plant in file indexes: plausible misreadings of Paimon's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pyroaring import BitMap

from lakemuster.formats.paimon.file_index import evaluation
from lakemuster.formats.paimon.file_index.bitmap import BitmapIndex
from lakemuster.planner.paimon import file_indexes, reading
from lakemuster.predicates import BoundOr
from tests.unit.planner.oracle.planting import Bug, Patch, instead


def todays_names(patch: Patch) -> None:
    """Look up indexes by current column names."""

    def indexed_as(evolution: Any, field_id: int) -> Any:
        today = evolution.schemas[0]
        now = {today.names[field_id]: today.primitive(field_id)}
        return {schema.schema_id: next(iter(now.items())) for schema in evolution.schemas}

    patch.setattr(file_indexes, "indexed_as", indexed_as)


def both_of_an_or(patch: Patch) -> None:
    """Intersect the sides of an OR instead of uniting them."""

    def rows_of(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(own: Any, bound: Any) -> Any:
            if not isinstance(bound, BoundOr):
                return real(own, bound)
            found = [rows for child in bound.children if (rows := real(own, child)) is not None]
            return BitMap.intersection(*found) if found else None

        return wrong

    instead(patch, file_indexes.IndexedFile, "rows_of", rows_of)


def an_open_side_of_an_or(patch: Patch) -> None:
    """Take a side of an OR without an index as selecting no row."""

    def rows_of(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(own: Any, bound: Any) -> Any:
            if not isinstance(bound, BoundOr):
                return real(own, bound)
            found = [rows for child in bound.children if (rows := real(own, child)) is not None]
            return BitMap.union(*found) if found else None

        return wrong

    instead(patch, file_indexes.IndexedFile, "rows_of", rows_of)
    patch.setattr(file_indexes, "can_evaluate", lambda _: True)


def merged_files_alone(patch: Patch) -> None:
    """Drop merged files one by one."""
    patch.setattr(reading.PaimonReading, "indexes_drop_files", property(lambda _: True))


def nothing_is_null(patch: Patch) -> None:
    """Ignore the null rows of bitmap indexes."""
    patch.setattr(BitmapIndex, "nulls", property(lambda _: BitMap()))


def signed_hashes(patch: Patch) -> None:
    """Do not flip negative combined hashes of bloom filters."""

    def hashes(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(*asked: Any) -> Any:
            found = real(*asked)
            return None if found is None else tuple(code ^ (code >> 31 & 1) for code in found)

        return wrong

    instead(patch, evaluation, "filter_hashes", hashes)


def an_equal_too_few(patch: Patch) -> None:
    """Lose the last row of comparisons, as if ``<=`` were ``<``."""

    def compared(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(index: Any, *asked: Any) -> Any:
            found = real(index, *asked)
            return None if found is None else BitMap(np.array(found, np.uint32)[:-1])

        return wrong

    instead(patch, evaluation, "_compared", compared)


PLANTED_INDEXES: dict[str, tuple[Bug, str | None]] = {
    "indexes are found by today's names": (todays_names, "append"),
    "both sides of an OR must hold for one row": (both_of_an_or, "append"),
    "a side of an OR that no index knows is no row": (an_open_side_of_an_or, "append"),
    "files that are merged go alone by their indexes": (merged_files_alone, "merging"),
    "a bitmap index knows of no nulls": (nothing_is_null, "append"),
    "negative sums of a bloom filter's hashes are not flipped": (signed_hashes, "append"),
    "an index leaves out a row that compares": (an_equal_too_few, "append"),
}
