"""Convert Arrow rows to JSON text, a column at a time.

Rows do not become Python objects: every column becomes an array of JSON texts, and one
join makes an array of JSON objects whose data buffer is the result. Only batches too small to be worth
Arrow's calls become Python dictionaries; the text is the same.

The rules are those of the Iceberg specification's JSON single-value form, with Lakemuster's:
64-bit ids are text, as are integers beyond 2**53, decimals, dates, times, timestamps and uuids;
binary is hex; NaN and infinities are ``"NaN"``, ``"Infinity"``, ``"-Infinity"``. The field's ``type``
metadata names a type that Arrow does not have (``uuid``). Structs by column name that carry
:data:`SPARSE` leave out their null members, which were not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import SegmentCorrupt
from lakemuster.metadata.files import SPARSE
from lakemuster.metadata.values import SAFE_INTEGER, date_text
from lakemuster.wire.constant_columns import is_uniform
from lakemuster.wire.json_kernel.columns import ALWAYS, UNSAFE, JsonTexts, Lists, RowPart, only_where, quote
from lakemuster.wire.scalars import scalar_texts
from lakemuster.wire.texts import ColumnTexts, data, join

Written: TypeAlias = bytes | memoryview
"""UTF-8 text; for many rows, Arrow's own memory."""

IDS = frozenset({"snapshot_id", "parent_id", "added_snapshot_id", "last_updated_snapshot_id", "next_snapshot_id"})
JSON_TEXT = b"json"
"""Arrow field metadata key of strings that are already JSON."""

FEW_ROWS = 32
"""Up to this many rows are written one by one: a column costs some 20 µs, a value in Python less than one."""

CHUNK_BYTES = 4 * 2**20
"""Arrow bytes that are converted at a time: limits memory, and the wait for the first byte."""


def json_lines(batch: pa.RecordBatch) -> Written:
    """Write each row as a JSON object and a line feed."""
    if (few := _few(batch)) is not None:
        return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in few)
    return _rows(batch, "\n")


def json_items(batch: pa.RecordBatch) -> Written:
    """Write the rows as JSON objects separated by commas: the inside of a JSON array."""
    if (few := _few(batch)) is not None:
        return orjson.dumps(few)[1:-1]
    return _rows(batch, ",")[:-1]


def json_objects(batch: pa.RecordBatch) -> list[dict[str, object]]:
    """Convert each row to a Python dictionary that serializes to the same JSON."""
    return cast("list[dict[str, object]]", orjson.loads(b"[" + json_items(batch) + b"]"))


def chunks(batch: pa.RecordBatch, chunk_bytes: int = CHUNK_BYTES) -> Iterator[pa.RecordBatch]:
    """Divide a batch into slices of about ``chunk_bytes`` in an Arrow stream, without a copy."""
    rows = batch.num_rows
    step = max(1, rows * chunk_bytes // pa.ipc.get_record_batch_size(batch)) if rows else 1
    for at in range(0, rows, step):
        yield batch.slice(at, step)


def _few(batch: pa.RecordBatch) -> list[dict[str, object]] | None:
    """Convert a few rows to dictionaries that orjson writes in the same form; None to write them by column."""
    names = batch.schema.names
    if not names or batch.num_rows > FEW_ROWS or len(set(names)) < len(names):
        return None
    try:
        columns = [_values(batch.column(index), field) for index, field in enumerate(batch.schema)]
    except UnicodeDecodeError as cause:
        raise SegmentCorrupt("a text column does not hold UTF-8") from cause
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(array: pa.Array, field: pa.Field) -> Sequence[object]:
    kind, types = array.type, pa.types
    if array.null_count == len(array):
        return [None] * len(array)
    if types.is_integer(kind):
        return [*map(_id if field.name in IDS else _number, array.to_pylist())]
    if types.is_boolean(kind) or (types.is_string(kind) and JSON_TEXT not in (field.metadata or {})):
        return cast("list[object]", array.to_pylist())
    if types.is_date32(kind):
        return [None if day is None else date_text(day) for day in array.view(pa.int32()).to_pylist()]
    if types.is_list(kind) and types.is_integer(kind.value_type) and kind.value_field.name not in IDS:
        return [None if value is None else [*map(_number, value)] for value in array.to_pylist()]
    if types.is_struct(kind) and len({member.name for member in kind}) == kind.num_fields > 0:
        return _objects(array, sparse=_is_sparse(field))
    return [None if text is None else orjson.Fragment(text) for text in _column(array, field).whole().to_pylist()]


def _id(value: int | None) -> str | None:
    return None if value is None else str(value)


def _number(value: int | None) -> int | str | None:
    return value if value is None or -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)


