"""Lossless encoding of metadata values as bytes, for the document columns of the index.

The bytes are ASCII JSON that decodes to equal values: integers of any size, NaN and infinities, ``Decimal``,
``UUID``, bytes, text with NUL or lone surrogates, lists distinct from tuples, and the dataclasses of ``metadata``.
Values that JSON cannot express are objects with the key ``$``. Dataclass fields with their default value are omitted,
so older documents still decode after a field is added.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from lakemuster.errors import IndexUnavailable, LimitExceeded
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestListRef, PartitionFieldSummary, Ref, Snapshot
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType

_MARK = "$"
_MAX_DEPTH = 250
_CLASSES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Field,
        ListType,
        ManifestListRef,
        MapType,
        PartitionField,
        PartitionFieldSummary,
        PartitionSpec,
        Primitive,
        Ref,
        Schema,
        Snapshot,
        StructType,
    )
}


def _defaults(kind: type[Any]) -> list[tuple[str, object]]:
    fields: list[tuple[str, object]] = []
    for field in dataclasses.fields(kind):
        if field.default_factory is not dataclasses.MISSING:
            fields.append((field.name, field.default_factory()))
        else:
            fields.append((field.name, field.default))
    return fields


_FIELDS = {kind: _defaults(kind) for kind in _CLASSES.values()}


def encode(value: object) -> bytes:
    """Encode a value; equal values of one type have equal bytes.

    Raises:
        LimitExceeded: the value is nested too deeply.
        TypeError: the value has a type that metadata does not use.
    """
    return _encoder.encode(_plain(value, 0)).encode("ascii")


def decode(document: bytes) -> Any:
    """Decode the bytes of :func:`encode`.

    Raises:
        IndexUnavailable: the bytes were not made by ``encode``.
    """
    try:
        return _read(json.loads(document))
    except (ValueError, KeyError, TypeError, ArithmeticError) as cause:
        raise IndexUnavailable("the index contains a damaged document") from cause


_encoder = json.JSONEncoder(separators=(",", ":"), check_circular=False)
_AS_IT_IS = frozenset({type(None), bool, int, float, str})


def _plain(value: object, depth: int) -> object:
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if depth > _MAX_DEPTH:
        raise LimitExceeded("metadata is nested too deeply", levels=_MAX_DEPTH)
    if (fields := _FIELDS.get(kind)) is not None:
        plain: dict[str, object] = {_MARK: kind.__name__}
        for name, default in fields:
            item = getattr(value, name)
            if item is not default and (type(item) is not type(default) or item != default):
                plain[name] = _plain(item, depth + 1)
        return plain
    match value:
        case Kind():
            return value.value
        case int() | float() | str():
            return value
        case tuple():
            return _plain_items(value, depth)
        case list():
            return {_MARK: "list", "items": _plain_items(value, depth)}
        case Mapping():
            return _plain_mapping(value, depth)
        case bytes():
            return {_MARK: "bytes", "hex": value.hex()}
        case Decimal():
            return {_MARK: "decimal", "text": str(value)}
        case UUID():
            return {_MARK: "uuid", "hex": value.hex}
    raise TypeError(f"cannot encode a {kind.__name__} as metadata")


def _plain_items(items: Iterable[object], depth: int) -> list[object]:
    return [_plain(item, depth + 1) for item in items]


def _plain_mapping(value: Mapping[Any, object], depth: int) -> object:
    if _MARK not in value and all(isinstance(key, str) for key in value):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    return {_MARK: "map", "items": [_plain_items(pair, depth + 1) for pair in value.items()]}


def _read(plain: Any) -> Any:
    kind = type(plain)
    if kind is list:
        return tuple([_read(item) for item in plain])
    if kind is not dict:
        return plain
    mark = plain.pop(_MARK, None)
    if mark is not None and (reader := _READERS.get(mark)) is not None:
        return reader(plain)
    # Most members need no decoding; calling a function for each would dominate the cost.
    read = {key: item if type(item) in _AS_IT_IS else _read(item) for key, item in plain.items()}
    return read if mark is None else _CLASSES[mark](**read)


_READERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "list": lambda plain: [_read(item) for item in plain["items"]],
    "map": lambda plain: {_read(key): _read(item) for key, item in plain["items"]},
    "bytes": lambda plain: bytes.fromhex(plain["hex"]),
    "decimal": lambda plain: Decimal(plain["text"]),
    "uuid": lambda plain: UUID(hex=plain["hex"]),
    "Primitive": lambda plain: Primitive(Kind(plain.pop("kind")), **plain),
}
