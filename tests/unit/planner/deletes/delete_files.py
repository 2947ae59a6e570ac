"""Data and delete files as segment tables, and delete matching computed file by file."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa

from lakemuster.metadata.files import DATA, EQUALITY_DELETES, ICEBERG_COLUMNS, POSITION_DELETES, typed_field
from lakemuster.metadata.partition import PartitionField, PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive, StructType, arrow_type
from lakemuster.planner.deletes.deletes import DeleteIndex

PATH = 2147483546
LONG, TEXT, DOUBLE = Primitive(Kind.LONG, "long"), Primitive(Kind.STRING, "string"), Primitive(Kind.DOUBLE, "double")
SCHEMA = Schema(
    0,
    (
        Field(1, "id", LONG),
        Field(2, "name", TEXT),
        Field(3, "ratio", DOUBLE),
        Field(4, "key", LONG, required=True),
        Field(5, "inner", StructType((Field(6, "number", LONG, required=True),))),
    ),
)
COLUMNS = {1: LONG, 2: TEXT, 3: DOUBLE, 4: LONG, 6: LONG}
REQUIRED = frozenset({4})
MEMBERS = frozenset({6})


def by(*fields: tuple[int, str, int], spec_id: int = 0) -> PartitionSpec:
    """Return a spec of (partition field id, transform, source id) fields."""
    parts = tuple(PartitionField(i, f"p{i}", transform, (source,)) for i, transform, source in fields)
    return PartitionSpec(spec_id, parts)


UNPARTITIONED = by(spec_id=0)
BY_NAME = by((1000, "identity", 2), spec_id=1)
BY_RATIO = by((1001, "identity", 3), (1002, "bucket[4]", 1), spec_id=2)
VOIDED = by((1000, "void", 2), spec_id=3)
UNKNOWN = by((1003, "zorder[8]", 1), spec_id=4)
SPECS = (UNPARTITIONED, BY_NAME, BY_RATIO, VOIDED, UNKNOWN)


@dataclass(frozen=True)
class Recorded:
    """One column's statistics; None where not recorded."""

    lower: Any = None
    upper: Any = None
    nulls: int | None = None
    values: int | None = None
    nans: int | None = None


@dataclass(frozen=True)
class File:
    """One data or delete file; ``rows`` by column id are its rows, or the deleted rows."""

    path: str
    sequence: int | None = 1
    partition: dict[int, Any] = field(default_factory=dict)
    content: int = DATA
    format: str = "PARQUET"
    referenced: str | None = None
    equality_ids: tuple[int, ...] | None = None
    statistics: dict[int, Recorded] = field(default_factory=dict)
    records: int = 2


def data(path: str = "a", sequence: int | None = 1, **rest: Any) -> File:
    return File(path, sequence, **rest)


def positions(sequence: int | None = 1, **rest: Any) -> File:
    return File("deletes", sequence, content=POSITION_DELETES, **rest)


def vector(of: str | None, sequence: int | None = 1, **rest: Any) -> File:
    return File("v.puffin", sequence, content=POSITION_DELETES, format="puffin", referenced=of, **rest)


def equality(*ids: int, sequence: int | None = 2, **rest: Any) -> File:
    return File("deletes", sequence, content=EQUALITY_DELETES, equality_ids=ids, **rest)


def between(file: File, lower: str | None, upper: str | None) -> File:
    """Return a position delete file with bounds of its paths."""
    return replace(file, statistics={**file.statistics, PATH: Recorded(lower, upper)})


def table_of(
    files: Sequence[File],
    spec: PartitionSpec,
    types: dict[int, Primitive] | None = None,
    schemas: tuple[Schema, ...] = (SCHEMA,),
) -> pa.Table:
    """Return entries as a segment has them, without columns of nulls only."""
    kinds = {**COLUMNS, PATH: TEXT, **(types or {})}
    found: list[tuple[pa.Field, list[Any]]] = [
        (pa.field("content", ICEBERG_COLUMNS["content"]), [file.content for file in files]),
        (pa.field("sequence_number", pa.int64()), [file.sequence for file in files]),
        (pa.field("file_path", pa.string()), [file.path for file in files]),
        (pa.field("file_format", pa.string()), [file.format for file in files]),
        (pa.field("record_count", pa.int64()), [file.records for file in files]),
        (pa.field("referenced_data_file", pa.string()), [file.referenced for file in files]),
        (pa.field("equality_ids", pa.list_(pa.int32())), [file.equality_ids for file in files]),
    ]
    for own in spec.fields:
        kind = (types or {}).get(own.field_id) or result_type(own, schemas)
        of = arrow_type(kind) or pa.binary()
        name = f"partition.{own.field_id}"
        found.append((typed_field(name, of, kind.text), [file.partition.get(own.field_id) for file in files]))
    for field_id, of in kinds.items():
        recorded = [file.statistics.get(field_id, Recorded()) for file in files]
        found += [
            (typed_field(f"lower.{field_id}", arrow_type(of), of.text), [one.lower for one in recorded]),
            (typed_field(f"upper.{field_id}", arrow_type(of), of.text), [one.upper for one in recorded]),
            (pa.field(f"null_count.{field_id}", pa.int64()), [one.nulls for one in recorded]),
            (pa.field(f"value_count.{field_id}", pa.int64()), [one.values for one in recorded]),
            (pa.field(f"nan_count.{field_id}", pa.int64()), [one.nans for one in recorded]),
        ]
    kept = [(of, values) for of, values in found if of.name == "file_path" or any(v is not None for v in values)]
    arrays = [pa.array(values, of.type) for of, values in kept]
    return pa.Table.from_arrays(arrays, schema=pa.schema([of for of, _ in kept]))