def _objects(array: pa.StructArray, *, sparse: bool) -> list[object]:
    names = [member.name for member in array.type]
    members = zip(*(_values(array.field(index), member) for index, member in enumerate(array.type)), strict=True)
    rows: list[object] = [
        {name: value for name, value in zip(names, row, strict=True) if value is not None or not sparse}
        for row in members
    ]
    if array.null_count == 0:
        return rows
    return [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist(), strict=True)]


def _rows(batch: pa.RecordBatch, end: str) -> Written:
    if batch.num_rows == 0:
        return b""
    return data(join([*(members(batch) or "{"), "}" + end], batch.num_rows))


def members(batch: pa.RecordBatch) -> list[RowPart]:
    """Return the pieces of each row as a JSON object without its closing brace; empty without columns."""
    pieces: list[RowPart] = []
    for index, field in enumerate(batch.schema):
        pieces += member(batch.column(index), field, opens=not index)
    return pieces


def member(array: pa.Array, field: pa.Field, *, opens: bool = False) -> list[RowPart]:
    """Return the pieces of an object's member; ``opens`` for the first, which needs the opening brace."""
    return [("{" if opens else ",") + _key(field.name), *_texts(array, field).pieces()]


def _opening(before: Sequence[RowPart], name: str) -> str:
    """Return the separator and key before an object's member."""
    return ("," if before else "{") + _key(name)


@lru_cache(maxsize=1024)
def _key(name: str) -> str:
    return orjson.dumps(name).decode() + ":"


def _texts(array: pa.Array, field: pa.Field) -> ColumnTexts:
    if array.null_count == len(array):
        return ColumnTexts(None)
    if is_uniform(array):
        return ColumnTexts.same(_text(array[0], field), len(array))
    return _column(array, field)


def _text(one: pa.Scalar, field: pa.Field) -> str:
    """Return the JSON text of a uniform column's value."""
    kind, types = field.type, pa.types
    if types.is_date32(kind):
        return f'"{date_text(one.value)}"'
    value = one.as_py()
    if types.is_integer(kind):
        value = _id(value) if field.name in IDS else _number(value)
    elif types.is_list(kind):
        value = [*map(_id if kind.value_field.name in IDS else _number, value)]
    elif types.is_string(kind) and JSON_TEXT in (field.metadata or {}):
        return cast("str", value)
    return orjson.dumps(value).decode()


