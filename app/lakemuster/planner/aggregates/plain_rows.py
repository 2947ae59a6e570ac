"""The rows of files that are read alone: all except the rows that delete files delete.

Source: Iceberg spec, "Scan Planning" and "Deletion Vectors".
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import EQUALITY_DELETES, split_column
from lakemuster.planner.aggregates.row_rules import UNCOUNTED, KeptFiles, Prover, RowsGiven
from lakemuster.planner.columns import single_array
from lakemuster.planner.inherited import inherited
from lakemuster.planner.pruning.prune import FieldStats, Mask
from lakemuster.planner.pruning.statistics import EntryStatistics, counts
from lakemuster.planner.rows import START
from lakemuster.planner.scan.delete_matching import matching_deletes
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import kept_of_pack, rows_of, survivors
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.predicates import FALSE, TRUE, Bound

_MATCHED = ("status", "sequence_number", "file_path")
_VECTOR, _POSITIONS, _EQUALITY = 0, 1, 2
_DOUBTS = (
    "several deletion vectors, or one of unknown size",
    "position deletes, whose effect is not recorded",
    "equality deletes, whose effect is not recorded",
)

Ints = NDArray[np.int64]
_Deletes = tuple[Ints, Ints]
"""The kinds of delete files, and their numbers of rows."""

_DELETES: WeakKeyDictionary[ScanIndex, _Deletes] = WeakKeyDictionary()


class PlainRows:
    """Files that are read alone, with the delete files that apply to them."""

    def columns(
        self, scan: ScanIndex, present: Iterable[str], fields: frozenset[int], proven: frozenset[int]
    ) -> list[str]:
        """Return the record count, statistics, and what delete matching reads where there are delete files."""
        matched = () if scan.delete_index is None else (*_MATCHED, *scan.delete_index.stat_columns)
        return [
            name
            for name in present
            if name == "record_count"
            or name in matched
            or ((split := split_column(name)) is not None and split[1] in fields and split[0] != "partition")
        ]

    def reads_partitions(self, scan: ScanIndex) -> bool:
        """Tell whether there are delete files."""
        return scan.delete_index is not None

    def rows(self, files: KeptFiles) -> RowsGiven:
        """Subtract the rows that delete files delete."""
        records = counts(files.entries.column("record_count"))
        index, scan = files.scan.delete_index, files.scan
        if index is None:
            return RowsGiven.all_of(records)

        def entries() -> pa.Table:
            return inherited(files.entries, files.spec.inheritance, files.spec.parts_of(files.places))

        offsets, numbers = matching_deletes(scan, index, files.group, entries)
        if not len(numbers):
            return RowsGiven.all_of(records)
        kinds, sizes = _deletes_of(scan)
        of_file = np.repeat(np.arange(len(records)), np.diff(offsets))
        kind, size = kinds[numbers], sizes[numbers]

        def summed(of: int, values: Ints) -> Ints:
            found = np.zeros(len(records), np.int64)
            np.add.at(found, of_file[kind == of], values[kind == of])
            return found

        known, one = np.maximum(size, 0), np.ones_like(size)
        vectors, positions, equality = (summed(of, one) > 0 for of in (_VECTOR, _POSITIONS, _EQUALITY))
        unsized = summed(_VECTOR, one * (size < 0)) + summed(_POSITIONS, one * (size < 0)) > 0
        in_vectors = summed(_VECTOR, known)
        unsure = vectors & ((summed(_VECTOR, one) > 1) | (summed(_VECTOR, one * (size < 0)) > 0))
        most = np.where(unsure, records, records - in_vectors)
        least = np.where(equality | unsized, 0, records - in_vectors - summed(_POSITIONS, known))
        least, most = np.maximum(least, 0), np.where(records < 0, records, np.maximum(most, 0))
        doubts = {UNCOUNTED: records < 0}
        doubts |= dict(zip(_DOUBTS, (unsure, positions, equality), strict=True))
        return RowsGiven(least, most, doubts)

    def prover(self, scan: ScanIndex, complement: Bound) -> Prover:
        """Return a function that marks the files that pruning by the complement drops."""
        if complement in (TRUE, FALSE):
            return lambda files: np.full(len(files.places), complement == FALSE)
        if scan.rules.evaluates_packs:
            return _PackProver(scan, complement)
        left = {spec.cache_key: np.zeros(int(spec.part_starts[-1]), np.bool_) for spec in scan.specs}
        for spec, pack, rows in rows_of(scan, complement, None, START, None):
            left[spec.cache_key][rows + int(spec.pack_starts[pack])] = True
        return lambda files: ~left[files.spec.cache_key][files.places]

    def field(self, files: KeptFiles, field_id: int) -> FieldStats:
        """Return the recorded statistics."""
        return EntryStatistics(files.entries, files.scan.rules.members).field(field_id) or FieldStats()


class _PackProver:
    """Evaluates a predicate's complement on the packs that hold requested files."""

    def __init__(self, scan: ScanIndex, complement: Bound) -> None:
        self._complement, self._left = complement, survivors(scan, complement)
        self._known: dict[tuple[object, int], Mask] = {}

    def __call__(self, files: KeptFiles) -> Mask:
        spec, places = files.spec, files.places
        first, last = (np.searchsorted(spec.pack_starts, places[[0, -1]], side="right") - 1).tolist()
        found = []
        for pack in range(first, last + 1):
            start, end = spec.pack_starts[pack : pack + 2].tolist()
            low, high = np.searchsorted(places, [start, end]).tolist()
            if low < high:
                found.append(self._proven(spec, pack)[places[low:high] - start])
        return np.concatenate(found)

    def _proven(self, spec: SpecIndex, pack: int) -> Mask:
        """Mark the entries of a pack of which no row satisfies the complement."""
        key = spec.cache_key, pack
        if key not in self._known:
            start, end = spec.pack_starts[pack : pack + 2].tolist()
            proven = np.ones(end - start, np.bool_)
            runs = self._left.runs[spec.cache_key].between(start, end)
            if runs.entries:
                predicate = self._left.pack_predicate(spec, self._complement)
                proven[kept_of_pack(spec, pack, runs, self._complement, predicate)] = False
            self._known[key] = proven
        return self._known[key]


def _deletes_of(scan: ScanIndex) -> _Deletes:
    """Return the kinds and sizes of a scan's delete files, by the numbers that delete matching gives them."""
    if scan not in _DELETES:
        kinds, sizes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for _, table in scan.delete_tables:
            equality = single_array(table.column("content")).to_numpy() == EQUALITY_DELETES
            puffin = pc.equal(pc.utf8_lower(single_array(table.column("file_format"))), "puffin")
            is_vector = np.asarray(pc.fill_null(puffin, False).to_numpy(zero_copy_only=False))
            kinds.append(np.where(equality, _EQUALITY, np.where(is_vector, _VECTOR, _POSITIONS)))
            sizes.append(counts(table.column("record_count")))
        _DELETES[scan] = np.concatenate(kinds), np.concatenate(sizes)
    return _DELETES[scan]


PLAIN_ROWS = PlainRows()
