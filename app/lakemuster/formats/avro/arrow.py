"""Convert a decoder's raw values to typed columns: names, text, booleans, logical types.

All decoders share this code, and it rejects invalid values that they accept: bytes that are not booleans,
text that is not UTF-8, numbers without an enum symbol. Buffers are shared, not copied, wherever the stored numbers
need no conversion.
"""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.schema import Node

_WORD = 16


def arrow_schema(node: Node) -> pa.Schema:
    """Return the schema of a record's rows; members that take no bytes are left out."""
    return pa.schema([pa.field(name, arrow_type(child), child.nullable) for name, child in _columns(node)])


def arrow_type(node: Node) -> pa.DataType:
    """Return the Arrow type of a column of ``node``."""
    match node.kind, node.logical:
        case "record", _:
            return pa.struct([pa.field(name, arrow_type(child), child.nullable) for name, child in _columns(node)])
        case "array", _:
            item = node.children[0][1]
            return pa.list_(pa.field("item", arrow_type(item), item.nullable))
        case "fixed", "" | "uuid":
            return pa.binary(node.size)
        case _, "decimal":
            return pa.decimal128(node.precision, node.scale)
        case key:
            return _TYPES[key]


def to_columns(node: Node, raw: pa.Array) -> list[pa.Array]:
    """Return the columns of a record's rows, in the order of ``arrow_schema``.

    Raises:
        MetadataCorrupt: a value does not conform to its type.
    """
    columns = []
    # Where a whole record is null, its children's values are meaningless: flatten makes them null.
    stored = raw.flatten() if raw.null_count else [raw.field(index) for index in range(len(node.children))]
    for (_, child), values in zip(node.children, stored, strict=True):
        if child.kind == "branch":
            _check_branches(values)
        else:
            column = _shape(child, values)
            columns.append(column if child.nullable or not column.null_count else _without_nulls(column))
    return columns


def _columns(node: Node) -> list[tuple[str, Node]]:
    return [(name, child) for name, child in node.children if child.kind != "branch"]


def _shape(node: Node, raw: pa.Array) -> pa.Array:
    kind = arrow_type(node)
    if raw.offset:
        # The code below shares buffers and assumes that values start at their beginning.
        raw = raw.take(pa.array(np.arange(len(raw))))
    match node.kind, node.logical:
        case "record", _:
            return _over(kind, raw, raw.buffers()[:1], to_columns(node, raw))
        case "array", _:
            return _over(kind, raw, raw.buffers()[:2], [_shape(node.children[0][1], raw.values)])
        case "string", "":
            return _text(raw)
        case "string", "uuid":
            return _uuids(raw)
        case "boolean", _:
            return _booleans(raw)
        case "enum", _:
            return _symbols(raw, node.symbols)
        case _, "decimal":
            return _decimals(raw, kind, node)
        case _:
            return raw if raw.type == kind else raw.view(kind)


def _check_branches(raw: pa.Array) -> None:
    ends = pc.min_max(raw)
    if ends["min"].is_valid and not 0 <= ends["min"].as_py() <= ends["max"].as_py() <= 1:
        raise MetadataCorrupt("a union without such a branch")


def _over(kind: pa.DataType, raw: pa.Array, buffers: list[pa.Buffer | None], children: list[pa.Array]) -> pa.Array:
    """Return an array with the validity and offsets of ``raw``, and other children and names."""
    return pa.Array.from_buffers(kind, len(raw), buffers, raw.null_count, 0, children)


def _without_nulls(column: pa.Array) -> pa.Array:
    """Drop the validity of a required column: its nulls are all inside null records, which hide them."""
    kind, buffers = column.type, column.buffers()
    if pa.types.is_struct(kind):
        children = [column.field(index) for index in range(kind.num_fields)]
        return pa.Array.from_buffers(kind, len(column), [None], 0, 0, children)
    if pa.types.is_list(kind):
        return pa.Array.from_buffers(kind, len(column), [None, buffers[1]], 0, 0, [column.values])
    return pa.Array.from_buffers(kind, len(column), [None, *buffers[1:]], 0)


def as_text(raw: pa.BinaryArray) -> pa.StringArray:
    """Return the same bytes as strings. For few values, this takes a seventh of the time of a cast.

    Raises:
        pa.ArrowInvalid: some are not UTF-8.
    """
    text = raw.view(pa.string())
    text.validate(full=True)
    return text