def _column(array: pa.Array, field: pa.Field) -> ColumnTexts:
    """Return the texts of values that are not all null."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return _texts(array.storage, field)
    if pa.types.is_dictionary(kind):
        return _texts(array.dictionary_decode(), field)
    if pa.types.is_struct(kind):
        return _struct(array, sparse=_is_sparse(field))
    if pa.types.is_map(kind):
        return _map(array)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _list(array)
    metadata = field.metadata or {}
    if JSON_TEXT in metadata:
        return ColumnTexts(JsonTexts(array))
    return scalar_texts(array, metadata.get(b"type", b"").decode(), as_id=field.name in IDS)


def _is_sparse(field: pa.Field) -> bool:
    # A null partition value is a value; a null statistic was not recorded.
    return SPARSE in (field.metadata or {})


def _struct(array: pa.StructArray, *, sparse: bool) -> ColumnTexts:
    by_name: dict[str, list[ColumnTexts]] = {}
    for index in range(array.type.num_fields):
        member = array.type.field(index)
        by_name.setdefault(member.name, []).append(_texts(array.field(index), member))
    members = {name: found[0] if len(found) == 1 else _first_recorded(found) for name, found in by_name.items()}
    rows = len(array)
    pieces = _recorded(members, rows) if sparse else _all(members)
    if array.null_count == 0:
        return ColumnTexts(None, parts=pieces, rows=rows)
    return ColumnTexts(JsonTexts(only_where(array, join(pieces, rows))))


def _all(members: Mapping[str, ColumnTexts]) -> list[RowPart]:
    """Return the pieces of an object with all members."""
    pieces: list[RowPart] = []
    for name, texts in members.items():
        pieces += (_opening(pieces, name), *texts.pieces())
    return [*(pieces or "{"), "}"]


def _recorded(members: Mapping[str, ColumnTexts], rows: int) -> list[RowPart]:
    """Return the pieces of an object with the members that are not null."""
    present = {name: texts for name, texts in members.items() if not texts.all_null}
    if not any(texts.any_null for texts in present.values()):
        return _all(present)
    pieces: list[RowPart] = ["{"]
    for name, texts in present.items():
        key = _opening(pieces, name)
        if texts.any_null:
            pieces.append(pc.fill_null(pc.binary_join_element_wise(key, texts.whole(), ""), ""))
        else:
            pieces += (key, *texts.pieces())
    joined = join([*pieces, "}"], rows)
    # Every member has a leading comma: remove the comma of an object's first member.
    return [pc.replace_substring(joined, "{,", "{", max_replacements=1)]


def _first_recorded(variants: list[ColumnTexts]) -> ColumnTexts:
    """Coalesce members that share a name: a column whose type has changed."""
    recorded = [variant.whole() for variant in variants if not variant.all_null]
    return ColumnTexts(JsonTexts(pc.coalesce(*recorded)) if recorded else None)


def _list(array: pa.Array) -> ColumnTexts:
    of = array.type.value_field
    if pa.types.is_list(array.type) and pa.types.is_integer(of.type):
        return ColumnTexts(Lists(array, ALWAYS if of.name in IDS else UNSAFE))
    elements = array.flatten()
    return _bracketed(array, "[", join(_texts(elements, of).pieces(), len(elements)), "]")


def _map(array: pa.MapArray) -> ColumnTexts:
    array = array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))
    entries = array.flatten()
    keys, items = entries.field(0), entries.field(1)
    names = _whole(keys, entries.type.field(0))
    if not (pa.types.is_string(keys.type) or pa.types.is_large_string(keys.type)):
        names = quote(pc.replace_substring(names, '"', ""))
    members = pc.binary_join_element_wise(names, _whole(items, entries.type.field(1)), ":")
    return _bracketed(array, "{", members, "}")


def _whole(array: pa.Array, field: pa.Field) -> pa.Array:
    texts = _texts(array, field)
    return join(texts.pieces(), len(array))


def _bracketed(array: pa.Array, opening: str, elements: pa.Array, closing: str) -> ColumnTexts:
    """Join the texts of all elements of a list array, list by list."""
    rows = len(array)
    if not len(elements):
        inner: RowPart = ""
    else:
        inner = pc.binary_join(pa.ListArray.from_arrays(_offsets(array), elements), ",")
    if array.null_count == 0:
        return ColumnTexts(None, parts=(opening, inner, closing), rows=rows)
    return ColumnTexts(JsonTexts(only_where(array, join((opening, inner, closing), rows))))


def _offsets(array: pa.Array) -> pa.Array:
    """Return the lists' offsets in the flattened elements."""
    if array.null_count == 0 and pa.types.is_list(array.type):
        own = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
        return pa.array(own - own[0])
    lengths = pc.fill_null(pc.list_value_length(array), 0).cast(pa.int32())
    return pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
