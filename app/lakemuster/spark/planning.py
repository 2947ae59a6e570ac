"""From a plan of the server to the parts that Spark's tasks read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.client import Client, Plan
from lakemuster.client.errors import ClientError
from lakemuster.client.plans import PlanTask
from lakemuster.spark.errors import TableMoved
from lakemuster.spark.options import Options
from lakemuster.spark.pinned import Pinned
from lakemuster.spark.reading.files import files_here
from lakemuster.spark.reading.formats import reading_of
from lakemuster.spark.reading.model import Split, TableToRead
from lakemuster.spark.reading.row_filter import RowFilter
from lakemuster.spark.splits import Packing, cut, pack, shared, splits_of

MOST_PARTS = 10_000
"""Of a plan that executors ask for themselves."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one task reads: files, or a part of the plan that it asks the server for itself.

    Attributes:
        share: of a part of the plan, which of how many equal ranges of each file.
    """

    splits: tuple[Split, ...] = ()
    task: PlanTask | None = None
    share: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True)
class Since:
    """The appends that are planned: those after ``start`` up to ``end``."""

    start: int
    end: int


def parts_of(options: Options, pinned: Pinned, pushed: str | None = None, since: Since | None = None) -> list[Part]:
    """The parts of a plan, at least one: of none Spark would make one of its own.

    Args:
        pushed: a condition on top of the options' filter; it is left out where the server does not take it.

    Raises:
        ClientError: the server refused or failed.
        TableMoved: the ref that was asked for is of another snapshot than the schema.
    """
    if pinned.snapshot_id is None:
        return [Part()]
    with options.client() as client:
        plan = _plan(client, options, pinned, pushed, since)
        files = plan.counts["files"]
        packing = Packing(options.split_target_size, options.split_open_file_cost)
        if files > options.task_threshold and options.limit is None:
            return _large(plan, pinned.table, packing) or [Part()]
        splits = list(cut(splits_of(plan.to_arrow(), plan.deletes_to_arrow()), packing))
        return [Part(splits) for splits in pack(splits, packing)] or [Part()]


def _large(plan: Plan, table: TableToRead, packing: Packing) -> list[Part]:
    """Parts of a plan whose files only executors ask for."""
    tasks = list(plan.tasks(_files_of_a_task(plan, packing)))
    shares = 1
    if table.format == "iceberg" and tasks:
        shares = max(1, min(round(plan.counts["bytes"] / len(tasks) / packing.piece_size), MOST_PARTS // len(tasks)))
    return [Part(task=task, share=(number, shares)) for task in tasks for number in range(shares)]


def rows_of(options: Options, table: TableToRead, part: Part, pushed: str | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of a part that the options' filter matches, with the storage options and the token of this process.

    Args:
        pushed: a condition without which rows are not wanted; they may come nevertheless.

    Raises:
        NotReadable: something that cannot be applied.
        ClientError: of a part that the server is asked for.
    """
    row_filter = None if options.filter is None else RowFilter.of(options.filter, table)
    needed = table if row_filter is None else row_filter.table
    conditions = () if pushed is None else RowFilter.of_conjuncts(pushed, table)
    if row_filter is not None:
        conditions = (row_filter, *conditions)
    reading, files = reading_of(table), files_here()
    splits = _splits(options, part)
    if table.format == "iceberg":
        # As one, its files share what is read of their delete files.
        splits = [Split(tuple(file for split in splits for file in split.files))]
    for split in splits:
        for batch in reading.read(needed, split, files, conditions):
            yield batch if row_filter is None else row_filter.applied(batch)


def _splits(options: Options, part: Part) -> Sequence[Split]:
    if part.task is None:
        return part.splits
    with options.client() as client:
        splits = splits_of(*client.redeem(part.task))
    return splits if part.share == (0, 1) else list(shared(splits, *part.share))


def _plan(client: Client, options: Options, pinned: Pinned, pushed: str | None, since: Since | None) -> Plan:
    own = options.filter
    if pushed is not None:
        try:
            return _planned(client, options, pinned, pushed if own is None else f"({own}\n) AND {pushed}", since)
        except ClientError as refusal:
            # What Spark asks goes beyond the server's limits, or names a column that the snapshot did not have.
            if refusal.status != 400:
                raise
    return _planned(client, options, pinned, own, since)


def _planned(client: Client, options: Options, pinned: Pinned, where: str | None, since: Since | None) -> Plan:
    table = pinned.table
    is_paimon = table.format == "paimon"
    plan = client.table(table.name).plan(
        where,
        limit=options.limit,
        case_sensitive=False,
        nan=None if where is None else options.nan,
        start_snapshot_id=None if since is None else since.start,
        end_snapshot_id=None if since is None else since.end,
        splits=is_paimon,
        split_target_size=options.split_target_size if is_paimon else None,
        split_open_file_cost=options.split_open_file_cost if is_paimon else None,
        **(pinned.choice if since is None else {"page_size": 1}),
    )
    expected = pinned.snapshot_id if since is None else since.end
    if plan.snapshot_id != expected:
        raise TableMoved(table.name, pinned.ref, expected, plan.snapshot_id)
    return plan


def _files_of_a_task(plan: Plan, packing: Packing) -> int:
    files: int = plan.counts["files"]
    weight = max(plan.counts["bytes"] / files, packing.open_file_cost)
    return max(1, int(packing.target_size / weight), math.ceil(files / MOST_PARTS))
