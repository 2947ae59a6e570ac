"""Convert variants from the groups that files store to Spark's form; shredded variants are reassembled.

A file stores a variant as ``metadata``, which lists the names of all fields, and ``value``. A shredded variant stores
parts of the value in typed columns below ``typed_value``.

Source: Parquet's specifications "Variant Binary Encoding" and "Variant Shredding".
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

VARIANT = pa.struct(
    [
        pa.field("value", pa.binary(), nullable=False),
        pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"}),
    ]
)
"""The Arrow type that Spark accepts as a variant: ``value`` is first, and field metadata marks it as a variant."""

_NULL = b"\0"
_OBJECT, _ARRAY = 2, 3
_EXACT = Context(prec=100)

Encode = Callable[[Any], bytes]


def is_variant(of: pa.DataType) -> bool:
    """Return whether a type is :data:`VARIANT`, field metadata included."""
    return bool(of.equals(VARIANT, check_metadata=True))


def stores_variants(of: pa.DataType) -> bool:
    """Return whether a file's column has the layout of variants, shredded or not."""
    if not pa.types.is_struct(of) or "metadata" not in of.names:
        return False
    return _is_bytes(of.field("metadata").type) and _is_shredded(of, {"metadata"})


def variants(array: pa.StructArray) -> pa.StructArray:
    """Return the variants of a file's column, as :data:`VARIANT`.

    Raises:
        ArrowInvalid: they break the specification.
    """
    metadata = _plain(_member(array, "metadata")).cast(pa.binary())
    if pc.any(pc.and_(array.is_valid(), metadata.is_null())).as_py():
        raise pa.ArrowInvalid("a variant has no metadata")
    if "typed_value" in array.type.names:
        each = zip(metadata.to_pylist(), array.is_valid().to_pylist(), strict=True)
        try:
            values = pa.array(
                _together(array, [_field_ids(one) if is_valid else {} for one, is_valid in each]), pa.binary()
            )
        except (IndexError, KeyError, UnicodeDecodeError) as cause:
            raise pa.ArrowInvalid("a shredded variant cannot be decoded") from cause
    else:
        values = _plain(_member(array, "value")).cast(pa.binary())
    # A missing value where a variant is required is the variant null.
    members = [values.fill_null(_NULL), metadata.fill_null(b"")]
    return pa.StructArray.from_arrays(members, fields=list(VARIANT), mask=array.is_null())


def _is_shredded(of: pa.DataType, others: Collection[str] = ()) -> bool:
    """Return whether a type is a struct of ``value``, ``typed_value`` or both, besides ``others``."""
    if not pa.types.is_struct(of) or len(set(of.names)) < len(of.names):
        return False
    names = set(of.names).difference(others)
    if not names or not names <= {"value", "typed_value"}:
        return False
    if "value" in names and not _is_bytes(of.field("value").type):
        return False
    return "typed_value" not in names or _is_typed(of.field("typed_value").type)


def _is_typed(of: pa.DataType) -> bool:
    if pa.types.is_struct(of):
        return len(set(of.names)) == len(of.names) and all(_is_shredded(member.type) for member in of)
    if pa.types.is_list(of):
        return _is_shredded(of.value_type)
    return _encoding(of) is not None


def _is_bytes(of: pa.DataType) -> bool:
    types = pa.types
    of = of.value_type if types.is_dictionary(of) else of
    return bool(types.is_binary(of) or types.is_large_binary(of) or types.is_binary_view(of))


def _plain(array: pa.Array) -> pa.Array:
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _member(array: pa.StructArray, name: str) -> pa.Array:
    """Return a struct's member, null where the struct is null, since files may store any value there."""
    names = array.type.names
    return array.flatten()[names.index(name)] if name in names else pa.nulls(len(array))


