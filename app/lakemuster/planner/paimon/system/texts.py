"""Format column values as text like Paimon, a column at a time.

Partitions are cast to strings (``{2024-05-14, null}``); keys and statistics are Java's ``toString()`` of the internal
values (days for a date). For a binary value, that is the identity of a Java object; here it is hex.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon.partition_names import spelling
from lakemuster.metadata.files import split_column
from lakemuster.metadata.partition import PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import single_array

_AS_ARROW_HAS_THEM = frozenset({Kind.BOOLEAN, Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG, Kind.STRING})


def cast_texts(values: pa.Array, of: Primitive) -> pa.Array:
    """Cast values to strings like ``CAST(v AS STRING)``; null stays null."""
    return _texts(values, of, legacy=False)


def internal_texts(values: pa.Array, of: Primitive) -> pa.Array:
    """Format the internal values like Java's ``toString()``; null stays null."""
    return _texts(values, of, legacy=True)


def _texts(values: pa.Array, of: Primitive, *, legacy: bool) -> pa.Array:
    if values.null_count == len(values):
        return pa.nulls(len(values), pa.string())
    if of.kind in _AS_ARROW_HAS_THEM:
        return values.cast(pa.string())
    if legacy and of.kind in (Kind.DATE, Kind.TIME):
        return values.cast(pa.int32()).cast(pa.string())
    known = pc.dictionary_encode(values)
    return pa.array([_text(of, value, legacy) for value in known.dictionary], pa.string()).take(known.indices)


def _text(of: Primitive, value: pa.Scalar, legacy: bool) -> str:
    if legacy and of.kind is Kind.BINARY:
        return bytes(value.as_py()).hex()
    return spelling(of, value, legacy=legacy)


def listed(texts: Sequence[pa.Array], rows: int, opening: str = "{", closing: str = "}") -> pa.Array:
    """Join the texts of each row as ``{a, null}``."""
    return _joined([pc.fill_null(array, "null") for array in texts], rows, opening, closing)


def mapped(texts: Mapping[str, pa.Array], rows: int) -> pa.Array:
    """Join the texts of each row as ``{a=1, b=null}``, in the order of a Java ``TreeMap``: UTF-16 code units."""
    names = sorted(texts, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return _joined([_prefixed(f"{name}=", pc.fill_null(texts[name], "null")) for name in names], rows, "{", "}")


def _joined(pieces: Iterable[pa.Array], rows: int, opening: str, closing: str) -> pa.Array:
    members = list(pieces)
    if not members:
        return pa.repeat(pa.scalar(opening + closing), rows)
    inner = pc.binary_join_element_wise(*members, ", ")
    return pc.binary_join_element_wise(opening, inner, closing, "")


def _prefixed(prefix: str, texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(prefix.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), texts, "")


def column_values(table: pa.Table, kind: str, field_id: int, of: Primitive) -> pa.Array | None:
    """Return one per-field column of entries in a type; None if nothing is recorded, or nothing castable.

    Values recorded in other types are cast; those that the type cannot hold become null.
    """
    target = arrow_type(of)
    if target is None:
        return None
    found = [
        single_array(table.column(index))
        for index, name in enumerate(table.column_names)
        if (split := split_column(name)) and split[:2] == (kind, field_id)
    ]
    cast = [values for array in found if (values := cast_or_none(array, target)) is not None]
    return pc.coalesce(*cast) if cast else None


def partition_columns(
    table: pa.Table, spec: PartitionSpec, schemas: tuple[Schema, ...]
) -> list[tuple[str, Primitive, pa.Array]]:
    """Return (name, type, values) of each partition key of entries."""
    found = []
    for field in spec.fields:
        of = result_type(field, schemas)
        values = column_values(table, "partition", field.field_id, of)
        absent = pa.nulls(table.num_rows, arrow_type(of) or pa.binary())
        found.append((field.name, of, absent if values is None else values))
    return found


def partition_texts(table: pa.Table, spec: PartitionSpec, schemas: tuple[Schema, ...]) -> pa.Array:
    """Format each entry's partition as ``{value, value}``; ``{}`` without partition keys."""
    columns = partition_columns(table, spec, schemas)
    return listed([cast_texts(values, of) for _, of, values in columns], table.num_rows)