def _text(raw: pa.Array) -> pa.Array:
    try:
        return as_text(raw)
    except pa.ArrowInvalid as error:
        raise MetadataCorrupt("text that is not UTF-8") from error


def _uuids(raw: pa.Array) -> pa.Array:
    try:
        values = [None if text is None else UUID(text).bytes for text in _text(raw).to_pylist()]
    except ValueError as error:
        raise MetadataCorrupt("a text is not a UUID") from error
    return pa.array(values, pa.binary(16))


def _booleans(raw: pa.Array) -> pa.Array:
    data = raw.buffers()[1]
    stored = np.frombuffer(data, np.uint8, len(raw), raw.offset) if data is not None else np.zeros(0, np.uint8)
    null = _nulls(raw)
    if (stored[~null] > 1).any():
        raise MetadataCorrupt("a boolean other than 0 and 1")
    return pa.array(stored == 1, pa.bool_(), mask=null)


def _symbols(raw: pa.Array, symbols: tuple[str, ...]) -> pa.Array:
    ends = pc.min_max(raw)
    if ends["min"].is_valid and not 0 <= ends["min"].as_py() <= ends["max"].as_py() < len(symbols):
        raise MetadataCorrupt("an enum without such a symbol", symbols=len(symbols))
    return pa.array(symbols, pa.string()).take(raw)


def _decimals(raw: pa.Array, kind: pa.Decimal128Type, node: Node) -> pa.Array:
    """Convert big-endian two's complement of any length to decimals of 16 little-endian bytes."""
    null = _nulls(raw)
    if node.kind == "fixed":
        stored = np.frombuffer(raw.buffers()[1] or b"", np.uint8)[raw.offset * node.size :][: len(raw) * node.size]
        words = _words(stored.reshape(-1, node.size), null)
    else:
        words = np.zeros((len(raw), _WORD), np.uint8)
        lengths = pc.fill_null(pc.binary_length(raw), 0).to_numpy(zero_copy_only=False)
        for length in np.unique(lengths[~null]):
            rows = np.flatnonzero((lengths == length) & ~null)
            same = b"".join(raw.take(pa.array(rows)).to_pylist())
            if length == 0:
                raise MetadataCorrupt("a decimal of no bytes")
            words[rows] = _words(np.frombuffer(same, np.uint8).reshape(-1, length), np.zeros(len(rows), np.bool_))
    numbers = pa.Array.from_buffers(kind, len(raw), [None, pa.py_buffer(words.tobytes())])
    if null.any():
        numbers = pc.if_else(pa.array(null), pa.scalar(None, kind), numbers)
    try:
        numbers.validate(full=True)
    except pa.ArrowInvalid as error:
        raise MetadataCorrupt("a decimal of more digits than its type", precision=node.precision) from error
    return numbers


def _words(stored: NDArray[np.uint8], null: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Convert (N, any) big-endian bytes to (N, 16) little-endian ones, nulls to 0."""
    length = stored.shape[1]
    sign = np.where(stored[:, :1] & 0x80, 0xFF, 0).astype(np.uint8)
    words = np.broadcast_to(sign, (len(stored), _WORD)).copy()
    kept = min(length, _WORD)
    words[:, :kept] = stored[:, ::-1][:, :kept]
    if length > _WORD:
        over = (stored[:, : length - _WORD] != sign).any(axis=1) | ((words[:, -1:] ^ sign)[:, 0] & 0x80 != 0)
        if (over & ~null).any():
            raise MetadataCorrupt("a decimal of more digits than its type")
    words[null] = 0
    return words


def _nulls(raw: pa.Array) -> NDArray[np.bool_]:
    nulls: NDArray[np.bool_] = raw.is_null().to_numpy(zero_copy_only=False)
    return nulls


_TYPES: dict[tuple[str, str], pa.DataType] = {
    ("boolean", ""): pa.bool_(),
    ("int", ""): pa.int32(),
    ("int", "date"): pa.date32(),
    ("int", "time-millis"): pa.time32("ms"),
    ("long", ""): pa.int64(),
    ("long", "time-micros"): pa.time64("us"),
    **{
        ("long", f"{local}timestamp-{word}"): pa.timestamp(unit)
        for local in ("", "local-")
        for word, unit in (("millis", "ms"), ("micros", "us"), ("nanos", "ns"))
    },
    ("float", ""): pa.float32(),
    ("double", ""): pa.float64(),
    ("bytes", ""): pa.binary(),
    ("string", ""): pa.string(),
    ("string", "uuid"): pa.binary(16),
    ("enum", ""): pa.string(),
}
