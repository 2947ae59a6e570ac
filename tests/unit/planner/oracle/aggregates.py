"""Check aggregates against rows: exact answers equal the true value, and intervals contain it, deletes included."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lakemuster.planner.aggregates.answers import Aggregate, Answer, answers
from lakemuster.planner.scan.plan import Plan
from lakemuster.predicates import NanMode
from tests.unit.planner.oracle.check import Case, Violation, bound_of, files_of, sizes
from tests.unit.planner.oracle.held import size_at
from tests.unit.planner.oracle.meaning import truth
from tests.unit.planner.oracle.model import DataFile, Row, Table, deleted_rows, deletes_of
from tests.unit.planner.oracle.values import is_nan

SEEN: Counter[tuple[str, bool]] = Counter()
"""Counts of the answers so far, by function and exactness."""


def every(columns: Iterable[str]) -> list[Aggregate]:
    """Return all aggregates, for all columns."""
    of_columns = (f"{function}({name})" for name in columns for function in ("min", "max", "null_count"))
    return [Aggregate.parse(text) for text in ("count", "files", "bytes", *of_columns)]


def living(table: Table, file: DataFile) -> list[Row]:
    """Return the file's rows that no delete file deletes."""
    gone: set[int] = set()
    for number in deletes_of(table, file):
        gone |= deleted_rows(table, table.delete_files[number], file)
    return [row for position, row in enumerate(table.rows_of(file)) if position not in gone]


def check(case: Case) -> None:
    """Answer every aggregate and compare the answers with the rows.

    Raises:
        Violation: an answer is wrong.
    """
    table, bound = case.table, bound_of(case)
    names = {path: field_id for field_id, (path, _) in table.columns.items()}
    view = replace(case.scan.view, schema_id=table.schema.schema_id)  # the predicate names columns of this schema
    with sizes(small=case.small):
        found = answers([replace(case.scan, view=view)], lambda _: bound, every(names), nan=case.nan)
        planned = files_of(Plan(case.scan, bound))
    rows = [row for file in table.files for row in living(table, file)]
    matching = [[row for row in rows if truth(case.node, row, reading) is True] for reading in case.readings]
    for answer in found:
        function, column = answer.aggregate.function, answer.aggregate.column
        SEEN[function, answer.interval.exact] += 1
        if function in ("files", "bytes"):
            compare(answer, [len(planned) if function == "files" else sum(map(size_at, planned))])
            continue
        for some in matching:
            values = some if column is None else [row[names[column]] for row in some]
            compare(answer, true_values(function, values, case.nan))


def true_values(function: str, values: list[Any], nan: NanMode) -> list[Any]:
    """Return the aggregate's correct values; engines differ on minima and maxima with NaN."""
    if function == "count":
        return [len(values)]
    held = [value for value in values if value is not None]
    if function == "null_count":
        return [len(values) - len(held)]
    if not held:
        return [None]
    numbers = [value for value in held if not is_nan(value)]
    pick = min if function == "min" else max
    of_numbers = pick(numbers) if numbers else math.nan
    if len(numbers) == len(held):
        return [of_numbers]
    greatest = of_numbers if function == "min" else math.nan
    return [greatest] if nan == "greatest" else [greatest, of_numbers, math.nan]


def compare(answer: Answer, wanted: list[Any]) -> None:
    """Raise a violation if an answer does not contain each of ``wanted``."""
    interval = answer.interval
    for value in wanted:
        if interval.exact:
            right = same(interval.lower, value) and same(interval.upper, value)
        elif value is None:
            right = interval.may_be_null
        else:
            right = not_above(interval.lower, value) and not_above(value, interval.upper)
        if not right:
            raise Violation(f"{answer.aggregate.text} is {value!r}, and the answer {interval}")
    if not interval.exact and not interval.reason:
        raise Violation(f"{answer.aggregate.text} is not exact without a reason: {interval}")


def plain(value: Any) -> Any:
    return value.bytes if hasattr(value, "bytes") and not isinstance(value, bytes) else value


def same(one: Any, other: Any) -> bool:
    return bool(plain(one) == plain(other)) or (is_nan(one) and is_nan(other))


def not_above(one: Any, other: Any) -> bool:
    """Return whether a value is at most another, with NaN above all numbers; None is no bound."""
    if one is None or other is None or is_nan(other):
        return True
    if is_nan(one):
        return False
    return bool(ordered(one) <= ordered(other))


def ordered(value: Any) -> Any:
    value = plain(value)
    return value.encode() if isinstance(value, str) else value
