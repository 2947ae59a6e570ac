"""``$files`` and ``$file_key_ranges``: live files, with keys and statistics as text.

All live files are listed, of every level and bucket, including the postpone bucket, which Java leaves out.
Statistics are shown in the snapshot's schema: columns by field id, bounds cast to their later types. A column that
the file's schema (or ``write_cols``) lacks is null in every row of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.paimon.paths import data_file_paths
from lakemuster.index.segments import Segment
from lakemuster.metadata.files import PAIMON_COLUMNS, split_column
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Primitive
from lakemuster.planner.columns import names_of_codes, single_array
from lakemuster.planner.paimon.rows import PaimonRows
from lakemuster.planner.paimon.system.tables import SystemTable
from lakemuster.planner.paimon.system.texts import column_values, internal_texts, listed, mapped, partition_texts
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

SOURCES = ("APPEND", "COMPACT")
_STATISTICS = frozenset({"lower", "upper", "null_count"})
_KEYS = frozenset({"partition", "min_key", "max_key"})
_RENAMED = {"deleteRowCount": "delete_row_count"}
# The name's last extension; for a compressed file the one before it.
_FORMAT = r"\.(?P<format>[^./]+)(?:\.(?:gz|bz2|deflate|snappy|lz4|zst))?$"


@dataclass(frozen=True)
class FileColumns:
    """Live files as rows of a system table."""

    view: View
    table: SystemTable

    @property
    def schema(self) -> pa.Schema:
        """The system table's schema."""
        return self.table.schema

    @cached_property
    def _entries(self) -> PaimonRows:
        return PaimonRows(self.view, RequestedColumns())

    @cached_property
    def _rewrites(self) -> Rewrites:
        return Rewrites(self.view.table.rewrites)

    @cached_property
    def _keys(self) -> list[Field]:
        schema = self.view.schemas[0]
        fields = {field.name: field for field in schema.fields}
        return [fields[name] for name in schema.primary_keys if name not in schema.partition_keys]

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the entry's own columns, partitions, keys, and statistics if the table shows them."""
        kinds = _KEYS | _STATISTICS if "min_value_stats" in self.table.schema.names else _KEYS
        return [name for name in present if (split := split_column(name)) is None or split[0] in kinds]

    def prepare(self, part: ManifestPart, table: pa.Table) -> pa.Table:
        """Number the entries (see :class:`PaimonRows`)."""
        return self._entries.prepare(part, table)

    def row_mask(self, view: View, part: ManifestPart, table: pa.Table) -> pa.Array | None:
        """Select live files."""
        return self._entries.row_mask(view, part, table)

    def takes_whole(self, view: View, part: ManifestPart, segment: Segment) -> bool:
        """Return False: entries must be numbered (see :class:`PaimonRows`)."""
        return self._entries.takes_whole(view, part, segment)

    def whole(self, part: ManifestPart, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Like :meth:`rows`."""
        return self.rows(part, batch)

    def cache_key(self, part: ManifestPart) -> None:
        """Return None: no segment is taken whole."""

    def rows(self, part: ManifestPart, table: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
        """Return rows of the system table."""
        return self.table.build({field.name: self._column(field.name, table) for field in self.schema})

    def _column(self, name: str, table: pa.Table | pa.RecordBatch) -> pa.Array:
        match name:
            case "partition":
                return partition_texts(table, self.view.metadata.specs[0], self.view.schemas)
            case "file_path":
                paths = data_file_paths(table, self.view.metadata.location, self.view.metadata, self.view.schemas)
                return self._rewrites.apply_array(paths)
            case "file_format":
                return pc.struct_field(pc.extract_regex(single_array(table.column("file_name")), _FORMAT), [0])
            case "file_source":
                return names_of_codes(_own(table, name), SOURCES)
            case "min_key" | "max_key":
                return self._key(table, name)
            case "null_value_counts":
                return mapped(self._null_counts(table), table.num_rows)
            case "min_value_stats":
                return mapped(self._bounds(table, "lower"), table.num_rows)
            case "max_value_stats":
                return mapped(self._bounds(table, "upper"), table.num_rows)
            case _:
                return _own(table, _RENAMED.get(name, name))

    def _key(self, table: pa.Table, kind: str) -> pa.Array:
        texts = []
        for field in self._keys:
            values = _bounds(table, kind, field)
            texts.append(pa.nulls(table.num_rows, pa.string()) if values is None else values)
        if not texts:
            return pa.nulls(table.num_rows, pa.string())
        whole = listed(texts, table.num_rows, "[", "]")
        recorded = texts[0].is_valid()
        for text in texts[1:]:
            recorded = pc.or_(recorded, text.is_valid())
        return pc.if_else(recorded, whole, pa.scalar(None, pa.string()))

    def _bounds(self, table: pa.Table, kind: str) -> dict[str, pa.Array]:
        found: dict[str, pa.Array] = {}
        for field in self.view.schemas[0].fields:
            texts = _bounds(table, kind, field)
            found[field.name] = pa.nulls(table.num_rows, pa.string()) if texts is None else texts
        return found

    def _null_counts(self, table: pa.Table) -> dict[str, pa.Array]:
        codes, files = self._written(table)
        records = single_array(table.column("record_count"))
        found: dict[str, pa.Array] = {}
        for field in self.view.schemas[0].fields:
            name = f"null_count.{field.field_id}"
            counts = (
                single_array(table.column(name)).cast(pa.int64())
                if name in table.column_names
                else pa.nulls(table.num_rows, pa.int64())
            )
            has = np.array([ids is None or field.field_id in ids for ids in files], np.bool_)[codes]
            found[field.name] = pc.if_else(pa.array(has), counts, records).cast(pa.string())
        return found

    def _written(self, table: pa.Table) -> tuple[NDArray[np.int64], list[frozenset[int] | None]]:
        """Return each file's code, and for each code the field ids that its files have; None for an unknown schema."""
        schemas = {schema.schema_id: schema for schema in self.view.schemas}
        seen: dict[tuple[int, tuple[str, ...] | None], int] = {}
        codes = []
        for schema_id, names in zip(
            _own(table, "schema_id").to_pylist(), _own(table, "write_cols").to_pylist(), strict=True
        ):
            codes.append(seen.setdefault((schema_id, None if names is None else tuple(names)), len(seen)))
        return np.array(codes, np.int64), [_field_ids(schemas.get(number), names) for number, names in seen]


def _field_ids(schema: Schema | None, names: tuple[str, ...] | None) -> frozenset[int] | None:
    if schema is None:
        return None
    return frozenset(field.field_id for field in schema.fields if names is None or field.name in names)


def _bounds(table: pa.Table, kind: str, field: Field) -> pa.Array | None:
    if not isinstance(field.type, Primitive):
        return None
    values = column_values(table, kind, field.field_id, field.type)
    return None if values is None else internal_texts(values, field.type)


def _own(table: pa.Table, name: str) -> pa.Array:
    if name not in table.column_names:
        return pa.nulls(table.num_rows, PAIMON_COLUMNS[name])
    return single_array(table.column(name))
