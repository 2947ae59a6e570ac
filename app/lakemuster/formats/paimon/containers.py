"""Reader of the file containers of manifests and manifest lists: Avro, ORC or Parquet, detected by the first bytes.

Files below ``manifest/`` have no extension, and the table's options give the format of the *next* file, not of
existing ones. All three containers hold the same columns. Paimon wrote ORC and Parquet manifests up to 2.0.

The ORC library trusts its input: damaged bytes can end the process. Bytes of a bucket are therefore read in decoder
processes only.

Source: Paimon ``ObjectsFile``, ``AvroSchemaConverter``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from lakemuster.errors import CatalogError, LimitExceeded, MetadataCorrupt
from lakemuster.formats.avro import read_table

_Reader = Callable[[bytes], tuple[pa.Schema, Iterator[pa.Table]]]

MAX_FILE = 512 * 2**20
MAX_DECODED = 2 * 2**30
MAX_BLOCK = 64 * 2**20
MAX_DEPTH = 16
"""Maximum nesting of columns in an ORC or Parquet manifest: the format needs four levels."""


def read_records(data: bytes) -> pa.Table:
    """Read all records of a file, with columns by their names in the format.

    Raises:
        MetadataCorrupt: the file is not one of the three containers, or broken.
        LimitExceeded: the file is too large to be decoded.
    """
    if len(data) > MAX_FILE:
        raise LimitExceeded("a manifest is too large", bytes=len(data), limit=MAX_FILE)
    if data.startswith(b"Obj\x01"):
        return read_table(data)[1]
    if data.startswith(b"ORC"):
        return _guarded("ORC", data, _orc_batches)
    if data.startswith(b"PAR1"):
        return _guarded("Parquet", data, _parquet_batches)
    raise MetadataCorrupt("a manifest is neither Avro, ORC nor Parquet", first_bytes=data[:4].hex())


def _guarded(what: str, data: bytes, batches: _Reader) -> pa.Table:
    try:
        schema, parts = batches(data)
        tables, decoded = [], 0
        for part in parts:
            decoded += part.nbytes
            if decoded > MAX_DECODED:
                raise LimitExceeded("a manifest decodes to too many bytes", limit=MAX_DECODED)
            tables.append(part)
        table = pa.concat_tables(tables) if tables else schema.empty_table()
        table.validate(full=True)
    except CatalogError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        raise MetadataCorrupt(f"a manifest is not a readable {what} file") from error
    return table


def _orc_batches(data: bytes) -> tuple[pa.Schema, Iterator[pa.Table]]:
    file = orc.ORCFile(pa.BufferReader(data))
    _check_shape(file.schema, file.nrows, len(data))
    if file.compression_size > MAX_BLOCK:
        raise LimitExceeded("a block of an ORC manifest is too large", bytes=file.compression_size, limit=MAX_BLOCK)
    stripes = (pa.Table.from_batches([file.read_stripe(i)]) for i in range(file.nstripes))
    return file.schema, stripes


def _parquet_batches(data: bytes) -> tuple[pa.Schema, Iterator[pa.Table]]:
    file = pq.ParquetFile(
        pa.BufferReader(data), thrift_string_size_limit=MAX_BLOCK, thrift_container_size_limit=1_000_000
    )
    footer = file.metadata
    _check_shape(file.schema_arrow, footer.num_rows, len(data))
    if sum(footer.row_group(i).total_byte_size for i in range(footer.num_row_groups)) > MAX_DECODED:
        raise LimitExceeded("a manifest decodes to too many bytes", limit=MAX_DECODED)
    groups = (file.read_row_group(i, use_threads=False) for i in range(footer.num_row_groups))
    return file.schema_arrow, groups


def _check_shape(schema: pa.Schema, rows: int, size: int) -> None:
    """Check the number of records, which is at most the number of bytes since records name files, and the nesting."""
    if not 0 <= rows <= size:
        raise LimitExceeded("a manifest claims more records than it has bytes", records=rows, bytes=size)
    if any(_depth(column) > MAX_DEPTH for column in schema):
        raise LimitExceeded("a manifest's columns are nested too deep", limit=MAX_DEPTH)


def _depth(column: pa.Field) -> int:
    """Return the nesting of a column. Access every name: a name that is not UTF-8 raises on access."""
    column.name.encode()
    inner = (column.type.field(i) for i in range(column.type.num_fields))
    return 1 + max(map(_depth, inner), default=0)
