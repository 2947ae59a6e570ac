"""Partition specs: which fields a table's files are grouped by.

A Paimon table has one spec, of identity fields that have the ids of their columns;
Iceberg's partition fields have ids of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.transforms import keeps_type, own_type
from lakemuster.metadata.types import Kind, Primitive


@dataclass(frozen=True, slots=True)
class PartitionField:
    """One partition field.

    Attributes:
        field_id: the partition field's id (Iceberg: 1000 and up, as a rule).
        name: its name.
        transform: as written; known ones in lower case: ``identity``, ``bucket[16]``, ``truncate[4]``, ``void`` …
        source_ids: the columns it is computed from; more than one in v3 only.
    """

    field_id: int
    name: str
    transform: str
    source_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """One version of a table's partitioning; without fields when it is unpartitioned."""

    spec_id: int
    fields: tuple[PartitionField, ...]


UNKNOWN = Primitive(Kind.UNKNOWN, "unknown")


def result_type(field: PartitionField, schemas: tuple[Schema, ...]) -> Primitive:
    """Return the type of a partition field's values; ``UNKNOWN`` when it cannot be determined.

    Args:
        field: the partition field.
        schemas: the table's schemas, the preferred one first; a dropped source column is
            looked up in the others.

    Source: Iceberg spec, "Partition Transforms".
    """
    if (own := own_type(field.transform)) is not None:
        return own
    if keeps_type(field.transform) and len(field.source_ids) == 1:
        for schema in schemas:
            if (source := schema.primitive(field.source_ids[0])) is not None:
                return source
    return UNKNOWN
