"""Small random tables with evolved columns, files of every format and deletes of every kind, and their rows.

A plain model of dictionaries and lists, with rows by field id, gives the expected rows.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.model import Split, TableToRead
from tests.unit.spark.reading.iceberg.deletes import vectors
from tests.unit.spark.reading.iceberg.lake import column, table
from tests.unit.spark.reading.iceberg.writers import write

Values = Mapping[int, Any]
"""A row: values by field id; a struct's value is such a mapping too."""

FORMATS = ("parquet", "orc", "avro")
NAMES = ("a", "b", "c", "d", "e", "f", "g", "h", "s", "l", "m")


@dataclass(frozen=True)
class Pool:
    """A column that tables may have: its current type, its type in older files, and its values."""

    field_id: int
    type: Any
    older: Any
    values: Sequence[Any]
    default: Any = None
    default_json: Any = None


def struct_type(*members: Pool, older: bool = False) -> dict[str, Any]:
    fields = [
        column(
            one.field_id, f"m{one.field_id}", one.older if older else one.type, **{"initial-default": one.default_json}
        )
        for one in members
    ]
    return {"type": "struct", "fields": fields}


def list_type(element: str) -> dict[str, Any]:
    return {"type": "list", "element-id": 31, "element": element, "element-required": False}


def map_type(value: str) -> dict[str, Any]:
    return {"type": "map", "key-id": 41, "key": "string", "value-id": 42, "value": value, "value-required": False}


MEMBERS = (
    Pool(21, "long", "int", [None, 0, 1, -1]),
    Pool(22, "string", "string", [None, "", "x"], "dflt", "dflt"),
    Pool(23, "double", "float", [None, 0.5, math.nan]),
)
POOL = (
    Pool(1, "long", "int", [None, 0, 1, 2, -1]),
    Pool(2, "string", "string", [None, "", "x", "y", "dflt"], "dflt", "dflt"),
    Pool(3, "double", "float", [None, math.nan, 0.0, -0.0, 1.5]),
    Pool(4, "decimal(20, 2)", "decimal(5, 2)", [None, Decimal("1.10"), Decimal("-1.10"), Decimal("0.00")]),
    Pool(5, "boolean", "boolean", [None, True, False], True, True),
    Pool(6, "date", "date", [None, date(1970, 1, 1), date(1969, 12, 31)]),
    Pool(7, "timestamp", "timestamp", [None, datetime(1969, 12, 31, 23, 59, 59, 1), datetime(2024, 1, 1)]),  # noqa: DTZ001
    Pool(8, "binary", "binary", [None, b"", b"\0"]),
    Pool(20, "struct", "struct", []),
    Pool(30, list_type("long"), list_type("int"), [None, [], [1, None], [2]]),
    Pool(40, map_type("double"), map_type("float"), [None, [], [("k", 0.5), ("n", None)]]),
)
COMPARED = (1, 2, 3, 4, 5, 6, 7, 8, 21, 22)
"""The fields that equality deletes may compare."""


@dataclass(frozen=True)
class Case:
    """A table, a split, and the rows that reading must return."""

    table: TableToRead
    split: Split
    expected: list[dict[str, Any]]


def make_case(seed: int, folder: Path) -> Case:
    """Return the case of a seed, and write its files below a folder."""
    random = Random(seed)
    names = dict(zip((pool.field_id for pool in POOL), random.sample(NAMES, len(POOL)), strict=True))
    kept = [pool for pool in POOL if random.random() < 0.75] or [POOL[0]]
    members = [member for member in MEMBERS if random.random() < 0.8] or [MEMBERS[0]]
    random.shuffle(kept)
    current = [_column(pool, names[pool.field_id], members) for pool in kept]
    everything = [_column(pool, f"old {pool.field_id}", MEMBERS) for pool in POOL]
    wanted = random.sample(kept, random.randint(0 if seed % 10 == 0 else 1, len(kept)))
    of = table(
        *current,
        schema={"schema_id": 1, "fields": current},
        schemas=({"schema_id": 0, "fields": everything}, {"schema_id": 1, "fields": current}),
        columns=tuple(names[pool.field_id] for pool in wanted),
    )
    numbers = count()
    files = [_file(random, folder / f"f{next(numbers)}") for _ in range(random.randint(1, 3))]
    by_position = _position_deletes(random, folder, files)
    by_value: list[tuple[Row, list[int], list[list[Any]]]] = []
    for at in range(random.choice([0, 0, 1, 2, 3])):
        ids = (
            by_value[-1][1] if by_value and random.random() < 0.5 else random.sample(COMPARED, random.choice([1, 2, 3]))
        )
        by_value.append(_equality_delete(random, folder / f"e{at}", ids))
    split, expected = [], []
    for file in files:
        applied = [one for one in by_value if random.random() < 0.7]
        positions, deletes = by_position[file.path]
        shuffled = [*deletes, *(row for row, _, _ in applied)]
        random.shuffle(shuffled)
        split.append({**file.row, "deletes": shuffled})
        for at, values in enumerate(file.rows):
            is_left = at not in positions and not any(_deletes(ids, keys, values) for _, ids, keys in applied)
            if is_left:
                expected.append({names[pool.field_id]: _shown(pool, values[pool.field_id], members) for pool in wanted})
    return Case(of, Split(files=tuple(split)), expected)


def _column(pool: Pool, name: str, members: Sequence[Pool]) -> Row:
    of = struct_type(*members) if pool.type == "struct" else pool.type
    return column(pool.field_id, name, of, **{"initial-default": pool.default_json})


