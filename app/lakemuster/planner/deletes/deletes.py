"""Find the delete files that apply to data files.

Pure: entries in, numbers out, in bulk. Delete files are sorted by partition or data file, then by
sequence number, so that a binary search finds those of a data file as one range.

* Position deletes apply to files of their partition that are not newer than they are. Deletion vectors, and position
  deletes that are known to reference one data file, apply to that file alone, whatever their partition.
* A deletion vector replaces a data file's position deletes.
* Equality deletes apply to older files of their partition; if their spec is unpartitioned, to older files of
  all partitions. A delete file is dropped if statistics prove that it deletes no row of the data file.

Age is the *data* sequence number, 0 where none is recorded. Locations are compared as recorded.

The specification demands the partition of the data file for all deletes. Writers break this: DuckDB lists deletes of
files of an older spec in manifests of the newest one. Java up to 1.11, Trino and PyIceberg apply such deletes.

Source: Iceberg spec, "Scan Planning"; Iceberg Java, ``DeleteFileIndex`` and ``ContentFileUtil``;
duckdb/duckdb-iceberg issue 1274.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.errors import MetadataCorrupt
from lakemuster.metadata.files import EQUALITY_DELETES, ICEBERG_COLUMNS, POSITION_DELETES
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.planner.columns import single_array
from lakemuster.planner.deletes.delete_bounds import EqualityBounds
from lakemuster.planner.deletes.delete_groups import NO_NUMBERS, DeleteGroup, FoundPairs
from lakemuster.planner.deletes.known_paths import KnownPaths
from lakemuster.planner.deletes.partition_keys import PartitionKeys, is_partitioned

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

_PATH_BOUNDS = ("lower.2147483546", "upper.2147483546")
_OWN = ("content", "sequence_number", "file_format", "referenced_data_file", "equality_ids")


@dataclass(frozen=True, slots=True)
class DeleteIndex:
    """The live delete files of a snapshot, numbered in the order given.

    Attributes:
        empty: whether the snapshot has no delete files.
        stat_columns: the data file statistics that :meth:`match` reads where a segment has them.
        content: (D,) the content of each delete file.
        is_vector: (D,) whether it is a deletion vector.
        of_one_file: (D,) whether it is known to reference one data file.
    """

    empty: bool
    stat_columns: frozenset[str]
    content: NDArray[np.int8]
    is_vector: Mask
    of_one_file: Mask
    _everywhere: DeleteGroup
    _equalities: DeleteGroup
    _positions: DeleteGroup
    _of_files: DeleteGroup
    _vectors: DeleteGroup
    _bounds: EqualityBounds
    _specs: Mapping[int, tuple[PartitionKeys, int]]
    _paths: KnownPaths
    _path_bounds: tuple[pa.Array, pa.Array]

    @classmethod
    def of(
        cls,
        manifests: Sequence[tuple[int, pa.Table]],
        specs: Sequence[PartitionSpec],
        schemas: tuple[Schema, ...],
    ) -> DeleteIndex:
        """Sort delete files for :meth:`match`.

        Args:
            manifests: spec id and live entries of each delete manifest, in the shape of ``metadata.files``,
                inherited fields filled in. The statistics of equality ids and of ``file_path``
                (field 2147483546) are read.
            specs: the table's partition specs.
            schemas: the table's schemas.

        Raises:
            MetadataCorrupt: the table does not have a manifest's spec.
        """
        if unknown := {spec_id for spec_id, _ in manifests} - {spec.spec_id for spec in specs}:
            raise MetadataCorrupt(
                f"delete manifests refer to partition spec {min(unknown)}, which the table does not have"
            )
        entries = _Entries.of(manifests)
        partitions, keys = _number_partitions(manifests, specs, schemas)
        partitioned = {spec.spec_id for spec in specs if is_partitioned(spec)}
        is_local = np.array([spec_id in partitioned for spec_id, _ in manifests], np.bool_)
        local = is_local.repeat([table.num_rows for _, table in manifests])
        equality = entries.content == EQUALITY_DELETES
        paths, path_numbers = entries.paths()
        has_path = path_numbers >= 0
        position = (entries.content == POSITION_DELETES) & ~entries.is_vector

        def group(chosen: Mask, by: Numbers, *, newer: bool = False) -> DeleteGroup:
            return DeleteGroup.of(by[chosen], entries.sequences[chosen], np.flatnonzero(chosen), newer=newer)

        bounds = EqualityBounds.of([table for _, table in manifests], entries.equality_ids, schemas)
        return cls(
            empty=not len(entries.content),
            stat_columns=bounds.stat_columns,
            content=entries.content,
            is_vector=entries.is_vector,
            of_one_file=has_path,
            _everywhere=group(equality & ~local, np.zeros_like(partitions), newer=True),
            _equalities=group(equality & local, partitions, newer=True),
            _positions=group(position & ~has_path, partitions),
            _of_files=group(position & has_path, path_numbers),
            _vectors=group(entries.is_vector & has_path, path_numbers),
            _bounds=bounds,
            _specs=keys,
            _paths=paths,
            _path_bounds=(entries.path_lower, entries.path_upper),
        )

    def match(self, spec_id: int, table: pa.Table) -> tuple[Numbers, Numbers]:
        """Return the delete files that apply to each data file.

        Args:
            spec_id: the spec of all rows.
            table: entries of data files (N,): ``sequence_number``, ``file_path``, ``partition.<id>``, and
                ``stat_columns`` where recorded: without them statistics drop no delete file.

        Returns:
            int64 (N+1,) offsets and int64 numbers: file *i* has ``numbers[offsets[i]:offsets[i + 1]]``, ascending.

        Raises:
            LimitExceeded: more pairs of data file and delete file than ``delete_groups.MAX_PAIRS``.
        """
        rows = table.num_rows
        if self.empty or not rows:
            return np.zeros(rows + 1, np.int64), NO_NUMBERS
        sequences = _sequence_numbers(table)
        partitions = self._partitions_of(spec_id, table)
        locations = single_array(table.column("file_path"))
        paths = self._paths.numbers(locations)
        found = FoundPairs()
        for group, keys in ((self._everywhere, np.zeros_like(partitions)), (self._equalities, partitions)):
            comparison = None
            for of_rows, numbers in group.pairs(keys, sequences):
                comparison = comparison or self._bounds.against(table)
                found.add(of_rows, numbers, comparison.can_delete(of_rows, numbers))
        without_vector = np.ones(rows, np.bool_)
        for of_rows, numbers in self._vectors.pairs(paths, sequences):
            without_vector[of_rows] = False
            found.add(of_rows, numbers)
        for of_rows, numbers in self._of_files.pairs(np.where(without_vector, paths, -1), sequences):
            found.add(of_rows, numbers)
        for of_rows, numbers in self._positions.pairs(np.where(without_vector, partitions, -1), sequences):
            found.add(of_rows, numbers, self._may_list(locations, of_rows, numbers))
        return found.by_row(rows, len(self.content))

    def _partitions_of(self, spec_id: int, table: pa.Table) -> Numbers:
        known = self._specs.get(spec_id)
        if known is None:
            return np.full(table.num_rows, -1, np.int64)
        keys, first = known
        numbers = keys.lookup(table)
        return np.where(numbers < 0, -1, numbers + first)

    def _may_list(self, locations: pa.StringArray, rows: Numbers, numbers: Numbers) -> Mask:
        """Mark pairs whose data file path is within the delete file's ``file_path`` bounds."""
        keep = np.ones(len(rows), np.bool_)
        for bounds, outside in zip(self._path_bounds, (pc.less, pc.greater), strict=True):
            if bounds.null_count < len(bounds):
                verdicts = outside(locations.take(pa.array(rows)), bounds.take(pa.array(numbers)))
                keep &= ~pc.fill_null(verdicts, False).to_numpy(zero_copy_only=False)
        return keep


