"""Prune buckets: if a predicate pins every field of the bucket key, only the buckets of the pinned keys can match.

``=`` and ``IN`` pin a field. An AND intersects the values of its children; an OR unites them, and pins a field only
if all of its children do. Other conditions, too many keys, values with two byte images and buckets that are not
numbered by a hash prove nothing: they prune no bucket.

Each entry records its number of buckets: files from before a rescale stay in the buckets they were written to.

Source: Paimon ``BucketSelector``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lakemuster.formats.paimon.bucketing import BucketFunction, buckets_of, can_hash, hash_codes, is_certain
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.predicates import AlwaysFalse, Bound, BoundAnd, BoundLeaf, BoundOr, Op

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
BucketKeys = tuple[tuple[object, ...], ...]

MAX_KEYS = 1000
"""Limit of combinations of values that are hashed, as in Paimon."""

MAX_TOTALS = 64
"""Limit of distinct bucket counts that are evaluated; entries with other counts are not pruned."""

POSTPONE = -2
"""The value of the option ``bucket`` for tables whose rows get a bucket later."""


def pinned(bound: Bound, key_fields: Sequence[Field]) -> BucketKeys | None:
    """Return the keys that matching rows can have.

    Args:
        bound: the predicate, bound to the schema of ``key_fields``.
        key_fields: the fields of the bucket key, in its order.

    Returns:
        Keys in internal form, empty if no row can match; None if rows of any key may match.
    """
    choices = []
    for key in key_fields:
        if not isinstance(key.type, Primitive):
            return None
        values = _allowed(bound, key.field_id, key.type)
        if values is None or len(values) > MAX_KEYS:
            return None
        if key.type.kind in (Kind.FLOAT, Kind.DOUBLE):
            if any(isinstance(value, float) and math.isnan(value) for value in values):
                return None
            values = _with_both_zeros(values)
        choices.append(values)
    if not choices or math.prod(map(len, choices)) > MAX_KEYS:
        return None
    return tuple(product(*choices))


def _allowed(bound: Bound, field_id: int, of: Primitive) -> tuple[object, ...] | None:
    """Return the distinct values that a field can have in matching rows; None if it may have any."""
    match bound:
        case AlwaysFalse():
            return ()
        case BoundLeaf(op=Op.EQ | Op.IN, transform=None) if bound.field_id == field_id and bound.type == of:
            return tuple(dict.fromkeys(bound.values))
        case BoundAnd(children=children):
            known = [values for child in children if (values := _allowed(child, field_id, of)) is not None]
            if not known:
                return None
            common = frozenset(known[0]).intersection(*known[1:])
            return tuple(value for value in known[0] if value in common)
        case BoundOr(children=children):
            found: dict[object, None] = {}
            for child in children:
                values = _allowed(child, field_id, of)
                if values is None:
                    return None
                found |= dict.fromkeys(values)
            return tuple(found)
    return None


def _with_both_zeros(values: Iterable[object]) -> tuple[object, ...]:
    """Add the other zero: 0.0 equals -0.0 but has other bytes."""
    return tuple(image for value in values for image in ((0.0, -0.0) if value == 0 else (value,)))


@dataclass(frozen=True)
class BucketFilter:
    """The buckets that hold the keys of a predicate.

    Attributes:
        function: the bucket function.
        codes: (K,) hash codes of the keys.
    """

    function: BucketFunction
    codes: Ints
    _by_total: dict[int, Ints] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, schema: Schema, options: Mapping[str, str], bound: Bound, schemas: Iterable[Schema]) -> Self | None:
        """Build the filter of a predicate; None if it excludes no bucket.

        Args:
            schema: the schema that the predicate is bound to.
            options: the table's options: ``bucket``, ``bucket-key``, ``bucket-function.type``.
            schemas: all schemas that files may have been written with. The bytes of a key depend on its type: a key
                that ever had another type (an append table's may change) gives None.
        """
        if not _is_hashed(options):
            return None
        key_fields = bucket_key(schema, options)
        function = _function(options)
        if not key_fields or function is None:
            return None
        types = [key.type for key in key_fields if isinstance(key.type, Primitive)]
        if len(types) != len(key_fields) or not can_hash(function, types):
            return None
        if not all(_agrees(older, key_fields, function) for older in schemas):
            return None
        keys = pinned(bound, key_fields)
        if keys is None:
            return None
        try:
            if not all(is_certain(of, value) for key in keys for of, value in zip(types, key, strict=True)):
                return None
            return cls(function, hash_codes(function, types, keys))
        except ValueError:
            return None  # a value that no row can have proves nothing

    def can_hold(self, bucket: Ints, total_buckets: Ints) -> Mask:
        """Mark the entries whose bucket can hold a key.

        Args:
            bucket: (N,); negative if unknown or not numbered by a hash.
            total_buckets: (N,) each entry's bucket count; not positive if unknown.
        """
        return self.any_between(bucket, bucket, total_buckets)

    def any_between(self, min_bucket: Ints, max_bucket: Ints, total_buckets: Ints) -> Mask:
        """Mark the manifests that can list an entry whose bucket can hold a key.

        Args:
            min_bucket, max_bucket: (M,) over each manifest's entries; negative if unknown.
            total_buckets: (M,) the bucket count of all entries of the manifest; not positive if unknown or not uniform.
        """
        keep = np.ones(len(min_bucket), np.bool_)
        known = (min_bucket >= 0) & (max_bucket >= min_bucket) & (max_bucket < total_buckets)
        totals = np.unique(total_buckets[known]).tolist()
        for total in totals[:MAX_TOTALS]:
            rows = np.flatnonzero(known & (total_buckets == total))
            wanted = self._buckets(total)
            keep[rows] = np.searchsorted(wanted, min_bucket[rows]) < np.searchsorted(wanted, max_bucket[rows], "right")
        return keep

    def _buckets(self, total: int) -> Ints:
        """Return the buckets of all keys for a bucket count, ascending; cached."""
        found = self._by_total.get(total)
        if found is None:
            found = np.unique(buckets_of(self.function, self.codes, total))
            if len(self._by_total) < MAX_TOTALS:
                self._by_total[total] = found
        return found


def bucket_key(schema: Schema, options: Mapping[str, str]) -> tuple[Field, ...]:
    """Return the fields of the bucket key; none if the table has no such key, or a field is unknown.

    The bucket key is the option ``bucket-key``, else the primary key without partition keys.
    """
    named = [name.strip() for name in options.get("bucket-key", "").split(",") if name.strip()]
    names = named or [name for name in schema.primary_keys if name not in schema.partition_keys]
    fields = {top.name: top for top in schema.fields}
    return tuple(fields[name] for name in names) if all(name in fields for name in names) else ()


def _agrees(older: Schema, key_fields: Sequence[Field], function: BucketFunction) -> bool:
    """Return whether rows written with an older schema have the same buckets."""
    options = dict(older.options)
    if not _is_hashed(options):
        return True
    now = [(key.field_id, key.type) for key in key_fields]
    return [(key.field_id, key.type) for key in bucket_key(older, options)] == now and _function(options) is function


def _is_hashed(options: Mapping[str, str]) -> bool:
    try:
        bucket = int(options.get("bucket", "-1"))
    except ValueError:
        return False
    return bucket > 0 or bucket == POSTPONE


def _function(options: Mapping[str, str]) -> BucketFunction | None:
    try:
        return BucketFunction(options.get("bucket-function.type", "default").strip().lower())
    except ValueError:
        return None
