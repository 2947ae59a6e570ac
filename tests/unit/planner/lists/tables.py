"""Metadata of small Paimon tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lakemuster.formats.paimon.table_metadata import assemble
from lakemuster.formats.paimon.types import parse_field
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import Ref, TableMetadata

COLUMNS = (
    {"id": 0, "name": "k", "type": "INT NOT NULL"},
    {"id": 1, "name": "v", "type": "STRING"},
    {"id": 2, "name": "g", "type": "STRING"},
)


def metadata(options: Mapping[str, str] | None = None, refs: Sequence[Ref] = ()) -> TableMetadata:
    """Return the metadata of a table with three columns and no snapshots."""
    schema = Schema(0, tuple(parse_field(column) for column in COLUMNS), options=tuple((options or {}).items()))
    return replace(assemble("file:///lake/t", {"main": [schema]}, ()), refs=tuple(refs))
