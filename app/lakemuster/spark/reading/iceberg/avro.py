"""Read Avro data files in batches of rows.

The decoder gets the file's schema without logical types. It then returns the stored numbers, which Arrow accepts
directly, instead of Python values, which have a smaller range.

Source: Iceberg spec, "Appendix A: Format-specific Requirements", Avro; Avro specification 1.12.
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import fastavro
import pyarrow as pa

from lakemuster.spark.reading.column_stats import ColumnStats
from lakemuster.spark.reading.iceberg.avro_bytes import Chained, Inflated
from lakemuster.spark.reading.iceberg.avro_types import AvroTypeError, AvroTypes, Shape
from lakemuster.spark.reading.iceberg.file_columns import FileColumn, file_columns
from lakemuster.spark.reading.row_groups import BATCH_BYTES, RowRange, whole

_BATCH_ROWS = 8192
_FIELD_ID = b"field-id"
_MAGIC = b"Obj\x01"
_HEADER = fastavro.parse_schema(
    {
        "type": "record",
        "name": "header",
        "fields": [
            {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
            {"name": "meta", "type": {"type": "map", "values": "bytes"}},
            {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
        ],
    }
)
_BROKEN = (EOFError, ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError, struct.error, zlib.error)


class AvroRows:
    """The rows of an Avro file. Their number is unknown until they are read. Columns are read whole.

    Raises:
        ArrowException: it is not a complete Avro file, or has types that Iceberg tables do not have.
        OSError: it cannot be fetched.
    """

    reads_whole_columns = True
    num_rows: int | None = None
    row_ranges = whole(None)

    def __init__(self, source: pa.NativeFile) -> None:
        self._source = source
        try:
            header: Any = fastavro.schemaless_reader(source, _HEADER, None)
            if header["magic"] != _MAGIC:
                raise ValueError("its first bytes are not those of one")
            types = AvroTypes(json.loads(header["meta"]["avro.schema"]))
        except (AvroTypeError, *_BROKEN) as cause:
            raise pa.ArrowInvalid(f"it is not an Avro file that can be read: {cause}") from cause
        head = io.BytesIO()
        meta = {**header["meta"], "avro.schema": json.dumps(types.plain).encode()}
        self._is_zstandard = meta.get("avro.codec") == b"zstandard"
        if self._is_zstandard:
            meta["avro.codec"] = b"null"
        fastavro.schemaless_writer(head, _HEADER, {**header, "meta": meta})
        self._head = head.getvalue()
        self._fields, self._shapes = types.fields, types.shapes
        self.columns: tuple[FileColumn, ...] = file_columns(pa.schema(types.fields), _field_id)

    def column_stats(self, column: FileColumn, row_range: RowRange) -> ColumnStats | None:
        """Return None: Avro files have no statistics."""
        return None

    def batches(self, leaves: set[int], row_range: RowRange) -> Iterator[pa.RecordBatch]:
        """Yield all rows in order, with the columns of the given leaves. Callable once: the file is read as a stream.

        Raises:
            ArrowException, OSError: as for the class.
        """
        places = [at for at, column in enumerate(self.columns) if not leaves.isdisjoint(column.leaves)]
        for chunk in self._chunks():
            arrays = [_array(chunk, self._fields[at], self._shapes[at]) for at in places]
            names = [str(place) for place in places]
            # An extra null column, deselected below, keeps the row count: a batch made of no columns has no rows.
            batch = pa.RecordBatch.from_arrays([pa.nulls(len(chunk)), *arrays], names=["", *names])
            yield batch.select(list(range(1, len(arrays) + 1)))

    def _chunks(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows in order, in lists of limited length; one also ends with the block that fills its bytes."""
        whole: Any = (Inflated if self._is_zstandard else Chained)(self._head, self._source)
        chunk: list[dict[str, Any]] = []
        size = 0
        try:
            blocks: Any = fastavro.block_reader(whole)
            for block in blocks:
                size += block.bytes_.getbuffer().nbytes
                for row in block:
                    chunk.append(row)
                    if len(chunk) == _BATCH_ROWS:
                        yield chunk
                        chunk, size = [], 0
                if chunk and size >= BATCH_BYTES:
                    yield chunk
                    chunk, size = [], 0
        except _BROKEN as cause:
            raise pa.ArrowInvalid(f"an Avro block cannot be decoded: {cause!r:.200}") from cause
        if chunk:
            yield chunk


def _array(rows: list[dict[str, Any]], field: pa.Field, shape: Shape | None) -> pa.Array:
    name = field.name
    values = [row[name] for row in rows] if shape is None else [shape(row[name]) for row in rows]
    return pa.array(values, field.type)


def _field_id(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(_FIELD_ID)
    return None if text is None else int(text)
