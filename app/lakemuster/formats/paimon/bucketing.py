"""Bucket functions: the bucket of a row in a table with a fixed number of buckets, from its bucket key.

* ``default``: a murmur3 hash, seed 42, of the key's ``BinaryRow`` without its arity; the bucket is the
  magnitude of the remainder of Java's ``%``;
* ``mod``: the one INT or BIGINT key itself, floor modulo;
* ``hive``: Hive's hash of each field, folded by 31.

A hash code does not depend on the number of buckets, which may differ between files of one table: codes are
computed once, buckets for each number of buckets.

Source: Paimon ``DefaultBucketFunction``, ``ModBucketFunction``,
``HiveBucketFunction`` and ``HiveHasher``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from functools import reduce

import mmh3
import numpy as np
from numpy.typing import NDArray

from lakemuster.formats.paimon.binary_row_writer import COMPACT_DECIMAL, is_writable, row_bytes
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import unscaled

Ints = NDArray[np.int64]
Key = tuple[object, ...]

_SEED = 42
_INT_MAX = 0x7FFFFFFF
_INTEGERS = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.DATE, Kind.TIME)
_HIVE = frozenset(
    (*_INTEGERS, Kind.BOOLEAN, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.STRING, Kind.BINARY, Kind.FIXED, Kind.DECIMAL)
)


class BucketFunction(StrEnum):
    """Values of the option ``bucket-function.type``."""

    DEFAULT = "default"
    MOD = "mod"
    HIVE = "hive"


def can_hash(function: BucketFunction, types: Sequence[Primitive]) -> bool:
    """Return whether the function supports bucket keys of these types."""
    match function:
        case BucketFunction.DEFAULT:
            return all(map(is_writable, types))
        case BucketFunction.MOD:
            return len(types) == 1 and types[0].kind in (Kind.INT, Kind.LONG)
        case BucketFunction.HIVE:
            return all(of.kind in _HIVE for of in types)


def is_certain(of: Primitive, value: object) -> bool:
    """Return whether all writers put a key with this value into the same bucket.

    pypaimon writes two kinds of values differently from Java: it truncates timestamps to microseconds, and gives
    decimals of more than 18 digits one byte too many if they are a negative power of two that fills its bytes.
    """
    match value:
        case int() if of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
            return of.unit != "ns" or value % 1000 == 0
        case Decimal() if of.precision > COMPACT_DECIMAL and value < 0:
            number = -unscaled(value, of.scale)
            return number.bit_length() % 8 != 0 or number & (number - 1) != 0
    return True


def hash_codes(function: BucketFunction, types: Sequence[Primitive], keys: Sequence[Key]) -> Ints:
    """Compute the hash codes of bucket keys.

    Args:
        types: types of the bucket key's fields.
        keys: K keys, each with one value per field in its internal form (see ``metadata.types``), or None.

    Returns:
        (K,) codes for :func:`buckets_of`.

    Raises:
        ValueError: a value does not conform to its type, or the function does not support the types.
    """
    if not can_hash(function, types):
        raise ValueError(f"keys of these types have no buckets by the function {function.value}")
    match function:
        case BucketFunction.DEFAULT:
            codes = [mmh3.hash(row_bytes(types, key), _SEED) for key in keys]
        case BucketFunction.MOD:
            codes = [_whole(types[0], key[0]) for key in keys]
        case BucketFunction.HIVE:
            codes = [_hive(types, key) for key in keys]
    return np.array(codes, np.int64)


def buckets_of(function: BucketFunction, codes: Ints, total_buckets: int) -> Ints:
    """Return the buckets of hash codes among ``total_buckets`` (at least 1)."""
    if function is BucketFunction.DEFAULT:
        return np.abs(np.fmod(codes, total_buckets))
    return np.mod(codes, total_buckets)


def buckets(function: BucketFunction, types: Sequence[Primitive], keys: Sequence[Key], total_buckets: int) -> Ints:
    """Return the bucket of each of K keys; see :func:`hash_codes`."""
    return buckets_of(function, hash_codes(function, types, keys), total_buckets)


def _whole(of: Primitive, value: object) -> int:
    match value:
        case None:
            return 0  # Java reads a null's slot
        case int():
            return value
    raise ValueError(f"a value is not of {of.text}")


def _hive(types: Sequence[Primitive], key: Key) -> int:
    fields = zip(types, key, strict=True)
    return reduce(lambda code, field: 31 * code + _hive_field(*field), fields, 0) & _INT_MAX


def _hive_field(of: Primitive, value: object) -> int:
    """Return Hive's hash of a field; only its low 32 bits are significant."""
    if value is None:
        return 0
    match of.kind, value:
        case Kind.BOOLEAN, bool():
            return int(value)
        case Kind.LONG, int():
            return value ^ (value >> 32)
        case kind, int() if kind in _INTEGERS:
            return value
        case Kind.FLOAT, float():
            return int.from_bytes(struct.pack("<f", value or 0.0), "little")
        case Kind.DOUBLE, float():
            bits = int.from_bytes(struct.pack("<d", value or 0.0), "little")
            return bits ^ (bits >> 32)
        case Kind.STRING, str():
            return _hive_bytes(value.encode())
        case ((Kind.BINARY | Kind.FIXED), bytes()):
            return _hive_bytes(value)
        case Kind.DECIMAL, Decimal():
            return _hive_decimal(unscaled(value, of.scale), of.scale)
    raise ValueError(f"a value is not of {of.text}")


def _hive_bytes(content: bytes) -> int:
    return reduce(lambda code, byte: (31 * code + (byte - 256 if byte > 127 else byte)) & 0xFFFFFFFF, content, 0)


def _hive_decimal(number: int, scale: int) -> int:
    """Return Java's ``BigDecimal.hashCode`` without trailing zeros; up to 38 digits never need Hive's rounding."""
    while scale > 0 and number % 10 == 0:
        number, scale = number // 10, scale - 1
    words, rest = [], abs(number)
    while rest:
        rest, word = rest >> 32, rest & 0xFFFFFFFF
        words.append(word)
    magnitude = reduce(lambda code, word: (31 * code + word) & 0xFFFFFFFF, reversed(words), 0)
    return 31 * (magnitude if number >= 0 else -magnitude) + scale
