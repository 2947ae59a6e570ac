"""Random filters on the oracle's tables with files in pieces, and bugs of row group skipping, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from math import isnan
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.client.model import Row
from lakemuster.predicates import Op
from lakemuster.spark import splits
from lakemuster.spark.reading import column_stats, row_filter, row_groups
from lakemuster.spark.reading.iceberg import open_rows, parquet, read
from lakemuster.spark.reading.model import NotReadable, Split
from lakemuster.spark.reading.row_filter import RowFilter
from lakemuster.spark.splits import Packing, cut, shared
from tests.unit.spark.reading.iceberg.lake import LocalFiles
from tests.unit.spark.reading.iceberg.oracle.cases import MEMBERS, POOL, Case, Pool

COMPARED = ("=", "<>", "<", "<=", ">", ">=", "<=>")


def make_filter(random: Random, case: Case) -> str:
    """Return a random condition on the columns of a table."""
    columns = [
        (field["name"], pool)
        for field in case.table.schema["fields"]
        for pool in POOL
        if pool.field_id == field["id"] and isinstance(pool.type, str) and pool.type != "struct"
    ]
    for field in case.table.schema["fields"]:
        if field["id"] == 20:
            held = {member["id"]: member["name"] for member in field["type"]["fields"]}
            columns += [(f"{field['name']}.{held[one.field_id]}", one) for one in MEMBERS if one.field_id in held]
    return _tree(random, columns, 2) if columns else "TRUE"


def _tree(random: Random, columns: list[tuple[str, Pool]], depth: int) -> str:
    if depth and random.random() < 0.4:
        one, two = (_tree(random, columns, depth - 1) for _ in range(2))
        return random.choice([f"({one}) AND ({two})", f"({one}) OR ({two})", f"NOT ({one})"])
    name, pool = random.choice(columns)
    values = [_literal(value) for value in pool.values if value is not None]
    kind = random.random()
    if kind < 0.15:
        return f"{name} IS {random.choice(['', 'NOT '])}NULL"
    if kind < 0.3:
        some = random.sample([*values, "NULL"], random.randint(1, len(values)))
        return f"{name} {random.choice(['', 'NOT '])}IN ({', '.join(some)})"
    if pool.type == "string" and kind < 0.5:
        return f"{name} LIKE '{random.choice(['', 'x', 'd', 'df', 'z'])}%'"
    return f"{name} {random.choice(COMPARED)} {random.choice(values)}"


def _literal(value: Any) -> str:
    match value:
        case bool() | int():
            return str(value)
        case float():
            return "CAST('NaN' AS DOUBLE)" if isnan(value) else f"{value!r}e0"
        case datetime():
            return f"TIMESTAMP '{value.isoformat()}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case Decimal():
            return str(value)
        case bytes():
            return f"X'{value.hex()}'"
    return f"'{value}'"


def differs_when_filtered(case: Case, text: str, random: Random) -> str | None:
    """Return how rows of pieces, with row groups skipped, differ from rows of whole files, or None."""
    try:
        condition = RowFilter.of(text, case.table)
    except NotReadable:  # the filter is not evaluated on rows
        return None

    def rows(split: Split, *conditions: RowFilter) -> list[Row]:
        batches = read(condition.table, split, LocalFiles(), conditions)
        return [row for batch in batches for row in condition.applied(batch).to_pylist()]

    expected = rows(case.split)
    if random.random() < 0.5:
        offsets = [{**file, "split_offsets": _offsets(random, file)} for file in case.split.files]
        pieces = list(cut([Split((file,)) for file in offsets], Packing(random.choice([400, 1000, 4000]), 1)))
    else:
        count = random.randint(1, 4)
        pieces = [piece for number in range(count) for piece in shared([case.split], number, count)]
    found = [row for piece in pieces for row in rows(piece, condition)]
    # Compare text, since NaN is not equal to itself; sort, since shares of files change the order.
    if sorted(map(repr, found)) != sorted(map(repr, expected)):
        return f"{text}: {found}\nis not\n{expected}"
    return None


def _offsets(random: Random, file: Row) -> list[int] | None:
    """Return right, missing, incomplete or wrong offsets of row groups."""
    if file["file_format"] != "parquet" or random.random() < 0.3:
        return None
    groups = row_groups.row_groups(pa.parquet.read_metadata(file["file_path"]))
    right = [group.first_byte for group in groups]
    return random.choice([right, right, right[:1], [4, 300, 700], [9, 8], [1 << 40]])


Patch = pytest.MonkeyPatch
_outcomes, _stats, _pieces, _of, _comparable_bound = (
    column_stats.outcomes, row_groups.row_group_stats, splits._pieces, row_filter._outcomes,
    column_stats._comparable_bound,
)  # fmt: skip


def _leaves(patch: Patch, answer: Callable[..., tuple[bool, bool]]) -> None:
    patch.setattr(row_filter, "outcomes", answer)


def _parts(patch: Patch, **change: Callable[[column_stats.ColumnStats], Any]) -> None:
    def changed(*arguments: Any) -> column_stats.ColumnStats | None:
        known = _stats(*arguments)
        return known and replace(known, **{name: make(known) for name, make in change.items()})

    patch.setattr(parquet, "row_group_stats", changed)


def bounds_are_exclusive(patch: Patch) -> None:
    def answer(leaf: Any, known: Any) -> tuple[bool, bool]:
        found = _outcomes(leaf, known)
        if leaf.op is Op.LT_EQ:
            return _outcomes(replace(leaf, op=Op.LT), known)[0], found[1]
        return found

    _leaves(patch, answer)


def failing_is_not_holding(patch: Patch) -> None:
    def answer(leaf: Any, known: Any) -> tuple[bool, bool]:
        holds, _ = _outcomes(leaf, known)
        return holds, not holds

    _leaves(patch, answer)


def nan_is_in_bounds(patch: Patch) -> None:
    def answer(leaf: Any, known: Any) -> tuple[bool, bool]:
        return (False, True) if leaf.op is Op.IS_NAN else _outcomes(leaf, known)

    _leaves(patch, answer)


def unknown_bounds_are_none(patch: Patch) -> None:
    _leaves(patch, lambda leaf, known: (False, False) if known is None else _outcomes(leaf, known))


def nulls_are_forgotten(patch: Patch) -> None:
    _parts(patch, nulls=lambda _: 0)


def all_is_null_where_some_is(patch: Patch) -> None:
    _parts(patch, count=lambda known: known.nulls or known.count)


def one_bound_is_both(patch: Patch) -> None:
    _parts(patch, high=lambda known: known.low)


def decimals_have_no_sign(patch: Patch) -> None:
    def comparable(raw: Any, form: Any, of: Any) -> Any:
        if isinstance(raw, bytes) and pa.types.is_decimal(form):
            return Decimal(int.from_bytes(raw, "big")).scaleb(-int(of.scale))
        return _comparable_bound(raw, form, of)

    patch.setattr(column_stats, "_comparable_bound", comparable)


def columns_are_taken_for_each_other(patch: Patch) -> None:
    at, other = open_rows._primitive, {1: 21, 21: 1}

    def primitive(columns: Any, field_id: int) -> Any:
        return at(columns, other.get(field_id, field_id))

    patch.setattr(open_rows, "_primitive", primitive)


def or_is_and(patch: Patch) -> None:
    def answer(condition: Any, of: Any) -> tuple[bool, bool]:
        if isinstance(condition, row_filter._AndOr):
            true_of, false_of = zip(*(answer(child, of) for child in condition.children), strict=True)
            return all(true_of), any(false_of)
        return _of(condition, of)

    patch.setattr(row_filter, "_outcomes", answer)


def not_is_left_out(patch: Patch) -> None:
    def answer(condition: Any, of: Any) -> tuple[bool, bool]:
        return answer(condition.child, of) if isinstance(condition, row_filter._Not) else _of(condition, of)

    patch.setattr(row_filter, "_outcomes", answer)


def the_last_piece_is_lost(patch: Patch) -> None:
    def pieces(file: Any, cuts: Any) -> Any:
        found = _pieces(file, cuts)
        return found[:-1] if len(found) > 1 else found

    patch.setattr(splits, "_pieces", pieces)


def pieces_overlap(patch: Patch) -> None:
    def pieces(file: Any, cuts: Any) -> Any:
        found = _pieces(file, cuts)
        return [{**one, "byte_range": (0, one["byte_range"][1])} for one in found] if len(found) > 1 else found

    patch.setattr(splits, "_pieces", pieces)


PLANTED: dict[str, Callable[[Patch], None]] = {
    bug.__name__: bug
    for bug in (
        bounds_are_exclusive,
        failing_is_not_holding,
        nan_is_in_bounds,
        unknown_bounds_are_none,
        nulls_are_forgotten,
        all_is_null_where_some_is,
        one_bound_is_both,
        decimals_have_no_sign,
        columns_are_taken_for_each_other,
        or_is_and,
        not_is_left_out,
        the_last_piece_is_lost,
        pieces_overlap,
    )
}