def _together(array: pa.StructArray, names: Sequence[Mapping[str, int]]) -> list[bytes | None]:
    """Return the encoded value of each row, None if missing; ``names`` are the field ids in each row's metadata."""
    values: list[bytes | None] = _plain(_member(array, "value")).to_pylist()
    if "typed_value" not in array.type.names:
        return values
    typed = _plain(_member(array, "typed_value"))
    if pa.types.is_struct(typed.type):
        return _objects(typed, values, names)
    found = _arrays(typed, names) if pa.types.is_list(typed.type) else _primitives(typed)
    if any(one is not None and other is not None for one, other in zip(found, values, strict=True)):
        raise pa.ArrowInvalid("a variant has two values")
    return [one if other is None else other for one, other in zip(found, values, strict=True)]


def _primitives(typed: pa.Array) -> list[bytes | None]:
    encoding = _encoding(typed.type)
    assert encoding is not None
    form, encode = encoding
    plain = typed if form is None else typed.cast(form)
    return [None if one is None else encode(one) for one in plain.to_pylist()]


def _arrays(typed: pa.ListArray, names: Sequence[Mapping[str, int]]) -> list[bytes | None]:
    owners = pc.list_parent_indices(typed).to_pylist()
    # A missing array element is the variant null.
    together = _together(typed.flatten(), [names[owner] for owner in owners])
    elements = iter([_NULL if one is None else one for one in together])
    lengths = pc.list_value_length(typed).to_pylist()
    return [None if length is None else _container(_ARRAY, list(islice(elements, length))) for length in lengths]


def _objects(
    typed: pa.StructArray, values: Sequence[bytes | None], names: Sequence[Mapping[str, int]]
) -> list[bytes | None]:
    columns = {name: _together(_member(typed, name), names) for name in typed.type.names}
    found: list[bytes | None] = []
    for row, (is_valid, value) in enumerate(zip(typed.is_valid().to_pylist(), values, strict=True)):
        if not is_valid:
            found.append(value)
            continue
        ids = names[row]
        fields = {name: one for name, column in columns.items() if (one := column[row]) is not None}
        if value is not None:
            by_id = {field_id: name for name, field_id in ids.items()}
            for field_id, one in _fields(value):
                if by_id[field_id] in columns:
                    raise pa.ArrowInvalid("a variant has two values of a field")
                fields[by_id[field_id]] = one
        found.append(_object(fields, ids))
    return found


def _object(fields: Mapping[str, bytes], ids: Mapping[str, int]) -> bytes:
    unknown = next((name for name in fields if name not in ids), None)
    if unknown is not None:
        raise pa.ArrowInvalid(f"a variant's metadata does not name its field {unknown[:100]!r}")
    ordered = sorted(fields, key=str.encode)
    return _container(_OBJECT, [fields[name] for name in ordered], [ids[name] for name in ordered])


def _container(kind: int, values: Sequence[bytes], ids: Sequence[int] = ()) -> bytes:
    """Encode an object, or an array, which has no ids."""
    offsets = [0]
    for value in values:
        offsets.append(offsets[-1] + len(value))
    is_large = len(values) > 0xFF
    offset_size, id_size = _size(offsets[-1]), _size(max(ids, default=0))
    about = is_large << 2 | offset_size - 1
    if kind == _OBJECT:
        about = is_large << 4 | id_size - 1 << 2 | offset_size - 1
    return b"".join(
        [
            bytes([about << 2 | kind]),
            len(values).to_bytes(4 if is_large else 1, "little"),
            *(one.to_bytes(id_size, "little") for one in ids),
            *(one.to_bytes(offset_size, "little") for one in offsets),
            *values,
        ]
    )


