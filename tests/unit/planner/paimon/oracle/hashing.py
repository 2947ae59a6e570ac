"""The bucket of a row by three functions; Murmur3 by mmh3, over rows of the tests' own encoder."""

from __future__ import annotations

from typing import Any

import mmh3

from tests.unit.formats.paimon.rows import binary_row
from tests.unit.planner.paimon.oracle.values import declared, internal


def bucket_of(function: str, types: list[str], values: list[Any], total: int) -> int:
    """Return the bucket of a key among ``total`` buckets."""
    if function == "mod":
        return int(values[0]) % total
    if function == "hive":
        found = 0
        for of, value in zip(types, values, strict=True):
            found = wrapped(31 * found + hive_hash(of, value))
        return (found & 0x7FFFFFFF) % total
    row = binary_row([declared(of) for of in types], [internal(value) for value in values])
    return abs(mmh3.hash(row[4:], 42)) % total


def hive_hash(of: str, value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, str):
        found = 0
        for byte in value.encode():
            found = wrapped(31 * found + (byte - 256 if byte > 127 else byte))
        return found
    return wrapped(value ^ (value >> 32)) if of == "BIGINT" else int(value)


def wrapped(number: int) -> int:
    """Return a number wrapped to 32 bits, signed."""
    return (number + 2**31) % 2**32 - 2**31
