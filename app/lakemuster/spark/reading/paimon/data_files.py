"""The containers of data files, read some rows at a time: columns by their names in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

BATCH_ROWS = 16_384
_BUFFER_BYTES = 4 << 20
"""Of a column chunk at a time."""


class UnknownContainer(Exception):
    """A data file of a format that is not read here."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """An open data file.

    Attributes:
        row_count: as the file says; None where it does not say before it is read.
        schema: the columns that lie in it.
        batches: of some of them, in the order of the file.
    """

    row_count: int | None
    schema: pa.Schema
    batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]


def open_data_file(file_format: str | None, source: pa.NativeFile) -> DataFile:
    """Open a data file.

    Raises:
        UnknownContainer: the format is not read here.
        ArrowException, OSError: it is damaged.
    """
    if file_format == "parquet":
        return _parquet(source)
    raise UnknownContainer(f"its format is {file_format}")


def _parquet(source: pa.NativeFile) -> DataFile:
    # More than six digits of a second are stored as INT96; Spark has six.
    file = pq.ParquetFile(source, buffer_size=_BUFFER_BYTES, coerce_int96_timestamp_unit="us")

    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from file.iter_batches(BATCH_ROWS, columns=list(names), use_threads=False)

    return DataFile(file.metadata.num_rows, file.schema_arrow, batches)