def matched(
    deletes: Sequence[tuple[PartitionSpec, Sequence[File]]],
    spec: PartitionSpec,
    files: Sequence[File],
    schemas: tuple[Schema, ...] = (SCHEMA,),
) -> list[list[int]]:
    """Return the numbers of each data file's deletes that ``DeleteIndex`` matches."""
    manifests = [(own.spec_id, table_of(some, own, schemas=schemas)) for own, some in deletes]
    index = DeleteIndex.of(manifests, SPECS, schemas)
    return numbers_of(index, spec, table_of(files, spec, schemas=schemas))


def numbers_of(index: DeleteIndex, spec: PartitionSpec, table: pa.Table) -> list[list[int]]:
    offsets, numbers = index.match(spec.spec_id, table)
    assert offsets[0] == 0
    assert offsets[-1] == len(numbers)
    return [numbers[start:end].tolist() for start, end in pairwise(offsets)]


def expected(
    deletes: Sequence[tuple[PartitionSpec, Sequence[File]]], spec: PartitionSpec, file: File
) -> tuple[list[int], list[int]]:
    """Return the delete files in a data file's scope by the specification, and those left after statistics."""
    numbered = [(of, one) for of, some in deletes for one in some]
    vectors = [n for n, (of, one) in enumerate(numbered) if is_vector(one) and applies(of, one, spec, file)]
    scope = [n for n, (of, one) in enumerate(numbered) if applies(of, one, spec, file)]
    if vectors:
        scope = [n for n in scope if numbered[n][1].content == EQUALITY_DELETES or n in vectors]
    return scope, [n for n in scope if can_delete(numbered[n][1], file)]


def is_vector(delete: File) -> bool:
    return delete.content == POSITION_DELETES and delete.format.lower() == "puffin"


def applies(delete_spec: PartitionSpec, delete: File, spec: PartitionSpec, file: File) -> bool:
    """Return whether a delete file is in scope by "Scan Planning", except that vectors replace position deletes.

    The partition of a delete of one data file does not matter.
    """
    delete_age, age = delete.sequence or 0, file.sequence or 0
    same_partition = delete_spec.spec_id == spec.spec_id and tuple_of(delete, spec) == tuple_of(file, spec)
    if delete.content == EQUALITY_DELETES:
        unpartitioned = all(own.transform == "void" for own in delete_spec.fields)
        return age < delete_age and (same_partition or unpartitioned)
    bounds = delete.statistics.get(PATH, Recorded())
    only = delete.referenced or (bounds.lower if bounds.lower == bounds.upper else None)
    if is_vector(delete) or only is not None:
        return only == file.path and age <= delete_age
    return age <= delete_age and same_partition


def tuple_of(file: File, spec: PartitionSpec) -> list[object]:
    return [bits(file.partition.get(own.field_id)) for own in spec.fields if own.transform != "void"]


def bits(value: object) -> object:
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack("<d", value)
    return value


def can_delete(delete: File, file: File) -> bool:
    """Return whether statistics allow that the delete file deletes a row of the data file."""
    if delete.content != EQUALITY_DELETES:
        paths = Recorded() if delete.referenced else delete.statistics.get(PATH, Recorded())
        return not ((paths.lower or "") > file.path or (paths.upper is not None and paths.upper < file.path))
    return all(may_share(delete, file, field_id) for field_id in delete.equality_ids or ())


def may_share(delete: File, file: File, field_id: int) -> bool:
    """Return whether a value of the delete file may equal one of the data file."""
    if field_id not in COLUMNS:
        return True
    one, other = (recorded(side, field_id) for side in (delete, file))
    required = field_id in REQUIRED
    if may_hold(one.nulls, required) and may_hold(other.nulls, required):
        return True
    if only_nulls(one, required) or only_nulls(other, required):
        return False
    if COLUMNS[field_id] is DOUBLE and one.nans != 0 and other.nans != 0:
        return True
    return not (above(one.lower, other.upper) or above(other.lower, one.upper))


def recorded(side: File, field_id: int) -> Recorded:
    """Return a column's statistics; counts that leave out rows count as unknown."""
    found = side.statistics.get(field_id, Recorded())
    is_whole = found.values == side.records or (found.values is None and field_id not in MEMBERS)
    return found if is_whole else replace(found, nulls=None, values=None)


def may_hold(count: int | None, required: bool) -> bool:
    return not required and count != 0


def only_nulls(side: Recorded, required: bool) -> bool:
    return not required and bool(side.values) and side.nulls == side.values


def above(lower: Any, upper: Any) -> bool:
    return lower is not None and upper is not None and bool(lower > upper)
