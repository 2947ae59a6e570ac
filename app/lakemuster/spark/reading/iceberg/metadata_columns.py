"""Iceberg's metadata columns ``_file``, ``_pos`` and ``_spec_id``, which say where a row is stored.

Source: Iceberg spec, "Reserved Field IDs"; the types are those of Spark's own Iceberg reader.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.model import NotReadable, TableToRead

POS = "_pos"
_FIELDS = {
    "_file": pa.field("_file", pa.string(), nullable=False),
    POS: pa.field(POS, pa.int64(), nullable=False),
    "_spec_id": pa.field("_spec_id", pa.int32()),
}


def metadata_fields(table: TableToRead) -> list[pa.Field]:
    """Return the Arrow fields of ``table.metadata_columns``.

    Raises:
        NotReadable: a metadata column is not supported, or the table has a column of the same name.
    """
    own = {field["name"] for field in table.schema["fields"]}
    for name in table.metadata_columns:
        if name not in _FIELDS:
            known = ", ".join(_FIELDS)
            raise NotReadable(table.name, f"unknown metadata column {name}; known: {known}")
        if name in own:
            raise NotReadable(table.name, f"it has a column {name} of its own")
    return [_FIELDS[name] for name in table.metadata_columns]


class MetadataColumns:
    """The metadata columns of one file's rows.

    Positions are added to a batch as its last column before deleted rows are removed from it.
    """

    def __init__(self, table: TableToRead, file: Row) -> None:
        self._names: Sequence[str] = table.metadata_columns
        self._file = file

    def numbered(self, batch: pa.RecordBatch, start: int) -> pa.RecordBatch:
        """Return the batch with its rows' positions in the file as last column, if ``_pos`` is requested."""
        if POS not in self._names:
            return batch
        positions = pa.array(np.arange(start, start + batch.num_rows))
        return pa.RecordBatch.from_arrays([*batch.columns, positions], names=[*batch.schema.names, POS])

    def of(self, batch: pa.RecordBatch) -> list[pa.Array]:
        """Return the metadata columns for the remaining rows of a batch."""
        count = batch.num_rows
        made = {
            "_file": lambda: pa.repeat(pa.scalar(self._file["file_path"], pa.string()), count),
            POS: lambda: batch.column(batch.num_columns - 1),
            "_spec_id": lambda: pa.repeat(pa.scalar(self._file["spec_id"], pa.int32()), count),
        }
        return [made[name]() for name in self._names]