@dataclass(frozen=True, slots=True)
class _Entries:
    """The columns of all delete entries that are not per field, and the ``file_path`` bounds."""

    content: NDArray[np.int8]
    sequences: Numbers
    is_vector: Mask
    referenced: pa.Array
    equality_ids: pa.ListArray
    path_lower: pa.Array
    path_upper: pa.Array

    @classmethod
    def of(cls, manifests: Sequence[tuple[int, pa.Table]]) -> _Entries:
        kinds = {name: ICEBERG_COLUMNS[name] for name in _OWN} | dict.fromkeys(_PATH_BOUNDS, pa.string())
        schema = pa.schema(list(kinds.items()))
        own = [table.select([n for n in kinds if n in table.column_names]) for _, table in manifests]
        entries = pa.concat_tables([schema.empty_table(), *own], promote_options="default")
        content = single_array(entries.column("content")).to_numpy()
        puffin = pc.equal(pc.utf8_lower(single_array(entries.column("file_format"))), "puffin")
        is_vector = pc.fill_null(puffin, False).to_numpy(zero_copy_only=False) & (content == POSITION_DELETES)
        equality = pa.array(content == EQUALITY_DELETES)
        ids = single_array(entries.column("equality_ids"))
        return cls(
            content,
            _sequence_numbers(entries),
            is_vector,
            single_array(entries.column("referenced_data_file")),
            pc.if_else(equality, ids, pa.scalar(None, ids.type)),
            *(single_array(entries.column(name)) for name in _PATH_BOUNDS),
        )

    def paths(self) -> tuple[KnownPaths, Numbers]:
        """Number the data files that position deletes reference; return these, and each delete file's number or -1.

        Without ``referenced_data_file``, equal ``file_path`` bounds name the file. Deletion vectors must record it.
        """
        same = pc.fill_null(pc.equal(self.path_lower, self.path_upper), False)
        nothing = pa.scalar(None, pa.string())
        bounded = pc.if_else(pc.and_(same, pa.array(~self.is_vector)), self.path_lower, nothing)
        position = pa.array(self.content == POSITION_DELETES)
        paths = pc.if_else(position, pc.coalesce(self.referenced, bounded), nothing).dictionary_encode()
        numbers = paths.indices.fill_null(-1).to_numpy().astype(np.int64)
        return KnownPaths.of(paths.dictionary), numbers


