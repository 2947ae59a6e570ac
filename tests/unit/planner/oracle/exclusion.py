"""Files that a plan must not contain, since exact statistics or the partition exclude them, leaf by leaf.

Without this check, a planner that keeps every file would pass. Inexact statistics exclude nothing here.
"""

from __future__ import annotations

import math
from typing import Any

from lakemuster.metadata.partition import PartitionField
from lakemuster.predicates import Op
from tests.unit.planner.oracle.meaning import (
    NEGATIVE,
    OPPOSITE,
    Asked,
    Denied,
    Every,
    Node,
    Reading,
    Some,
    is_float,
    truth,
)
from tests.unit.planner.oracle.model import DataFile, Table
from tests.unit.planner.oracle.tables import UNKNOWN_TRANSFORM, is_time
from tests.unit.planner.oracle.values import EXTREMES, is_nan, promoted, transformed

ORDERED = (Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ)


def excluded(node: Node, table: Table, file: DataFile, readings: list[Reading], *, denied: bool = False) -> bool:
    """Return whether a planner must find that no row of the file matches, under every reading of NaN."""
    match node:
        case Denied(part=part):
            return excluded(part, table, file, readings, denied=not denied)
        case Every(parts=parts) | Some(parts=parts):
            found = [excluded(part, table, file, readings, denied=denied) for part in parts]
            return any(found) if isinstance(node, Every) is not denied else all(found)
    return file.record_count == 0 or _leaf(node, table, file, readings, denied)


def _leaf(asked: Asked, table: Table, file: DataFile, readings: list[Reading], denied: bool) -> bool:
    op = OPPOSITE[asked.op] if denied else asked.op
    if asked.missing and (op is not Op.IN or not asked.values):
        return True  # a comparison with NULL
    if asked.transform is not None or any(map(is_nan, asked.values)):
        return False
    written = table.schemas[file.version].primitive(asked.field_id)
    if written is None:
        return False
    nan_matches = is_float(asked.type) and any(
        truth(asked, {asked.field_id: math.nan}, reading, denied=denied) is True for reading in readings
    )
    nulls_match = readings[0].nulls
    recorded = file.statistics.get(asked.field_id)
    if recorded is not None and recorded.exact:
        values = [row[asked.field_id] for row in table.rows_of(file)]
        if values and none_match(op, asked.values, values, nulls_match, nan_matches):
            return True
    if recorded is not None and recorded.uncounted and op in (*ORDERED, Op.EQ, Op.IN) and not nan_matches:
        numbers = [n for row in table.rows_of(file) if (n := row[asked.field_id]) is not None and not is_nan(n)]
        if numbers and none_match(op, asked.values, numbers, nulls_match, nan_matches):
            return True
    return any(
        partition_excludes(op, asked, own, promoted_value(table, file, own, asked), nulls_match, nan_matches)
        for own in file.spec.fields
        if own.source_ids == (asked.field_id,) and own.transform not in ("void", UNKNOWN_TRANSFORM)
    )


def promoted_value(table: Table, file: DataFile, own: PartitionField, asked: Asked) -> Any:
    value = file.partition[own.field_id]
    written = table.schemas[file.version].primitive(asked.field_id)
    assert written is not None
    return promoted(value, written, asked.type) if own.transform == "identity" else value


def none_match(op: Op, limits: tuple[Any, ...], values: list[Any], nulls_match: bool, nan_matches: bool) -> bool:
    """Return whether minimum, maximum and counts prove that no value matches.

    ``nulls_match``: null matches negations. ``nan_matches``: NaN matches the comparison.
    """
    numbers = [value for value in values if value is not None and not is_nan(value)]
    nulls, nans = any(value is None for value in values), any(map(is_nan, values))
    match op:
        case Op.IS_NULL:
            return not nulls
        case Op.NOT_NULL:
            return not numbers and not nans
        case Op.IS_NAN:
            return not nans
        case Op.NOT_NAN:
            return not numbers and not nulls
    if nans and nan_matches:
        return False
    if not numbers:
        return op not in NEGATIVE
    low, high = min(numbers), max(numbers)
    match op:
        case Op.NOT_EQ | Op.NOT_IN:
            return low == high and low in limits and not (nulls and nulls_match)
        case Op.NOT_STARTS_WITH:
            prefix = limits[0]
            return low.startswith(prefix) and high.startswith(prefix) and not (nulls and nulls_match)
        case Op.STARTS_WITH:
            prefix = limits[0]
            return high < prefix or (low > prefix and not low.startswith(prefix))
        case Op.EQ | Op.IN:
            return not any(low <= limit <= high for limit in limits)
        case Op.LT:
            return bool(low >= limits[0])
        case Op.LT_EQ:
            return bool(low > limits[0])
        case Op.GT:
            return bool(high <= limits[0])
    return bool(high < limits[0])


def partition_excludes(
    op: Op, asked: Asked, own: PartitionField, value: Any, nulls_match: bool, nan_matches: bool
) -> bool:
    """Return whether the partition value alone proves that no row matches."""
    if own.transform == "identity":
        return none_match(op, asked.values, [value], nulls_match, nan_matches)
    if op in (Op.IS_NULL, Op.NOT_NULL):
        return (value is None) is (op is Op.NOT_NULL)
    if own.transform.startswith("bucket") and op not in (Op.EQ, Op.IN):
        return False
    if value is None:
        return op not in NEGATIVE
    extreme = EXTREMES.get(asked.type.text, ())
    if op in NEGATIVE or any(limit in extreme for limit in asked.values) or value in extreme:
        return False
    found = [transformed(own.transform, asked.type, limit) for limit in asked.values]
    if own.transform.startswith("bucket"):
        return value not in found
    if isinstance(value, str | bytes):
        return _prefix_excludes(op, asked, own, value, found)
    clamped = {"year": 1, "month": 1, "day": 1, "hour": 24}.get(own.transform, 0)
    if 0 <= value < clamped and (op in (Op.LT, Op.LT_EQ) or any(one < 0 for one in found)):
        # ClickHouse clamps partitions.
        return op in (Op.GT, Op.GT_EQ) and value < found[0]
    late = 1 if is_time(own, asked.type) else 0
    match op:
        case Op.EQ | Op.IN:
            return not any(one <= value <= one + late for one in found)
        case Op.LT | Op.LT_EQ:
            return bool(value > found[0] + late)
    return bool(value < found[0])


def _prefix_excludes(op: Op, asked: Asked, own: PartitionField, value: Any, found: list[Any]) -> bool:
    match op:
        case Op.EQ | Op.IN:
            return value not in found
        case Op.STARTS_WITH:
            prefix = asked.values[0]
            short = len(prefix) <= int(own.transform[9:-1])
            return not value.startswith(prefix) if short else value != found[0]
        case Op.LT | Op.LT_EQ:
            return bool(value > found[0])
    return bool(value < found[0])
