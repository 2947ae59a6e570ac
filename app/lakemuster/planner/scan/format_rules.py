"""The rules of each format: which entries a scan reads, and which statistics may drop one."""

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
    """Iceberg: every live file is read, and may be dropped alone by its column statistics."""

    base: tuple[str, ...] = ("status", "record_count")

    def columns(self, own: Iterable[str]) -> list[str]:
        """Select from a field's columns in a segment those that evaluation reads."""
        return [name for name in own if name.startswith(_STATISTICS)]

    def statistics(self, entries: pa.Table) -> EntryStatistics:
        """Return the statistics that may drop an entry."""
        return EntryStatistics(entries)

    def written_zones(self, _zones: pa.RecordBatch, _field_id: int) -> str:
        """Return the prefix of the names of a column's zones in a segment."""
        return ""


ScanRules = IcebergReading | PaimonReading
ICEBERG = IcebergReading()


def reading_of(view: View, *, read_optimized: bool = False) -> ScanRules:
    """Return the rules of a scan of a whole snapshot.

    Raises:
        FormatUnsupported: unknown options of a Paimon table.
    """
    if view.table.format == "iceberg":
        return ICEBERG
    return PaimonReading.of(view, read_optimized=read_optimized)
