"""Iceberg tables of hand-made manifests, for statistics that no writer here records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.unit.formats.iceberg.manifest_files import manifest_list


def write_metadata(root: Path, rows: Sequence[Mapping[str, Any]], schema: Any, field: str, source_id: int) -> None:
    """Write the metadata of a table of one snapshot into the folder ``metadata``, which must exist.

    Args:
        rows: of the manifest list.
        field, source_id: the only partition field, by identity, and its source column.
    """
    folder = root / "metadata"
    (folder / "list.avro").write_bytes(manifest_list(list(rows)))
    fields = [{"name": field, "transform": "identity", "source-id": source_id, "field-id": 1000}]
    document = {
        "format-version": 2,
        "location": str(root),
        "schemas": [schema],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": fields}],
        "default-spec-id": 0,
        "current-snapshot-id": 9,
        "snapshots": [{"snapshot-id": 9, "timestamp-ms": 1, "manifest-list": f"{folder}/list.avro"}],
    }
    (folder / "v1.metadata.json").write_text(json.dumps(document))
