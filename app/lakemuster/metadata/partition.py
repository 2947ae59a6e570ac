"""Partition specs: which fields a table's files are grouped by.

A Paimon table has one spec, of identity fields that have the ids of their columns;
Iceberg's partition fields have ids of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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


def with_distinct_names(specs: Sequence[PartitionSpec], schemas: tuple[Schema, ...]) -> tuple[PartitionSpec, ...]:
    """Return specs in which fields of one name have values of one type.

    A name may be dropped and used again for another field. It stays the name of the newest field; older ones whose
    values have another type get their ids appended, as Iceberg Java does in format 1.

    Args:
        specs: in any order; a later id is a newer spec.
        schemas: see :func:`result_type`.
    """
    fields = [field for spec in sorted(specs, key=lambda spec: spec.spec_id) for field in spec.fields]
    names = {(field.name, field.field_id) for field in fields}
    if len({name for name, _ in names}) == len(names):
        return tuple(specs)
    types: dict[int, Primitive] = {}
    for field in sorted(fields, key=lambda field: field.transform == "void"):  # a void field keeps its source's type
        types.setdefault(field.field_id, result_type(field, schemas))
    newest = {field.name: field.field_id for field in fields}
    renamed = {
        (name, field_id): _free_name(name, field_id, newest)
        for name, field_id in names
        if types[field_id] != types[newest[name]]
    }
    return tuple(
        replace(
            spec,
            fields=tuple(
                replace(field, name=renamed.get((field.name, field.field_id), field.name)) for field in spec.fields
            ),
        )
        for spec in specs
    )


def _free_name(name: str, field_id: int, taken: Mapping[str, int]) -> str:
    """Append the id until no other field has the name."""
    found = f"{name}_{field_id}"
    while taken.get(found, field_id) != field_id:
        found += f"_{field_id}"
    return found
