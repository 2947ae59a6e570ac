"""Find the deletion vectors of data files: for each file, the location of its vector in an index file.

A vector belongs to a data file's name within a bucket of a partition. Partitions are compared by value:
writers encode one value in two ways (see ``formats.paimon.binary_row``). Ranges are given as recorded: the
length covers only the payload for 32-bit vectors, and 8 bytes more for 64-bit vectors.

Source: Paimon ``DeletionVectorMeta``, ``DeletionVectorsMaintainer``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.paimon.columns import combine, value_codes
from lakemuster.formats.paimon.paths import index_file_paths
from lakemuster.metadata.files import ADDED, PAIMON_INDEX_COLUMNS, column
from lakemuster.planner.columns import single_array
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

DELETION_VECTORS = "DELETION_VECTORS"
"""The index type of deletion vector files."""

VECTOR_TYPE = pa.struct(
    [("file_path", pa.string()), ("offset", pa.int64()), ("length", pa.int64()), ("cardinality", pa.int64())]
)
"""The location of a vector: ``offset`` and ``length`` in bytes, ``cardinality`` in rows, null if not recorded."""

_HASHED = 64

_SMALL = 1 << 15

Ints = NDArray[np.int64]
Codes = NDArray[np.int64] | NDArray[np.uint64]


@dataclass(frozen=True)
class VectorIndex:
    """The V deletion vectors of one snapshot.

    Attributes:
        data_file: (V,) names of data files.
        bucket: (V,).
        partition: for each partition field, its id and V values.
        vectors: (V,) of :data:`VECTOR_TYPE`.
    """

    data_file: pa.Array
    bucket: pa.Array
    partition: tuple[tuple[int, pa.Array], ...]
    vectors: pa.StructArray

    @classmethod
    def of(cls, tables: Sequence[pa.Table], view: View) -> VectorIndex:
        """Read decoded index manifests, in the shape of ``metadata.files``.

        Raises:
            FormatUnsupported: a partition's directory is unknown, and indexes are stored beside data files.
        """
        field_ids = [field.field_id for spec in view.metadata.specs for field in spec.fields]
        parts = [_flattened(table, view, field_ids) for table in tables]
        whole = pa.concat_tables([_schema_of(()).empty_table(), *parts], promote_options="permissive")
        return cls(
            single_array(whole.column("data_file")),
            single_array(whole.column("bucket")),
            tuple(
                (field_id, single_array(whole.column(column("partition", field_id)))) for field_id in field_ids if parts
            ),
            pa.StructArray.from_arrays(
                [single_array(whole.column(field.name)) for field in VECTOR_TYPE], fields=list(VECTOR_TYPE)
            ),
        )

    def __len__(self) -> int:
        return len(self.data_file)

    def match(self, entries: pa.Table) -> pa.StructArray:
        """Return the vector of each entry's data file, null if it has none.

        If two index files hold a vector of one data file, the later one wins.

        Args:
            entries: in the shape of ``metadata.files``, with ``file_name``, ``bucket`` and the partition columns.

        Returns:
            An array of :data:`VECTOR_TYPE` aligned with ``entries``.
        """
        found = np.full(entries.num_rows, -1, np.int64)
        if len(self) and entries.num_rows:
            asked = _name_hashes(single_array(entries.column("file_name")))
            hashes, order, starts = self._by_hash
            number = np.minimum(_places(hashes, asked, "left"), len(hashes) - 1)
            rows = np.flatnonzero(hashes[number] == asked)
            alone = starts[number[rows] + 1] - starts[number[rows]] == 1
            found[rows[alone]] = self._if_equal(entries, rows[alone], order[starts[number[rows[alone]]]])
            found[rows[~alone]] = self._last_equal(entries, rows[~alone], number[rows[~alone]])
        return self.vectors.take(pa.array(found, mask=found < 0))

    @cached_property
    def _by_hash(self) -> tuple[NDArray[np.uint64], Ints, Ints]:
        """The distinct name hashes, the vectors sorted by hash, and the first position of each hash."""
        hashes, number = np.unique(_name_hashes(self.data_file), return_inverse=True)
        order = np.argsort(number, kind="stable")
        return hashes, order, np.searchsorted(number[order], np.arange(len(hashes) + 1))

    def _if_equal(self, entries: pa.Table, rows: Ints, vectors: Ints) -> Ints:
        """Return each row's candidate vector; -1 if it belongs to another file."""
        equal = np.ones(len(rows), np.bool_)
        for ours, theirs in self._pairs(entries, rows, vectors):
            equal &= _equal(ours, theirs)
        return np.where(equal, vectors, -1)

    def _last_equal(self, entries: pa.Table, rows: Ints, number: Ints) -> Ints:
        """Return each row's last vector among those with its hash; -1 for none. ``number`` indexes the hashes."""
        _, order, starts = self._by_hash
        wanted = np.flatnonzero(np.bincount(number))
        counts = starts[wanted + 1] - starts[wanted]
        vectors = np.sort(
            order[np.repeat(starts[wanted] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
        )
        codes = combine(*(value_codes(pa.concat_arrays(pair)) for pair in self._pairs(entries, rows, vectors)))
        ours, theirs = codes[: len(vectors)], codes[len(vectors) :]
        ascending = np.argsort(ours, kind="stable")
        last = np.searchsorted(ours, theirs, "right", sorter=ascending) - 1
        found = ascending[np.maximum(last, 0)]
        return np.where((last >= 0) & (ours[found] == theirs), vectors[found], -1)

    def _pairs(self, entries: pa.Table, rows: Ints, vectors: Ints) -> Iterator[tuple[pa.Array, pa.Array]]:
        """Yield the columns that must be equal: values of the vectors and of the rows, cast to one type."""
        pairs = [
            (self.data_file, single_array(entries.column("file_name"))),
            (self.bucket, single_array(entries.column("bucket"))),
            *((values, _values(entries, field_id, values.type)) for field_id, values in self.partition),
        ]
        for ours, theirs in pairs:
            # A column that has only nulls is of Arrow's null type.
            form = theirs.type if pa.types.is_null(ours.type) else ours.type
            yield ours.take(pa.array(vectors)).cast(form), theirs.take(pa.array(rows)).cast(form)


def _equal(ours: pa.Array, theirs: pa.Array) -> NDArray[np.bool_]:
    """Mark equal values; null equals null, and floats are compared by their bits."""
    if pa.types.is_floating(ours.type):
        bits = pa.int32() if ours.type.bit_width == 32 else pa.int64()
        ours, theirs = ours.view(bits), theirs.view(bits)
    both_null = pc.and_(ours.is_null(), theirs.is_null())
    return np.asarray(pc.coalesce(pc.equal(ours, theirs), both_null).to_numpy(zero_copy_only=False))


def _places(table: Codes, asked: Codes, side: Literal["left", "right"]) -> Ints:
    """Like ``searchsorted``; if the table exceeds the CPU cache, many look-ups are much faster in ascending order."""
    if len(table) < _SMALL or len(asked) < _SMALL:
        return np.searchsorted(table, asked, side)
    order = np.argsort(asked)
    places = np.empty(len(asked), np.int64)
    places[order] = np.searchsorted(table, asked[order], side)
    return places


def _name_hashes(names: pa.Array) -> NDArray[np.uint64]:
    """Hash each name's length and its first and last 64 bytes, in 8-byte words: many times faster than sets."""
    names = names.cast(pa.large_string())
    _, offsets_buffer, data_buffer = names.buffers()
    if offsets_buffer is None or not len(names):
        return np.zeros(len(names), np.uint64)
    offsets = np.frombuffer(offsets_buffer, np.int64, len(names) + 1, names.offset * 8)
    data = np.zeros(int(offsets[-1] - offsets[0]) + 8, np.uint8)
    if data_buffer is not None:
        data[:-8] = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    words = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))
    start, length = offsets[:-1] - offsets[0], np.diff(offsets)
    hashes = length.astype(np.uint64)
    longest = int(length.max(initial=0))
    for at in range(0, min(longest, _HASHED), 8):
        hashes = _mixed(hashes, words, start + at, length - at)
    if longest > _HASHED:
        tail = np.maximum(length - _HASHED, 0)
        for at in range(0, _HASHED, 8):
            hashes = _mixed(hashes, words, start + tail + at, length - tail - at)
    return hashes


