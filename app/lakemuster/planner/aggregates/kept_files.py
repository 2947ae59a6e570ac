"""Iterate over the files that a predicate keeps, with what their entries record about their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from lakemuster.index.segments import Segment
from lakemuster.metadata.partition import PartitionField
from lakemuster.planner.aggregates.row_rules import ROW_RULES, KeptFiles, RowRules, RowsGiven
from lakemuster.planner.pruning.prune import Counts, FieldStats, Mask
from lakemuster.planner.pruning.statistics import PartitionStatistics, counts
from lakemuster.planner.rows import START
from lakemuster.planner.scan.planned_entries import batch_files, grouped, table_of
from lakemuster.planner.scan.planned_rows import plan_rows
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.predicates import Bound, references


@dataclass(frozen=True, slots=True)
class DescribedFiles:
    """N files that a predicate keeps.

    Attributes:
        records: (N,) recorded rows; ``UNKNOWN`` where missing.
        rows: how many of them the files give to the table.
        certain: (N,) whether each row that a file gives matches the predicate.
        fields: statistics of columns, by field id.
    """

    records: Counts
    rows: RowsGiven
    certain: Mask
    fields: Mapping[int, FieldStats]


def described_files(
    scan: ScanIndex, bound: Bound, complement: Bound, fields: frozenset[int]
) -> Iterator[DescribedFiles]:
    """Yield the files that a predicate keeps.

    Args:
        complement: the complement of the predicate.
        fields: ids of the columns whose statistics are wanted.
    """
    rules = ROW_RULES.of(scan.view.table)
    certain = rules.prover(scan, complement)
    opened = _Opened(scan, rules, fields, references(complement))
    for group in grouped(batch_files(plan_rows(scan, bound, None, START, None), opened)):
        places = group[0].places if len(group) == 1 else np.concatenate([member.places for member in group])
        files = KeptFiles(scan, bound, group, places, table_of(group))
        yield DescribedFiles(
            counts(files.entries.column("record_count")),
            rules.rows(files),
            certain(files),
            {field_id: _field(files, rules, field_id) for field_id in fields},
        )


class _Opened:
    """Opens segments, and selects the columns that are read: cached, since segments of a table are alike."""

    def __init__(self, scan: ScanIndex, rules: RowRules, fields: frozenset[int], proven: frozenset[int]) -> None:
        self._scan, self._rules, self._fields, self._proven = scan, rules, fields, proven
        self._partitions = rules.reads_partitions(scan)
        self._identities = {
            own.field_id for field_id in fields for spec in scan.specs for own in _identities(spec, field_id)
        }
        self._columns_of: dict[tuple[str, ...], list[str]] = {}

    def __call__(self, name: str) -> tuple[Segment, list[str]]:
        segment = self._scan.index.segments.open(name)
        if (present := segment.names) not in self._columns_of:
            wanted = {f"partition.{field_id}" for field_id in self._identities}
            columns = self._rules.columns(self._scan, present, self._fields, self._proven)
            columns += [
                name
                for name in present
                if name not in columns and (name in wanted or (self._partitions and name.startswith("partition.")))
            ]
            self._columns_of[present] = columns
        return segment, self._columns_of[present]


def _identities(spec: SpecIndex, field_id: int) -> list[PartitionField]:
    """Return the partition fields that hold a column's values."""
    return [f for f in spec.projection.spec.fields if f.source_ids == (field_id,) and f.transform == "identity"]


def _field(files: KeptFiles, rules: RowRules, field_id: int) -> FieldStats:
    """Return a column's statistics: by the value that all rows of a partition share, else as recorded."""
    found = rules.field(files, field_id)
    records = counts(files.entries.column("record_count"))
    for own in _identities(files.spec, field_id):
        values = PartitionStatistics(files.entries, len(records), frozenset((own.field_id,))).field(own.field_id)
        assert values is not None
        assert values.null_count is not None
        assert values.nan_count is not None
        return replace(
            values,
            null_count=np.where(values.null_count > 0, records, 0),
            nan_count=np.where(values.nan_count > 0, records, 0),
            value_count=records,
        )
    return found
