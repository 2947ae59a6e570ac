"""How entries of each format are asked whether they can hold matching rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.pruning.statistics import EntryStatistics
from lakemuster.planner.view import View

_STATISTICS = ("lower.", "upper.", "null_count.", "nan_count.", "value_count.")


@dataclass(frozen=True, slots=True)
class IcebergReading:
    """Every live file is read, and may go alone, by what its manifest recorded of columns."""

    base: tuple[str, ...] = ("status", "record_count")

    def columns(self, own: Iterable[str]) -> list[str]:
        """Of a field's columns in a segment, those that evaluation looks at."""
        return [name for name in own if name.startswith(_STATISTICS)]

    def statistics(self, entries: pa.Table) -> EntryStatistics:
        """What may drop an entry."""
        return EntryStatistics(entries)

    def written_zones(self, _zones: pa.RecordBatch, _field_id: int) -> str:
        """What stands before the names of a column's zones, as a segment was written with them."""
        return ""


Reading = IcebergReading | PaimonReading
ICEBERG = IcebergReading()


def reading_of(view: View, *, read_optimized: bool = False) -> Reading:
    """The rules of a scan of a whole snapshot.

    Raises:
        FormatUnsupported: options of a Paimon table that are not known.
    """
    if view.table.format == "iceberg":
        return ICEBERG
    return PaimonReading.of(view, read_optimized=read_optimized)
