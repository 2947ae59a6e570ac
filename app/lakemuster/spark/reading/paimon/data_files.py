"""Open Parquet, ORC and Avro data files and read batches of columns, selected by their names in the file.

ORC is read stripe by stripe, with a library that does not validate its input; Avro several blocks at a time, all
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import orc

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro import read_table
from lakemuster.formats.avro.container import read_header, read_long
from lakemuster.spark.reading.column_stats import ColumnStats
from lakemuster.spark.reading.int96 import open_parquet
from lakemuster.spark.reading.orc_timestamps import NEWER_PYARROW_NEEDED, has_timestamps, timestamps_are_checked
from lakemuster.spark.reading.paimon.orc_zones import has_instants, intended, writer_zone
from lakemuster.spark.reading.row_groups import RowRange, batch_rows, row_group_stats, row_groups, whole

BATCH_ROWS = 16_384
_BUFFER_BYTES = 4 << 20
"""Buffered bytes per column chunk."""
_BLOCKS_BYTES = 4 << 20
"""Stored bytes of Avro blocks that are decoded together."""
_HEADER_BYTES = 64 << 10
_SYNC_BYTES = 16
_VARINTS_BYTES = 20


class UnknownContainer(Exception):
    """A data file of an unsupported format."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """An open data file.

    Attributes:
        row_count: the row count in the footer; None for formats without one.
        names: the names of its columns.
        row_ranges: the parts that can be read separately, in order.
        batches: returns the batches of some columns in some row ranges, in file order.
        column_stats: returns the statistics of a column in a row range; None if unknown.
    """

    row_count: int | None
    names: frozenset[str]
    row_ranges: tuple[RowRange, ...]
    batches: Callable[[Sequence[str], Sequence[RowRange]], Iterator[pa.RecordBatch]]
    column_stats: Callable[[str, RowRange], ColumnStats | None]


def open_data_file(file_format: str | None, source: pa.NativeFile, *, orc_instants_are_local: bool = False) -> DataFile:
    """Open a data file.

    Args:
        orc_instants_are_local: ORC files hold instants as local times of the writer's zone, see ``orc_zones``.

    Raises:
        UnknownContainer: the format is not supported.
        ArrowException, OSError, CatalogError: the file is damaged; reading it may raise these too.
    """
    match file_format:
        case "parquet":
            return _parquet(source)
        case "orc":
            return _orc(source, instants_are_local=orc_instants_are_local)
        case "avro":
            return _avro(source)
    raise UnknownContainer(f"its format is {file_format}")


def _parquet(source: pa.NativeFile) -> DataFile:
    file = open_parquet(source, buffer_size=_BUFFER_BYTES)
    schema = file.schema_arrow
    leaves = _leaves(schema)

    def batches(names: Sequence[str], row_ranges: Sequence[RowRange]) -> Iterator[pa.RecordBatch]:
        wanted = sorted(leaf for name in names for leaf in leaves[name])
        for group in row_ranges:
            count = batch_rows(file.metadata, group.number, wanted, BATCH_ROWS)
            yield from file.reader.iter_batches(
                count, row_groups=[group.number], column_indices=wanted, use_threads=False
            )

    def column_stats(name: str, row_range: RowRange) -> ColumnStats | None:
        if name not in leaves or schema.field(name).type.num_fields:
            return None
        return row_group_stats(file.metadata, row_range.number, leaves[name][0], schema.field(name).type)

    row_ranges = tuple(row_groups(file.metadata))
    return DataFile(file.metadata.num_rows, frozenset(schema.names), row_ranges, batches, column_stats)


def _leaves(schema: pa.Schema) -> dict[str, range]:
    """Return the leaf indices of the top-level columns, by name."""
    found, at = {}, 0
    for field in schema:
        found[field.name] = range(at, at + _leaves_within(field.type))
        at = found[field.name].stop
    return found


def _leaves_within(of: pa.DataType) -> int:
    return sum(_leaves_within(of.field(at).type) for at in range(of.num_fields)) if of.num_fields else 1


def _nothing(name: str, row_range: RowRange) -> ColumnStats | None:
    """Return None: the format has no statistics, or its library does not expose them."""
    del name, row_range
    return None


def _orc(source: pa.NativeFile, *, instants_are_local: bool) -> DataFile:
    file = orc.ORCFile(source)

    def batches(names: Sequence[str], row_ranges: Sequence[RowRange]) -> Iterator[pa.RecordBatch]:
        del row_ranges
        if any(has_timestamps(file.schema.field(name).type) for name in names) and not timestamps_are_checked():
            raise UnknownContainer(NEWER_PYARROW_NEEDED)
        # Without names, read all columns, to get the row count. A name with a dot would select a nested member.
        chosen = None if not names or any("." in name for name in names) else list(names)
        zoned = [name for name in names if has_instants(file.schema.field(name).type)]
        zone = writer_zone(source, file) if zoned and instants_are_local else None
        for number in range(file.nstripes):
            stripe = file.read_stripe(number, columns=chosen).select(list(names))
            if zone is not None:
                for name in zoned:
                    stripe = stripe.set_column(names.index(name), name, intended(stripe.column(name), zone))
            for start in range(0, stripe.num_rows, BATCH_ROWS):
                yield stripe.slice(start, BATCH_ROWS)

    return DataFile(file.nrows, frozenset(file.schema.names), whole(file.nrows), batches, _nothing)


def _avro(source: pa.NativeFile) -> DataFile:
    size = source.size()
    start = _header_of(source, size)
    source.seek(0)
    header = source.read(start)

    def batches(names: Sequence[str], row_ranges: Sequence[RowRange]) -> Iterator[pa.RecordBatch]:
        del row_ranges
        for blocks in _blocks(source, start, size):
            rows = read_table(header + blocks)[1]
            for batch in rows.to_batches(max_chunksize=BATCH_ROWS):
                yield batch.select(list(names))

    return DataFile(None, frozenset(read_table(header)[1].column_names), whole(None), batches, _nothing)


def _header_of(source: pa.NativeFile, size: int) -> int:
    """Return the byte offset where the blocks of an Avro file start."""
    length = _HEADER_BYTES
    while True:
        source.seek(0)
        try:
            return read_header(source.read(length)).data_offset
        except MetadataCorrupt:
            if length >= size:
                raise
            length *= 16


def _blocks(source: pa.NativeFile, start: int, size: int) -> Iterator[bytes]:
    """Yield the stored blocks of an Avro file, several at a time."""
    held, position = [], start
    while position < size:
        source.seek(position)
        head = source.read(_VARINTS_BYTES)
        _, at = read_long(head, 0, len(head))
        length, at = read_long(head, at, len(head))
        whole = at + length + _SYNC_BYTES
        if length < 0 or position + whole > size:
            raise MetadataCorrupt("a truncated block", offset=position)
        source.seek(position)
        held.append(source.read(whole))
        position += whole
        if sum(map(len, held)) >= _BLOCKS_BYTES:
            yield b"".join(held)
            held = []
    if held:
        yield b"".join(held)
