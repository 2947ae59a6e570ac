"""Aggregates of a snapshot's rows that match a predicate: exact, or intervals that hold the true value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from lakemuster.errors import RequestInvalid
from lakemuster.metadata.schema import Schema, never_null
from lakemuster.metadata.types import Primitive
from lakemuster.planner.aggregates.counts import Tally, count_nulls, count_rows
from lakemuster.planner.aggregates.extremes import Extremes
from lakemuster.planner.aggregates.interval import Exclusions, Interval
from lakemuster.planner.aggregates.kept_files import DescribedFiles, described_files
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.totals import PlanTotals, totals_of
from lakemuster.planner.view import View
from lakemuster.predicates import Bound, NanMode
from lakemuster.predicates.complement import complement, excludes_nan, excludes_null
from lakemuster.predicates.sql_tokens import unquoted

Function = Literal["count", "files", "bytes", "min", "max", "null_count"]
_WITHOUT_COLUMN: dict[str, Function] = {"count": "count", "files": "files", "bytes": "bytes"}
_OF_COLUMN: dict[str, Function] = {"min": "min", "max": "max", "null_count": "null_count"}
_CALL = re.compile(r"\s*([a-z_]+)\s*(?:\((.*)\)\s*)?", re.DOTALL | re.IGNORECASE)
_PART = r"""(?:"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`|[^."`]+)"""
_PATH = re.compile(rf"{_PART}(?:\.{_PART})*")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A function, of a column if it takes one.

    Attributes:
        text: as the caller wrote it.
    """

    text: str
    function: Function
    column: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``count``, ``files``, ``bytes``, ``min(x)``, ``max(x)`` or ``null_count(x)``.

        Raises:
            RequestInvalid: it is not an aggregate.
        """
        found = _CALL.fullmatch(text)
        name, column = (found[1].lower(), found[2]) if found else ("", None)
        if column is not None and column.strip() in ("", "*") and name in _WITHOUT_COLUMN:
            column = None
        if name in _WITHOUT_COLUMN and column is None:
            return cls(text, _WITHOUT_COLUMN[name])
        if name in _OF_COLUMN and column is not None and column.strip():
            return cls(text, _OF_COLUMN[name], _path(column.strip()))
        raise RequestInvalid(
            f"unknown aggregate {text[:_SHOWN]!r}: count, files, bytes, min(x), max(x), null_count(x)", aggregate=text
        )


def _path(text: str) -> str:
    """Return a column's dotted name without quotes, which each of its parts may have."""
    if not _PATH.fullmatch(text):
        return text
    return ".".join(unquoted(part) if part[0] in '"`' else part for part in re.findall(_PART, text))


@dataclass(frozen=True, slots=True)
class AggregateColumn:
    """The column of an aggregate."""

    field_id: int
    type: Primitive


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one aggregate.

    Attributes:
        type: the type of the values; None for counts.
    """

    aggregate: Aggregate
    interval: Interval
    type: Primitive | None


def resolve(aggregate: Aggregate, schema: Schema, *, case_sensitive: bool) -> AggregateColumn | None:
    """Find an aggregate's column; None if it takes none.

    Raises:
        RequestInvalid: no such column, several, or one without single values.
    """
    if aggregate.column is None:
        return None
    name = aggregate.column
    columns = schema.named if case_sensitive else schema.named_in_any_case
    found = columns.get(name if case_sensitive else name.casefold(), ())
    if len(found) != 1:
        problem = "means several columns" if found else "not found"
        raise RequestInvalid(f"column {name[:_SHOWN]!r} {problem}", aggregate=aggregate.text)
    column = found[0]
    if column.repeated or not isinstance(column.field.type, Primitive):
        raise RequestInvalid(f"column {name[:_SHOWN]!r} has no single values", aggregate=aggregate.text)
    return AggregateColumn(column.field.field_id, column.field.type)


def answers(
    scans: Sequence[ScanIndex],
    bound: Callable[[View], Bound],
    aggregates: Sequence[Aggregate],
    *,
    nan: NanMode,
    case_sensitive: bool = True,
) -> list[Answer]:
    """Answer aggregates over the rows of one or two branches.

    Args:
        scans: the branches' scan indexes, at least one.
        bound: binds the predicate to the columns of a branch.
        nan: what comparisons mean for NaN; bounds the answers for columns that may hold NaN.

    Raises:
        RequestInvalid: a column does not exist, or has no single values.
    """
    tallies = [_Tallied(aggregate, nan) for aggregate in aggregates]
    for scan in scans:
        _tally(scan, bound(scan.view), tallies, case_sensitive=case_sensitive)
    return [Answer(one.aggregate, one.interval, one.type) for one in tallies]


class _Tallied:
    """The running answer to one aggregate."""

    def __init__(self, aggregate: Aggregate, nan: NanMode) -> None:
        self.aggregate = aggregate
        self.type: Primitive | None = None
        self._nan: NanMode = nan
        self._tally = Tally()
        self._extremes: Extremes | None = None

    @property
    def interval(self) -> Interval:
        return self._tally.interval if self._extremes is None else self._extremes.interval

    def of(self, column: AggregateColumn | None) -> None:
        """Continue with a branch that has this column."""
        if column is not None and self.aggregate.function in ("min", "max"):
            self.type = column.type
            self._extremes = self._extremes or Extremes(self.aggregate.function == "max", column.type, self._nan)

    def add_totals(self, totals: PlanTotals) -> None:
        """Add the files that a plan lists."""
        total = np.array([totals.files if self.aggregate.function == "files" else totals.bytes])
        self._tally.add(total, total)

    def add(self, files: DescribedFiles, column: AggregateColumn | None, given: Exclusions) -> None:
        """Add files."""
        if column is None:
            count_rows(self._tally, files)
        elif self._extremes is None:
            count_nulls(self._tally, files, files.fields[column.field_id], given)
        else:
            self._extremes.add(files, files.fields[column.field_id], given)


def _tally(scan: ScanIndex, bound: Bound, tallies: Sequence[_Tallied], *, case_sensitive: bool) -> None:
    """Add the files of a branch to the running answers."""
    schema, written = scan.view.schemas[0], scan.view.written_schemas

    def is_never_null(field_id: int) -> bool:
        return written is not None and never_null(field_id, schema, written)

    columns = [resolve(one.aggregate, schema, case_sensitive=case_sensitive) for one in tallies]
    walking: list[tuple[_Tallied, AggregateColumn | None, Exclusions]] = []
    for one, column in zip(tallies, columns, strict=True):
        one.of(column)
        if one.aggregate.function in ("files", "bytes"):
            one.add_totals(totals_of(scan, bound, None))
        elif column is None:
            walking.append((one, None, Exclusions()))
        else:
            own = column.field_id
            null = is_never_null(own), excludes_null(bound, own)
            walking.append((one, column, Exclusions(*null, excludes_nan(bound, own))))
    if not walking:
        return
    fields = frozenset(column.field_id for _, column, _ in walking if column is not None)
    for files in described_files(scan, bound, complement(bound, is_never_null), fields):
        for one, column, given in walking:
            one.add(files, column, given)
