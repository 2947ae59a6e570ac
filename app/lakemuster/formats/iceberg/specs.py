"""Parse Iceberg partition specs from their JSON form.

Source: Iceberg spec, appendix C, "Partition Specs".
"""

from __future__ import annotations

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg.document import (
    Object,
    as_int32,
    as_list,
    as_object,
    as_text,
    optional_int32,
)
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.transforms import canonical_transform

FIRST_FIELD_ID = 1000
"""The first field id in every spec of v1 writers, which recorded no field ids."""


def parse_spec(value: object, path: str) -> PartitionSpec:
    """Parse one partition spec, as in ``partition-specs``.

    Raises:
        MetadataCorrupt: it breaks the specification.
    """
    node = as_object(value, path)
    spec_id = as_int32(node.get("spec-id"), f"{path}.spec-id")
    return PartitionSpec(spec_id, parse_spec_fields(node.get("fields"), f"{path}.fields"))


def parse_spec_fields(value: object, path: str) -> tuple[PartitionField, ...]:
    """Parse a list of partition fields, as in v1's ``partition-spec`` and in manifests' headers.

    Raises:
        MetadataCorrupt: it breaks the specification.
    """
    found = []
    for position, item in enumerate(as_list(value, path)):
        where = f"{path}[{position}]"
        node = as_object(item, where)
        field_id = optional_int32(node, "field-id", where + ".")
        found.append(
            PartitionField(
                field_id=FIRST_FIELD_ID + position if field_id is None else field_id,
                name=as_text(node.get("name"), f"{where}.name"),
                transform=canonical_transform(as_text(node.get("transform"), f"{where}.transform")),
                source_ids=_sources(node, where),
            )
        )
    ids = {field.field_id for field in found}
    if len(ids) < len(found):
        raise MetadataCorrupt(f"{path} has two fields of one id", path=path)
    return tuple(found)


def _sources(node: Object, path: str) -> tuple[int, ...]:
    several = node.get("source-ids")
    if several is not None:
        return tuple(as_int32(i, f"{path}.source-ids") for i in as_list(several, f"{path}.source-ids"))
    return (as_int32(node.get("source-id"), f"{path}.source-id"),)
