"""The port of table formats for statistics: which files are small, and what only one format's files have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.planner.columns import single_array
from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.pruning.prune import Statistics
from lakemuster.planner.pruning.statistics import EntryStatistics
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.statistics.delete_files import Deletes, deletes_of
from lakemuster.planner.statistics.live_files import Question, SpecFiles
from lakemuster.planner.statistics.merging import Merging
from lakemuster.planner.view import View

_STATISTICS = ("lower.", "upper.", "null_count.", "nan_count.", "value_count.")


@dataclass(frozen=True, slots=True)
class TargetFileSize:
    """The size that writers aim at, and the part of it below which a file is small.

    Attributes:
        bytes: the target.
        percent: a file is small if it has fewer bytes than this share of the target.
        source: where the target is from: a property of the table, its default, or a setting.
    """

    bytes: int
    percent: int
    source: str

    @property
    def least_bytes(self) -> int:
        """The size of the smallest file that is not small."""
        return -(-self.bytes * self.percent // 100)

    @property
    def rule(self) -> str:
        """The rule in words."""
        return f"smaller than {self.percent} % of {self.bytes} bytes: {self.source}"


SMALL_PERCENT = 75
"""The default of formats without a rule, as of Iceberg's ``rewrite_data_files``."""
SETTING = "the setting target_file_size"


def target_of(own: TargetFileSize | None, setting: int | None) -> TargetFileSize | None:
    """Return the operator's target, or else the table's own."""
    if setting is None:
        return own
    return TargetFileSize(setting, SMALL_PERCENT if own is None else own.percent, SETTING)


def _unknown_target(_: View) -> None:
    """Return None: the format has no target."""


def recorded_formats(entries: pa.Table) -> pa.Array:
    """Return the (N,) file formats as entries record them, in lower case; null where they do not."""
    if "file_format" not in entries.column_names:
        return pa.nulls(entries.num_rows, pa.string())
    return pc.utf8_lower(single_array(entries.column("file_format")))


def own_statistics(_: ScanIndex, entries: pa.Table) -> EntryStatistics:
    """Return the statistics that entries record."""
    return EntryStatistics(entries)


def own_columns(of_field: Iterable[str]) -> list[str]:
    """Select the columns of a field in a segment that hold its statistics."""
    return [name for name in of_field if name.startswith(_STATISTICS)]


def no_merging(_: Sequence[SpecFiles]) -> None:
    """Return None: each file is read alone."""


@dataclass(frozen=True, slots=True)
class StatisticsRules:
    """The rules of one format.

    Attributes:
        target: returns a table's target file size; None where the format has none.
        columns: the columns of entries that the rules read, besides those of every format.
        file_formats: returns the (N,) formats of N files.
        field_columns: selects the columns of a field in a segment that hold its statistics.
        statistics: returns the statistics of entries; also those that may not drop a file alone.
        deletes: returns the deletes of the files of one branch.
        merging: returns how the files of all branches are merged when they are read; None where they never are.
    """

    target: Callable[[View], TargetFileSize | None] = _unknown_target
    columns: tuple[str, ...] = ("file_format", "sort_order_id")
    file_formats: Callable[[pa.Table], pa.Array] = recorded_formats
    field_columns: Callable[[Iterable[str]], list[str]] = own_columns
    statistics: Callable[[ScanIndex, pa.Table], Statistics] = own_statistics
    deletes: Callable[[Question, Sequence[SpecFiles]], Deletes] = deletes_of
    merging: Callable[[Sequence[SpecFiles]], Merging | None] = no_merging


PLAIN_STATISTICS = StatisticsRules()

STATISTICS_RULES: FormatRegistry[StatisticsRules] = FormatRegistry()
