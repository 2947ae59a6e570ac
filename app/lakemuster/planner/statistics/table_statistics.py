"""The figures of a snapshot's files, put together: what a table has, and what reading it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import reduce
from operator import add

import numpy as np
import pyarrow as pa

from lakemuster.planner.columns import single_array
from lakemuster.planner.rows import batched_rows
from lakemuster.planner.statistics.delete_files import Deletes
from lakemuster.planner.statistics.file_sizes import SizeBucket, SmallFiles, by_size, histogram, small_files
from lakemuster.planner.statistics.live_files import Question, SpecFiles, entry_columns, files_by_spec
from lakemuster.planner.statistics.merging import Merging
from lakemuster.planner.statistics.numbers import (
    NO_INTS,
    Group,
    Ints,
    Quantiles,
    by_number,
    column_numbers,
    grouped,
    known_sum,
    refuse_above_64_bits,
    sums,
    united,
)
from lakemuster.planner.statistics.rules import STATISTICS_RULES, StatisticsRules, TargetFileSize, target_of

_COUNTED = ("record_count", "file_size_in_bytes")
_FILES = 1 << 16
"""Files counted at once: their numbers fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over data files.

    Attributes:
        files_without_records, files_without_size: files whose records or size are not recorded, and not in the sum.
    """

    data_files: int
    records: int
    bytes: int
    files_without_records: int
    files_without_size: int

    def __add__(self, other: Totals) -> Totals:
        """Add the totals of other files."""
        return Totals(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class Partitions:
    """The partitions of each spec that have data files; an unpartitioned spec has one."""

    count: int
    files: Quantiles | None
    bytes: Quantiles | None


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """The figures of some data files, and of the delete files that apply to them.

    Attributes:
        small_files: None where no target size is known.
        file_formats, specs, sort_orders: the files by format, spec id and sort order id; None: not recorded.
        merging: None where each file is read alone.
    """

    totals: Totals
    file_size_histogram: list[SizeBucket]
    small_files: SmallFiles | None
    partitions: Partitions
    file_formats: list[Group]
    specs: list[Group]
    sort_orders: list[Group]
    deletes: Deletes
    merging: Merging | None


def table_statistics(questions: Sequence[Question], target_bytes: int | None = None) -> TableStatistics:
    """Compute the figures of files.

    Args:
        questions: one for each branch that has some of the files, at least one.
        target_bytes: the size that writers aim at, as the operator set it; None for the table's own, if it has one.

    Raises:
        LimitExceeded: too many delete files apply to the data files of one batch; or sizes or record counts add up to
            more than 64 bits.
    """
    view = questions[0].scan.view
    rules = STATISTICS_RULES.of(view.table)
    wanted = entry_columns((*_COUNTED, *rules.columns))
    files = [of for question in questions for of in files_by_spec(question, wanted)]
    target = target_of(rules.target(view), target_bytes)
    parts = [_counted(rules, of.spec.spec_id, some) for of in files for some in batched_rows(of.tables, _FILES)]
    totals = reduce(add, (part.totals for part in parts), Totals(0, 0, 0, 0, 0))
    refuse_above_64_bits(max(totals.records, totals.bytes))
    deletes = [rules.deletes(question, [of for of in files if of.question is question]) for question in questions]
    return TableStatistics(
        totals,
        histogram(reduce(add, (part.by_size for part in parts), by_size(NO_INTS))),
        None if target is None else _small([part.sizes for part in parts], target),
        _partitions(files, np.concatenate([NO_INTS, *(part.sizes for part in parts)])),
        united(group for part in parts for group in part.file_formats),
        united(part.spec for part in parts),
        united(group for part in parts for group in part.sort_orders),
        reduce(add, deletes),
        rules.merging(files),
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """The figures of some files of one spec, to be added up.

    Attributes:
        sizes: (N,) of each file.
        by_size: as of ``file_sizes.by_size``.
    """

    totals: Totals
    sizes: Ints
    by_size: Ints
    file_formats: list[Group]
    spec: Group
    sort_orders: list[Group]


def _counted(rules: StatisticsRules, spec_id: int, tables: Sequence[pa.Table]) -> _Counted:
    records, sizes = (column_numbers(tables, name) for name in _COUNTED)
    rows, whole = known_sum(records), known_sum(sizes)
    return _Counted(
        Totals(len(sizes), rows, whole, int((records < 0).sum()), int((sizes < 0).sum())),
        sizes,
        by_size(sizes),
        _by_text([rules.file_formats(table) for table in tables], records, sizes),
        Group(None if spec_id < 0 else spec_id, len(sizes), rows, whole),
        by_number(column_numbers(tables, "sort_order_id"), records, sizes),
    )


def _small(sizes: Sequence[Ints], target: TargetFileSize) -> SmallFiles:
    found = (small_files(some, target.bytes, target.least_bytes, target.rule) for some in (NO_INTS, *sizes))
    return reduce(add, found)


def _partitions(files: Sequence[SpecFiles], sizes: Ints) -> Partitions:
    counts, whole = [NO_INTS], [NO_INTS]
    first = 0
    for of in files:
        count, numbers = of.partitions()
        own, own_sizes = np.zeros((2, count), np.int64), sizes[first : first + len(numbers)]
        step = max(_FILES, count)
        for start in range(0, len(numbers), step):
            some = numbers[start : start + step]
            own += np.bincount(some, minlength=count), sums(some, count, own_sizes[start : start + step])
        counts.append(own[0])
        whole.append(own[1])
        first += len(numbers)
    found = np.concatenate(counts)
    return Partitions(len(found), Quantiles.of(found), Quantiles.of(np.concatenate(whole)))


def _by_text(found: Sequence[pa.Array], records: Ints, sizes: Ints) -> list[Group]:
    """Sum files by file format."""
    texts = single_array(pa.chunked_array(found, pa.string()).dictionary_encode())
    keys = [None, *texts.dictionary.to_pylist()]
    codes = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    return grouped(keys, codes, records, sizes)
