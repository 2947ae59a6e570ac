"""Turn a plan of the server into the parts that Spark's tasks read, and read the rows of a part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.client import Client, Plan
from lakemuster.client.errors import ClientError
from lakemuster.client.plans import PlanTask
from lakemuster.spark.errors import PlanOutdated, RefMoved
from lakemuster.spark.options import Options
from lakemuster.spark.reading.files import files_here
from lakemuster.spark.reading.formats import format_reader
from lakemuster.spark.reading.model import Split, TableToRead
from lakemuster.spark.reading.row_filter import RowFilter
from lakemuster.spark.snapshot_pin import PinnedTable, check_identity
from lakemuster.spark.splits import Packing, cut, pack, shared, splits_of

MAX_TASKS = 10_000
"""The most parts of a plan whose files executors request themselves."""


@dataclass(frozen=True, slots=True)
class TaskInput:
    """The input of one task: files, or a plan task whose files it requests from the server.

    Attributes:
        share: for a plan task: (number, count), which of how many equal byte ranges of each file to read.
    """

    splits: tuple[Split, ...] = ()
    task: PlanTask | None = None
    share: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True)
class SnapshotInterval:
    """An incremental plan: the appends of the snapshots after ``start`` up to ``end``."""

    start: int
    end: int


def task_inputs(
    options: Options, pinned: PinnedTable, pushed: str | None = None, since: SnapshotInterval | None = None
) -> list[TaskInput]:
    """Return the parts of a plan, at least one: given none, Spark would create one itself.

    Args:
        pushed: a condition to add to the options' filter; ignored if the server rejects it.

    Raises:
        ClientError: the server refused or failed.
        RefMoved: the ref has moved to another snapshot since the schema was read.
        SnapshotReplaced: the snapshot's id is that of another one since the schema was read.
    """
    if pinned.snapshot_id is None:
        return [TaskInput()]
    with options.client() as client:
        plan = _plan(client, options, pinned, pushed, since)
        found = _inputs(plan, options, pinned.table)
        # After the plan's last request. Tokens of plan tasks are bound to the snapshot by the server.
        check_identity(client.table(pinned.table.name), pinned)
        return found or [TaskInput()]


def _inputs(plan: Plan, options: Options, table: TableToRead) -> list[TaskInput]:
    packing = Packing(options.split_target_size, options.split_open_file_cost)
    if plan.counts["files"] > options.task_threshold and options.limit is None:
        return _large_plan_inputs(plan, table, packing)
    splits = list(cut(splits_of(plan.to_arrow(), plan.deletes_to_arrow()), packing))
    return [TaskInput(splits) for splits in pack(splits, packing)]


def _large_plan_inputs(plan: Plan, table: TableToRead, packing: Packing) -> list[TaskInput]:
    """Return the parts of a large plan: plan tasks, whose files executors request."""
    tasks = list(plan.tasks(_files_per_task(plan, packing)))
    shares = 1
    if tasks and not format_reader(table).has_merge_groups:
        shares = max(1, min(round(plan.counts["bytes"] / len(tasks) / packing.piece_size), MAX_TASKS // len(tasks)))
    return [TaskInput(task=task, share=(number, shares)) for task in tasks for number in range(shares)]


def task_rows(
    options: Options, table: TableToRead, part: TaskInput, pushed: str | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a part that match the options' filter, read with this process's storage options and token.

    Args:
        pushed: a condition that prunes row groups; rows that do not match it may still be returned.

    Raises:
        NotReadable: the table, a file or the filter cannot be read here.
        ClientError: the part's files were requested from the server, and it refused or failed.
        PlanOutdated: they were requested, and the server does not know the plan's snapshot any more.
    """
    row_filter = None if options.filter is None else RowFilter.of(options.filter, table)
    needed = table if row_filter is None else row_filter.table
    conditions = () if pushed is None else RowFilter.of_conjuncts(pushed, table)
    if row_filter is not None:
        conditions = (row_filter, *conditions)
    reader, files = format_reader(table), files_here()
    splits = _splits(options, table.name, part)
    if not reader.has_merge_groups:
        # The files of one split share the cache of delete files.
        splits = [Split(tuple(file for split in splits for file in split.files))]
    for split in splits:
        for batch in reader.read(needed, split, files, conditions):
            yield batch if row_filter is None else row_filter.applied(batch)


def _splits(options: Options, table: str, part: TaskInput) -> Sequence[Split]:
    if part.task is None:
        return part.splits
    with options.client() as client:
        try:
            splits = splits_of(*client.redeem(part.task))
        except ClientError as refusal:
            if refusal.code == "page_token_invalid":
                raise PlanOutdated(table, options.token_env or options.token_file) from refusal
            raise
    return splits if part.share == (0, 1) else list(shared(splits, *part.share))


def _plan(
    client: Client, options: Options, pinned: PinnedTable, pushed: str | None, since: SnapshotInterval | None
) -> Plan:
    own = options.filter
    if pushed is not None:
        try:
            return _planned(client, options, pinned, pushed if own is None else f"({own}\n) AND {pushed}", since)
        except ClientError as refusal:
            # Spark's condition exceeds the server's limits, or names a column that the snapshot does not have.
            if refusal.status != 400:
                raise
    return _planned(client, options, pinned, own, since)


def _planned(
    client: Client, options: Options, pinned: PinnedTable, where: str | None, since: SnapshotInterval | None
) -> Plan:
    table = pinned.table
    has_splits = format_reader(table).has_merge_groups
    plan = client.table(table.name).plan(
        where,
        limit=options.limit,
        case_sensitive=False,
        nan=None if where is None else options.nan,
        # A pinned snapshot may have been written with other names than the frame's columns have.
        schema_id=None if where is None else int(table.schema["schema_id"]),
        start_snapshot_id=None if since is None else since.start,
        end_snapshot_id=None if since is None else since.end,
        splits=has_splits,
        split_target_size=options.split_target_size if has_splits else None,
        split_open_file_cost=options.split_open_file_cost if has_splits else None,
        **(pinned.choice if since is None else {"page_size": 1}),
    )
    expected = pinned.snapshot_id if since is None else since.end
    if plan.snapshot_id != expected:
        raise RefMoved(table.name, pinned.ref, expected, plan.snapshot_id)
    return plan


def _files_per_task(plan: Plan, packing: Packing) -> int:
    files: int = plan.counts["files"]
    weight = max(plan.counts["bytes"] / files, packing.open_file_cost)
    return max(1, int(packing.target_size / weight), math.ceil(files / MAX_TASKS))