def _number_partitions(
    manifests: Sequence[tuple[int, pa.Table]], specs: Sequence[PartitionSpec], schemas: tuple[Schema, ...]
) -> tuple[Numbers, dict[int, tuple[PartitionKeys, int]]]:
    """Return each delete file's partition number, and by spec id its numbering and the first number."""
    firsts = np.cumsum([0, *(table.num_rows for _, table in manifests)])
    partitions = np.zeros(int(firsts[-1]), np.int64)
    found: dict[int, tuple[PartitionKeys, int]] = {}
    first = 0
    for spec in specs:
        own = [n for n, (spec_id, table) in enumerate(manifests) if spec_id == spec.spec_id and table.num_rows]
        if not own:
            continue
        keys, numbers = PartitionKeys.of(spec, [manifests[number][1] for number in own], schemas)
        places = np.concatenate([np.arange(firsts[number], firsts[number + 1]) for number in own])
        partitions[places] = numbers + first
        found[spec.spec_id] = (keys, first)
        first += keys.size
    return partitions, found


def _sequence_numbers(table: pa.Table) -> Numbers:
    place = table.schema.get_field_index("sequence_number")
    if place < 0:
        return np.zeros(table.num_rows, np.int64)
    numbers = single_array(table.column(place))
    if numbers.null_count:
        numbers = numbers.fill_null(0)
    return np.asarray(numbers.to_numpy(), np.int64)
