"""The figures of a snapshot's files, put together: what a table has, and what reading it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import cast

import numpy as np
import pyarrow as pa

from lakemuster.planner.columns import single_array
from lakemuster.planner.statistics.delete_files import Deletes
from lakemuster.planner.statistics.file_sizes import SizeBucket, SmallFiles, histogram, small_files
from lakemuster.planner.statistics.live_files import Question, SpecFiles, entry_columns, files_by_spec
from lakemuster.planner.statistics.merging import Merging
from lakemuster.planner.statistics.numbers import (
    Group,
    Ints,
    Quantiles,
    by_number,
    column_numbers,
    grouped,
    known_sum,
    sums,
)
from lakemuster.planner.statistics.rules import STATISTICS_RULES, target_of

_COUNTED = ("record_count", "file_size_in_bytes")


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over data files.

    Attributes:
        files_without_records, files_without_size: those of which it is not recorded; the sums are of the others.
    """

    data_files: int
    records: int
    bytes: int
    files_without_records: int
    files_without_size: int


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
        small_files: None where no size is known that writers aim at.
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
        LimitExceeded: too many delete files apply to the data files of one batch.
    """
    view = questions[0].scan.view
    rules = STATISTICS_RULES.of(view.table)
    wanted = entry_columns((*_COUNTED, *rules.columns))
    files = [of for question in questions for of in files_by_spec(question, wanted)]
    tables = [table for of in files for table in of.tables]
    records, sizes = (column_numbers(tables, name) for name in _COUNTED)
    size = target_of(rules.target(view), target_bytes)
    deletes = [rules.deletes(question, [of for of in files if of.question is question]) for question in questions]
    return TableStatistics(
        Totals(len(sizes), known_sum(records), known_sum(sizes), int((records < 0).sum()), int((sizes < 0).sum())),
        histogram(sizes),
        None if size is None else small_files(sizes, size.bytes, size.least_bytes, size.rule),
        _partitions(files, sizes),
        _by_text([rules.file_formats(table) for table in tables], records, sizes),
        _by_spec(files, records, sizes),
        by_number(column_numbers(tables, "sort_order_id"), records, sizes),
        reduce(add, deletes),
        rules.merging(files),
    )


def _partitions(files: Sequence[SpecFiles], sizes: Ints) -> Partitions:
    counts, whole = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    first = 0
    for of in files:
        count, numbers = of.partitions()
        counts.append(np.bincount(numbers, minlength=count).astype(np.int64))
        whole.append(sums(numbers, count, sizes[first : first + len(numbers)]))
        first += len(numbers)
    found = np.concatenate(counts)
    return Partitions(len(found), Quantiles.of(found), Quantiles.of(np.concatenate(whole)))


def _by_text(found: Sequence[pa.Array], records: Ints, sizes: Ints) -> list[Group]:
    """Group files by a text, null first."""
    texts = single_array(pa.chunked_array(found, pa.string()).dictionary_encode())
    keys = [None, *texts.dictionary.to_pylist()]
    codes = texts.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False) + 1
    groups = grouped(keys, codes, records, sizes)
    return sorted(groups, key=lambda group: (group.key is not None, cast("str", group.key or "")))


def _by_spec(files: Sequence[SpecFiles], records: Ints, sizes: Ints) -> list[Group]:
    specs = np.array([of.spec.spec_id for of in files], np.int64)
    return by_number(specs.repeat([of.rows for of in files]), records, sizes)
