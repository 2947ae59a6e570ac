"""Files that a plan must not contain, by the rules of the format notes' section 9 and the recorded statistics.

Without this check, a planner that keeps every file would pass. Where SQL engines differ (NaN), nothing is excluded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

from tests.unit.planner.paimon.oracle.asked import Asked, Denied, Joined, Node
from tests.unit.planner.paimon.oracle.hashing import bucket_of
from tests.unit.planner.paimon.oracle.model import APPEND, EVOLVED, Column, DataFile, Statistics, Table
from tests.unit.planner.paimon.oracle.values import INTEGERS, place

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

Known = tuple[int, Statistics]
"""The number of rows, and a column's statistics over them."""
Look = Callable[[Column], Known | None]


def planned(table: Table, node: Node) -> list[DataFile]:
    """Return the files that the rules keep."""
    files = [file for file in table.readable if _in_bucket(table, node, file)]
    if table.kind == EVOLVED:
        return [file for group in groups(files) if _group_keeps(table, node, group) for file in group]
    if table.kind == APPEND or table.skips_level_0:
        return [file for file in files if keeps(node, partial(everything, table, file))]
    files = [file for file in files if keeps(node, partial(keys_only, table, file))]
    found: list[DataFile] = []
    for group in {file.group for file in files}:
        found += _bucket_keeps(table, node, [file for file in files if file.group == group])
    return found


def _bucket_keeps(table: Table, node: Node, files: list[DataFile]) -> list[DataFile]:
    matching = [file for file in files if keeps(node, partial(everything, table, file))]
    levels = {file.level for file in files}
    if len(files) == 1 or (len(levels) == 1 and min(levels) > 0):
        return matching
    return files if matching or table.engine in ("partial-update", "aggregation") else []


def keeps(node: Node, look: Look, *, denied: bool = False) -> bool:
    """Return whether some row may match."""
    match node:
        case Denied(part=part):
            return keeps(part, look, denied=not denied)
        case Joined(word=word, parts=parts):
            answers = [keeps(part, look, denied=denied) for part in parts]
            return all(answers) if (word == "AND") is not denied else any(answers)
    known = look(node.column)
    return known is None or _leaf(node, *known, denied=denied)


def _leaf(asked: Asked, rows: int, known: Statistics, *, denied: bool) -> bool:
    no = asked.no is not denied
    if asked.op == "IS NULL":
        if known.nulls is None:
            return True
        return known.nulls < rows if no else known.nulls > 0
    values = [value for value in asked.values if value is not None]
    if len(values) < len(asked.values) and (no or not values):
        return False
    if known.nulls == rows:
        return False
    if known.lower is None or known.upper is None or asked.column.type == "DOUBLE":
        return True
    low, high = place(known.lower), place(known.upper)
    limits = [place(value) for value in values]
    match asked.op:
        case "IN":
            if no:
                return not any(low == limit == high for limit in limits)
            return any(low <= limit <= high for limit in limits)
        case "LIKE":
            prefix = limits[0]
            return no or (low[: len(prefix)] <= prefix <= high[: len(prefix)])
    op, limit = OPPOSITE[asked.op] if denied else asked.op, limits[0]
    match op:
        case "=":
            return bool(low <= limit <= high)
        case "!=":
            return not low == limit == high
        case "<":
            return bool(low < limit)
        case "<=":
            return bool(low <= limit)
        case ">":
            return bool(high > limit)
    return bool(high >= limit)


def everything(table: Table, file: DataFile, column: Column) -> Known | None:
    """Return a column's statistics in a file, from partition values, keys or values."""
    if (found := keys_only(table, file, column)) is not None and column.field_id in table.partition:
        return found
    value = evolved(table, column, file)
    if found is not None and (value is None or value[1].lower is None):
        return found
    return value


def keys_only(table: Table, file: DataFile, column: Column) -> Known | None:
    """Return a column's statistics in a file, from partition values or keys alone."""
    if column.field_id in table.partition:
        value = file.partition[table.partition.index(column.field_id)]
        return 1, Statistics(value, value, int(value is None))
    if column.field_id in table.keys:
        return len(file.records), file.key_statistics[column.field_id]
    return None


def evolved(table: Table, column: Column, file: DataFile) -> Known | None:
    """Return a value column's statistics in the column's current type."""
    rows, written = len(file.records), table.versions[file.version].by_id(column.field_id)
    if written is None:
        # The file has no such column, so all its values are null.
        return rows, Statistics(None, None, rows)
    if column.field_id not in file.columns:
        return None
    known = file.statistics.get(column.field_id, Statistics())
    if written.type == column.type or {written.type, column.type} == {"STRING", "NUMERAL"}:
        return rows, known
    if written.type in INTEGERS and column.type in INTEGERS:
        return rows, known
    return None


def groups(files: list[DataFile]) -> Iterator[list[DataFile]]:
    """Yield the groups of files whose row ids overlap."""
    found: list[DataFile] = []
    for file in sorted(files, key=lambda one: (one.row_ids.start, -one.row_ids.stop)):
        if found and file.row_ids.start >= max(one.row_ids.stop for one in found):
            yield found
            found = []
        found.append(file)
    if found:
        yield found


def _group_keeps(table: Table, node: Node, group: list[DataFile]) -> bool:
    rows = max(file.row_ids.stop for file in group) - min(file.row_ids.start for file in group)

    def look(column: Column) -> Known | None:
        if column.field_id in table.partition:
            return keys_only(table, group[0], column)
        own = [file for file in group if column.field_id in file.columns]
        if not own:
            return rows, Statistics(None, None, rows)
        newest = max(own, key=lambda file: file.sequence)
        # Excludes nothing where the newest file is ambiguous, or holds BLOBs.
        if newest.name.endswith(".blob") or len({file.sequence for file in own}) < len(own):
            return None
        return evolved(table, column, newest)

    return keeps(node, look)


def _in_bucket(table: Table, node: Node, file: DataFile) -> bool:
    """Return whether a matching row may be in the file's bucket."""
    if not table.bucket_key or file.bucket < 0:
        return True
    conjuncts = list(_conjuncts(node))
    columns = [column for i in table.bucket_key if (column := table.current.by_id(i))]
    if any(version.by_id(column.field_id) != column for version in table.versions for column in columns):
        return True
    pinned: list[list[Any]] = []
    for column in columns:
        lists = [
            [value for value in one.values if value is not None]
            for one in conjuncts
            if isinstance(one, Asked) and one.column == column and one.op in ("=", "IN") and not one.no
        ]
        if not lists:
            return True
        pinned.append(min(lists, key=len))
    function = table.options.get("bucket-function.type", "default")
    types = [column.type for column in columns]
    buckets = {bucket_of(function, types, list(values), file.total_buckets) for values in product(*pinned)}
    return file.bucket in buckets


def _conjuncts(node: Node) -> Iterator[Node]:
    if isinstance(node, Joined) and (node.word == "AND" or len(node.parts) == 1):
        for part in node.parts:
            yield from _conjuncts(part)
    else:
        yield node