@dataclass(frozen=True)
class _File:
    path: str
    row: Row
    rows: Sequence[Values]


def _file(random: Random, path: Path) -> _File:
    """Write a file of some columns under its own names; return it with its rows, with defaults of other columns."""
    held = [pool for pool in POOL if random.random() < 0.8] or [POOL[0]]
    members = [member for member in MEMBERS if random.random() < 0.7] or [MEMBERS[1]]
    random.shuffle(held)
    names = dict(zip((pool.field_id for pool in held), random.sample(NAMES, len(held)), strict=True))
    older = random.random() < 0.5
    columns = []
    for pool in held:
        of = pool.older if older else pool.type
        columns.append(
            column(pool.field_id, names[pool.field_id], struct_type(*members, older=older) if of == "struct" else of)
        )
    stored: list[Row] = []
    rows: list[Values] = []
    for _ in range(random.choice([0, 1, 7, 20])):
        values: dict[int, Any] = {pool.field_id: pool.default for pool in POOL}
        as_stored = {}
        for pool in held:
            values[pool.field_id], as_stored[names[pool.field_id]] = _value(random, pool, members)
        rows.append(values)
        stored.append(as_stored)
    kind = random.choice(FORMATS)
    options = {"row_group_size": random.choice([1, 3, 100])} if kind == "parquet" else {}
    return _File(str(path), write(kind, path, columns, stored, **options), rows)


def _value(random: Random, pool: Pool, members: Sequence[Pool]) -> tuple[Any, Any]:
    """Return a value in the model and as written to a file."""
    if pool.type != "struct":
        value = random.choice(pool.values)
        return value, value
    if random.random() < 0.3:
        return None, None
    chosen = {member.field_id: random.choice(member.values) for member in members}
    values = {member.field_id: chosen.get(member.field_id, member.default) for member in MEMBERS}
    return values, {f"m{field_id}": value for field_id, value in chosen.items()}


def _position_deletes(random: Random, folder: Path, files: list[_File]) -> dict[str, tuple[set[int], list[Row]]]:
    found: dict[str, tuple[set[int], list[Row]]] = {file.path: (set(), []) for file in files}
    if random.random() < 0.25:
        places = {file.path: random.sample(range(50), random.choice([0, 1, 10])) for file in files}
        for path, row in vectors(folder / "v.puffin", places).items():
            found[path][0].update(places[path])
            found[path][1].append(row)
        return found
    for number in range(random.choice([0, 0, 1, 2, 3])):
        pairs = sorted({(random.choice(files).path, random.randrange(25)) for _ in range(random.randint(0, 12))})
        columns = [
            column(2147483546, "file_path", "string", required=True),
            column(2147483545, "pos", "long", required=True),
        ]
        rows = [{"file_path": path, "pos": position} for path, position in pairs]
        row = {**write(random.choice(FORMATS), folder / f"p{number}", columns, rows), "content": "position-deletes"}
        for file in files:
            if random.random() < 0.8:
                found[file.path][1].append(row)
                found[file.path][0].update(position for path, position in pairs if path == file.path)
    return found


def _equality_delete(random: Random, path: Path, ids: list[int]) -> tuple[Row, list[int], list[list[Any]]]:
    """Write an equality delete file; return its row, its field ids and its keys."""
    keys = [[random.choice(_pool(field_id).values) for field_id in ids] for _ in range(random.choice([0, 1, 2, 5]))]
    columns, rows = [], [dict[str, Any]() for _ in keys]
    inner = [_pool(field_id) for field_id in ids if field_id in {21, 22}]
    for place, field_id in enumerate(ids):
        pool = _pool(field_id)
        if pool in MEMBERS:
            for row, key in zip(rows, keys, strict=True):
                row.setdefault("s", {})[f"m{field_id}"] = key[place]
        else:
            columns.append(column(field_id, f"k{place}", pool.type if random.random() < 0.5 else pool.older))
            for row, key in zip(rows, keys, strict=True):
                row[f"k{place}"] = key[place]
    if inner:
        columns.append(column(20, "s", struct_type(*inner)))
    row = {**write(random.choice(FORMATS), path, columns, rows), "content": "equality-deletes", "equality_ids": ids}
    return row, ids, keys


def _pool(field_id: int) -> Pool:
    return next(pool for pool in (*POOL, *MEMBERS) if pool.field_id == field_id)


def _deletes(ids: list[int], keys: list[list[Any]], values: Values) -> bool:
    """Return whether a row equals one of the keys."""
    of_row = [_bits(_at(field_id, values)) for field_id in ids]
    return any([_bits(value) for value in key] == of_row for key in keys)


def _at(field_id: int, values: Values) -> Any:
    if field_id in {21, 22, 23}:
        return None if values[20] is None else values[20][field_id]
    return values[field_id]


def _bits(value: Any) -> Any:
    """Return a key that is equal in Python where Java's Double.equals is true."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack(">d", value)
    return value


def _shown(pool: Pool, value: Any, members: Sequence[Pool]) -> Any:
    if pool.type != "struct" or value is None:
        return value
    return {f"m{member.field_id}": value[member.field_id] for member in members}


def differs(case: Case, read: Callable[..., Any], files: Any) -> str | None:
    """Return a description of how the read rows differ from the model's, or None."""
    batches: list[pa.RecordBatch] = list(read(case.table, case.split, files))
    for batch in batches:
        batch.validate(full=True)
    found = [row for batch in batches for row in batch.to_pylist()]
    # Compare text: NaN equals NaN, and -0.0 differs from 0.0.
    if repr(found) != repr(case.expected):
        return f"{found}\nis not\n{case.expected}"
    return None