def _size(number: int) -> int:
    return max(1, (number.bit_length() + 7) // 8)


def _fields(value: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the field ids and encoded values of an object; offsets are unordered."""
    about = value[0] >> 2
    if value[0] & 3 != _OBJECT:
        raise pa.ArrowInvalid("a variant is an object and another value")
    offset_size, id_size, count_size = (about & 3) + 1, (about >> 2 & 3) + 1, 4 if about >> 4 & 1 else 1
    count = int.from_bytes(value[1 : 1 + count_size], "little")
    start = 1 + count_size
    ids = _numbers(value, start, count, id_size)
    offsets = _numbers(value, start + count * id_size, count + 1, offset_size)
    data = value[start + count * id_size + (count + 1) * offset_size :]
    if len(data) < offsets[-1]:
        raise IndexError
    ends = sorted(offsets)
    for field_id, offset in zip(ids, offsets, strict=False):
        yield field_id, data[offset : ends[bisect_right(ends, offset)]]


def _numbers(data: bytes, start: int, count: int, size: int) -> list[int]:
    if len(data) < start + count * size:
        raise IndexError
    return [int.from_bytes(data[at : at + size], "little") for at in range(start, start + count * size, size)]


@lru_cache(maxsize=256)
def _field_ids(metadata: bytes) -> Mapping[str, int]:
    """Return the field ids by name, from a variant's metadata."""
    if not metadata or metadata[0] & 15 != 1:
        raise pa.ArrowInvalid("unsupported version of a variant's metadata")
    size = (metadata[0] >> 6) + 1
    count = int.from_bytes(metadata[1 : 1 + size], "little")
    offsets = _numbers(metadata, 1 + size, count + 1, size)
    texts = metadata[1 + size * (count + 2) :]
    return {texts[offsets[place] : offsets[place + 1]].decode(): place for place in range(count)}


def _encoding(of: pa.DataType) -> tuple[pa.DataType | None, Encode] | None:
    """Return the type to cast a shredded column to (None: no cast) and its encoder; None if it cannot be shredded."""
    types = pa.types
    of = of.value_type if types.is_dictionary(of) else of
    of = of.storage_type if isinstance(of, pa.BaseExtensionType) else of
    if (known := _NUMBERS.get(of)) is not None:
        form, number, code = known
        return form, partial(struct.pack, f"<B{code}", number << 2)
    if types.is_timestamp(of) and of.unit in ("us", "ns"):
        number = {"us": 12, "ns": 18}[of.unit] + (of.tz is None)
        return pa.int64(), partial(struct.pack, "<Bq", number << 2)
    if types.is_boolean(of):
        return None, lambda value: b"\x04" if value else b"\x08"
    if types.is_decimal128(of):
        return None, partial(_decimal, of.precision, of.scale)
    if types.is_string(of) or types.is_large_string(of) or types.is_string_view(of):
        return pa.binary(), _text
    if types.is_fixed_size_binary(of):
        return (None, lambda value: bytes([20 << 2]) + value) if of.byte_width == 16 else None
    if _is_bytes(of):
        return None, lambda value: struct.pack("<BI", 15 << 2, len(value)) + value
    return None


_NUMBERS: Mapping[pa.DataType, tuple[pa.DataType | None, int, str]] = {
    pa.int8(): (None, 3, "b"),
    pa.int16(): (None, 4, "h"),
    pa.int32(): (None, 5, "i"),
    pa.int64(): (None, 6, "q"),
    pa.float64(): (None, 7, "d"),
    pa.date32(): (pa.int32(), 11, "i"),
    pa.float32(): (None, 14, "f"),
    pa.time64("us"): (pa.int64(), 17, "q"),
}


def _decimal(precision: int, scale: int, value: Decimal) -> bytes:
    number, size = next((8 + place, 4 << place) for place, most in enumerate((9, 18, 38)) if precision <= most)
    unscaled = int(_EXACT.scaleb(value, scale))
    return bytes([number << 2, scale]) + unscaled.to_bytes(size, "little", signed=True)


def _text(value: bytes) -> bytes:
    if len(value) < 64:
        return bytes([len(value) << 2 | 1]) + value
    return struct.pack("<BI", 16 << 2, len(value)) + value
