"""Project predicates on columns to the partitions of one spec, and prune by column and partition statistics together.

A leaf can hold for a row of a file only if its inclusive projection can hold for the file's partition, on every
field of the spec that is computed from the leaf's column. An unknown transform has no projection.

Source: Iceberg spec, "Scan Planning" and "Partition Transforms".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lakemuster.caching import Cache
from lakemuster.metadata.partition import PartitionField, PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.transforms import parse_transform
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.pruning.prune import Counts, FieldStats, Statistics
from lakemuster.predicates import (
    FALSE,
    TRUE,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    all_of,
    any_of,
)
from lakemuster.predicates.projection import project, project_strict


@dataclass(frozen=True, eq=False)
class PartitionPredicates:
    """Projects leaves on the partitions of one spec; projections are cached.

    Args:
        spec: the manifest's own.
        schemas: the table's schemas, the preferred one first: they have the types of source columns.
    """

    spec: PartitionSpec
    schemas: tuple[Schema, ...]

    def inclusive(self, leaf: BoundLeaf) -> Bound | None:
        """Return the predicate that holds for the partition of every row that satisfies the leaf; None when unknown."""

        def make() -> Bound | None:
            found = [p for f, source in self._fields(leaf) if (p := project(leaf, f, source)) is not None]
            return all_of(found) if found else None

        if leaf.field_id not in self._sources:
            return None
        return _projections.get_or_make((self, "inclusive", leaf), make)

    def strict(self, leaf: BoundLeaf) -> Bound | None:
        """Return the predicate on partitions that proves the leaf for all of their rows; None when there is none."""

        def make() -> Bound | None:
            found = [p for f, source in self._fields(leaf) if (p := project_strict(leaf, f, source)) is not None]
            return any_of(found) if found else None

        if leaf.field_id not in self._sources:
            return None
        return _projections.get_or_make((self, "strict", leaf), make)

    @cached_property
    def _sources(self) -> frozenset[int]:
        """The ids of the source columns of partition fields."""
        return frozenset(source for one in self.spec.fields for source in one.source_ids)

    def _fields(self, leaf: BoundLeaf) -> Iterator[tuple[PartitionField, Primitive]]:
        for partition_field in self.spec.fields:
            if partition_field.source_ids == (leaf.field_id,) and not self._is_rehashed(partition_field, leaf.field_id):
                yield partition_field, self._source(leaf)

    def _is_rehashed(self, partition_field: PartitionField, source_id: int) -> bool:
        """Tell whether the source's promotion from a date changed the hashes of its values.

        The specification forbids such a promotion; which type a file was written with is not known here.
        """
        if parse_transform(partition_field.transform)[0] != "bucket":
            return False
        found = {source.kind for schema in self.schemas if (source := schema.primitive(source_id)) is not None}
        return Kind.DATE in found and len(found) > 1

    def _source(self, leaf: BoundLeaf) -> Primitive:
        if leaf.transform is None:
            return leaf.type
        for schema in self.schemas:
            if (source := schema.primitive(leaf.field_id)) is not None:
                return source
        return leaf.type

    def types(self) -> dict[int, Primitive]:
        """Return the type of each partition field's values."""
        return {f.field_id: result_type(f, self.schemas) for f in self.spec.fields}

    def of(self, bound: Bound) -> Bound:
        """Return the inclusive projection of a whole predicate; TRUE where there is none."""
        match bound:
            case BoundLeaf():
                return self.inclusive(bound) or TRUE
            case BoundAnd(children=children, text=text):
                return all_of(map(self.of, children), text)
            case BoundOr(children=children, text=text):
                return any_of(map(self.of, children), text)
        return FALSE if bound == FALSE else TRUE


_projections: Cache[tuple[PartitionPredicates, str, BoundLeaf], Bound | None] = Cache(
    "projections", lambda key, _: 1500 + 2 * _value_bytes(key[2])
)
"""Projections of leaves on partitions."""


def _value_bytes(leaf: BoundLeaf) -> int:
    """Return the approximate bytes of a leaf's values."""
    return 100 * len(leaf.values)


@dataclass(frozen=True, slots=True)
class JointStatistics:
    """Column and partition statistics of the same rows: a leaf must be possible by both.

    Attributes:
        columns: statistics by column; an ``Arrays`` without fields has none.
        partitions: statistics by partition field.
        projection: projects leaves on columns to partitions.
    """

    columns: Statistics
    partitions: Statistics
    projection: PartitionPredicates

    @property
    def rows(self) -> int:
        """The number of rows of ``columns``."""
        return self.columns.rows

    @property
    def record_count(self) -> Counts | None:
        """The record counts of ``columns``."""
        return self.columns.record_count

    def field(self, field_id: int) -> FieldStats | None:
        """Return the statistics of one column."""
        return self.columns.field(field_id)

    def projected(self, leaf: BoundLeaf) -> tuple[Bound, Statistics] | None:
        """Return the leaf's projection, and the statistics of partitions."""
        bound = self.projection.inclusive(leaf)
        return None if bound is None else (bound, self.partitions)
