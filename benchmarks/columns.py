"""Columns of the generated tables, and the statistics of each file that a writer would record.

Every number is a hash of the file's number and the column, so a file's statistics do not depend on how the files are
divided into manifests and processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["long", "timestamptz", "string", "decimal", "double", "date", "int", "boolean"]

ROWS = 1_000
"""Approximate number of rows in a file."""

FIRST_DAY = 19_358
"""2023-01-01, in days since 1970-01-01."""

DAY_MICROSECONDS = 86_400_000_000

Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; without ``bounds``, the writer recorded counts only."""

    field_id: int
    name: str
    kind: Kind
    bounds: bool = True


@dataclass(frozen=True, slots=True)
class Files:
    """Some files of a table, by number; ``bucket`` and ``day`` are their partition."""

    numbers: Longs
    day: Longs
    bucket: Longs
    rows: Longs
    sizes: Longs


@dataclass(frozen=True, slots=True)
class Statistics:
    """One column over some files. Bounds: integers (decimals unscaled), floats or byte strings."""

    lower: NDArray[np.generic]
    upper: NDArray[np.generic]
    has_bounds: Mask
    null_counts: Longs
    nan_counts: Longs | None
    sizes: Longs


_FIRST: tuple[tuple[str, Kind], ...] = (
    ("id", "long"),  # clustered: increases from file to file
    ("ts", "timestamptz"),  # within the file's day
    ("user_id", "long"),  # as wide in every file as in the table
    ("region", "string"),  # few values
    ("price", "decimal"),
    ("score", "double"),  # NaNs in some files, only NaNs in a few
    ("url", "string"),  # truncated to 16 characters
    ("shipped", "date"),
    ("quantity", "int"),  # all null in every seventh file
    ("note", "string"),  # counts only
    ("code", "long"),  # narrow in each file, but not clustered
    ("flag", "boolean"),
)
_CYCLE: tuple[Kind, ...] = ("long", "double", "string", "decimal", "date", "int")
_REGIONS = np.array([b"africa", b"asia", b"europe", b"north-america", b"oceania", b"south-america"])
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)


def table_columns(count: int) -> list[Column]:
    """Return the first ``count`` columns, with ids from 1."""
    named = [Column(number, name, kind, name != "note") for number, (name, kind) in enumerate(_FIRST, 1)]
    rest = range(len(named) + 1, count + 1)
    more = [Column(number, f"{_CYCLE[number % 6]}_{number}", _CYCLE[number % 6]) for number in rest]
    return (named + more)[:count]


def table_files(numbers: Longs, *, days: int, buckets: int, day_files: int) -> Files:
    """Return the files with these numbers: ``day_files`` per day, ordered by bucket within a day."""
    rows = ROWS - draw(numbers, 1, 100)
    day = FIRST_DAY + np.minimum(numbers // day_files, days - 1)
    per_bucket = max(1, day_files // buckets)
    bucket = numbers % day_files // per_bucket % buckets
    return Files(numbers, day, bucket, rows, rows * 120 + draw(numbers, 2, 4096))


def draw(numbers: Longs, salt: int, below: int) -> Longs:
    """Return a number in [0, below) for each file, a hash of its number and the salt (splitmix64)."""
    with np.errstate(over="ignore"):
        seed = np.uint64(salt * 0xD1B54A32D192ED03 % 2**64)
        state = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + seed
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((state ^ (state >> np.uint64(31))) % np.uint64(below)).astype(np.int64)


def hex_digits(numbers: Longs, salt: int, digits: int) -> NDArray[np.uint8]:
    """Return ``digits`` hexadecimal digits for each file, as text."""
    return np.column_stack([_HEX[draw(numbers, salt * 64 + place, 16)] for place in range(digits)])


def decimal_digits(numbers: Longs, digits: int) -> NDArray[np.uint8]:
    """Return the numbers as zero-padded text."""
    powers = 10 ** np.arange(digits - 1, -1, -1, dtype=np.int64)
    return (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)


def statistics(column: Column, files: Files) -> Statistics:
    """Return the statistics that the writer recorded for a column."""
    numbers, salt = files.numbers, column.field_id * 8
    count = len(numbers)
    lower, upper = _bounds(column, files)
    has_bounds = np.full(count, column.bounds)
    null_counts = np.where(draw(numbers, salt, 4) == 0, draw(numbers, salt + 1, 100), 0)
    nan_counts = None
    if column.name == "quantity":
        all_null = numbers % 7 == 6
        null_counts = np.where(all_null, files.rows, null_counts)
        has_bounds &= ~all_null
    if column.kind == "double":
        nan_counts = np.where(numbers % 50 == 49, 1 + draw(numbers, salt + 2, 10), 0)
    if column.name == "score" and nan_counts is not None:
        only_nan = numbers % 997 == 996
        nan_counts = np.where(only_nan, files.rows - null_counts, nan_counts)
        has_bounds &= ~only_nan
    sizes = 40 + draw(numbers, salt + 3, 8 * ROWS)
    return Statistics(lower, upper, has_bounds, null_counts, nan_counts, sizes)


def _bounds(column: Column, files: Files) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    numbers, salt = files.numbers, column.field_id * 8
    first, second = draw(numbers, salt + 4, 1 << 40), draw(numbers, salt + 5, 1 << 40)
    match column.name, column.kind:
        case "id", _:
            return numbers * ROWS, numbers * ROWS + files.rows - 1
        case _, "timestamptz":
            half = DAY_MICROSECONDS // 2
            start = files.day * DAY_MICROSECONDS + first % half
            return start, start + second % half
        case "user_id", _:
            return first % 1_000_000, 1_000_000_000 - second % 1_000_000
        case "region", _:
            low = first % len(_REGIONS)
            return _REGIONS[low], _REGIONS[low + second % (len(_REGIONS) - low)]
        case _, "string":
            return _truncated_strings(numbers, salt)
        case _, "decimal":
            return first % 200_000 - 100_000, first % 200_000 + second % 10_000_000
        case _, "double":
            least = (first % 1_000_000) / 1_000 - 500
            return least, least + (second % 1_000_000) / 1_000
        case _, "date":
            return (files.day + first % 3).astype(np.int32), (files.day + 3 + second % 30).astype(np.int32)
        case _, "int":
            return (first % 10).astype(np.int32), (10 + second % 1_000).astype(np.int32)
        case _, "boolean":
            return np.zeros(len(numbers), np.uint8), (second % 2).astype(np.uint8)
    low = first % 1_000_000_000
    return low, low + second % 1_000


def _truncated_strings(numbers: Longs, salt: int) -> tuple[NDArray[np.bytes_], NDArray[np.bytes_]]:
    """Return bounds of sixteen characters; the upper bound's last one is incremented, as truncation does."""
    lower, upper = hex_digits(numbers, salt + 6, 16), hex_digits(numbers, salt + 7, 16)
    lower[:, 0], upper[:, 0] = ord("a"), ord("b")
    upper[:, 15] += 1
    return lower.view("S16").ravel(), upper.view("S16").ravel()