def _mixed(hashes: NDArray[np.uint64], words: NDArray[np.uint64], place: Ints, left: Ints) -> NDArray[np.uint64]:
    """Mix the next word of each name into its hash; only the word's first ``left`` bytes belong to the name."""
    word = words[np.minimum(place, len(words) - 1)]
    if left.min() < 8:
        beyond = np.clip(8 - left, 0, 7).astype(np.uint64) * np.uint64(8)
        word = np.where(left > 0, (word << beyond) >> beyond, 0)
    mixed = (hashes ^ word) * np.uint64(0x9E3779B97F4A7C15)
    return np.asarray(mixed ^ (mixed >> np.uint64(29)))


def _flattened(table: pa.Table, view: View, field_ids: Sequence[int]) -> pa.Table:
    """Return one row per deletion vector."""
    is_vector = pc.and_(pc.equal(table.column("status"), ADDED), pc.equal(table.column("index_type"), DELETION_VECTORS))
    table = table.filter(is_vector).combine_chunks()
    absent = PAIMON_INDEX_COLUMNS["deletion_vectors"]
    lists = single_array(table.column("deletion_vectors")) if "deletion_vectors" in table.column_names else None
    if lists is None:
        lists = pa.nulls(table.num_rows, absent)
    paths = Rewrites(view.table.rewrites).apply_array(
        index_file_paths(table, view.metadata.location, view.metadata, view.schemas)
    )
    ranges, parent = lists.flatten(), pc.list_parent_indices(lists)
    columns = {
        "data_file": ranges.field("data_file"),
        "bucket": single_array(table.column("bucket")).cast(pa.int32()).take(parent),
        "file_path": paths.take(parent),
        "offset": ranges.field("offset"),
        "length": ranges.field("length"),
        "cardinality": ranges.field("cardinality"),
    }
    for field_id in field_ids:
        columns[column("partition", field_id)] = _values(table, field_id, pa.null()).take(parent)
    return pa.table(columns)


def _schema_of(field_ids: Sequence[int]) -> pa.Schema:
    own = [("data_file", pa.string()), ("bucket", pa.int32()), *((field.name, field.type) for field in VECTOR_TYPE)]
    return pa.schema([*own, *((column("partition", field_id), pa.null()) for field_id in field_ids)])


def _values(table: pa.Table, field_id: int, absent: pa.DataType) -> pa.Array:
    name = column("partition", field_id)
    return single_array(table.column(name)) if name in table.column_names else pa.nulls(table.num_rows, absent)
