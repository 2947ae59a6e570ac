"""Check statistics of the oracle's Iceberg tables against counting the model's files, and against its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from random import Random
from typing import Any
from uuid import UUID

import pyarrow as pa

from lakemuster.formats.iceberg.usable_bounds import usable_pair
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.statistics.column_statistics import LeafColumn, column_statistics, leaf_columns
from lakemuster.planner.statistics.delete_files import RowsDeleted
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.statistics.table_statistics import TableStatistics, table_statistics
from lakemuster.predicates import TRUE, Bound, bind
from tests.unit.planner.oracle.check import files_of
from tests.unit.planner.oracle.held import scan, size_of
from tests.unit.planner.oracle.meaning import some_node, spoken
from tests.unit.planner.oracle.model import (
    PATH,
    DataFile,
    DeleteFile,
    Recorded,
    Table,
    bits,
    deleted_rows,
    deletes_of,
)
from tests.unit.planner.oracle.tables import some_table
from tests.unit.planner.oracle.values import is_nan, promoted
from tests.unit.planner.statistics import figures

LEAST_BYTES = 402_653_184


def check(rng: Random) -> None:
    """Compare the statistics of a random table: of all files, and of the files of a predicate's plan."""
    table = some_table(rng)
    held = scan(table)
    compare(table, held, None)
    if table.snapshot_version == len(table.schemas) - 1:
        compare(table, held, bind(spoken(some_node(rng, table)), table.schema))
        for column in leaf_columns(held.view.schemas[0]):
            compare_column(table, held, column)


def compare(table: Table, held: ScanIndex, bound: Bound | None) -> None:
    found = table_statistics((Question(held, bound, is_whole=bound is None),))
    planned = {path: one.deletes for path, one in files_of(Plan(held, TRUE if bound is None else bound)).items()}
    files = [file for file in table.files if bound is None or file.path in planned]
    sizes, records = [size_of(file) for file in files], [file.record_count for file in files]
    assert asdict(found.totals) == {
        "data_files": len(files),
        "records": sum(count for count in records if count >= 0),
        "bytes": sum(sizes),
        "files_without_records": sum(count < 0 for count in records),
        "files_without_size": 0,
    }
    assert {of.from_bytes: (of.to_bytes, of.files, of.bytes) for of in found.file_size_histogram if of.files} == (
        figures.histogram(sizes)
    )
    assert all(
        one.to_bytes == other.from_bytes
        for one, other in zip(found.file_size_histogram, found.file_size_histogram[1:], strict=False)
    )
    small = [size for size in sizes if size < LEAST_BYTES]
    assert found.small_files is not None
    assert (found.small_files.files, found.small_files.bytes) == (len(small), sum(small))
    compare_groups(found, files)
    compare_deletes(table, found, files, planned)


def compare_groups(found: TableStatistics, files: Sequence[DataFile]) -> None:
    by_partition: dict[Any, list[int]] = {}
    for file in files:
        own = tuple(bits(file.partition[f.field_id]) for f in file.spec.fields if f.transform != "void")
        by_partition.setdefault((file.spec.spec_id, own), []).append(size_of(file))
    assert asdict(found.partitions) == {
        "count": len(by_partition),
        "files": figures.quantiles(map(len, by_partition.values())),
        "bytes": figures.quantiles(map(sum, by_partition.values())),
    }
    assert {of.key: of.files for of in found.specs} == Counter(file.spec.spec_id for file in files)
    assert {of.key: of.files for of in found.file_formats} == ({"parquet": len(files)} if files else {})
    assert {of.key: of.files for of in found.sort_orders} == ({None: len(files)} if files else {})


def compare_deletes(
    table: Table, found: TableStatistics, files: Sequence[DataFile], planned: dict[str, list[int]]
) -> None:
    every, of_files = table.delete_files, [planned[file.path] for file in files]
    attached = {number for numbers in of_files for number in numbers}
    is_whole = found.deletes.dangling is not None
    compare_kinds(found.deletes.files, every if is_whole else [every[number] for number in sorted(attached)])
    if is_whole:
        compare_kinds(found.deletes.dangling, [one for number, one in enumerate(every) if number not in attached])
    assert found.deletes.data_files == sum(map(bool, of_files))
    carried = [[every[number] for number in numbers] for numbers in of_files]
    compare_rows(found.deletes.rows, list(zip(files, carried, strict=True)))
    truth = 0
    for file in files:
        scope = deletes_of(table, file)
        by_delete = {number: deleted_rows(table, every[number], file) for number in scope}
        assert {number for number, rows in by_delete.items() if rows} <= attached
        truth += len(frozenset().union(*by_delete.values()))
    upper = found.deletes.rows.upper
    assert found.deletes.rows.lower <= truth
    assert upper is None or truth <= upper


def compare_kinds(found: Any, deletes: Iterable[DeleteFile]) -> None:
    for name, own in (
        ("position_deletes", [one for one in deletes if not one.ids and not one.is_vector]),
        ("equality_deletes", [one for one in deletes if one.ids]),
        ("deletion_vectors", [one for one in deletes if one.is_vector]),
    ):
        by_path = {one.path: size_of(one) for one in own}
        whole = sum(by_path.values())
        assert asdict(getattr(found, name)) == {
            "count": len(own),
            "files": len(by_path),
            "records": sum(one.record_count for one in own),
            "bytes": sum(size_of(one) // 2 for one in own) if name == "deletion_vectors" else whole,
        }, name


def compare_rows(found: RowsDeleted, carried: Sequence[tuple[DataFile, list[DeleteFile]]]) -> None:
    """Compare the limits of deleted rows with sums over each data file and its deletes."""
    lower = 0
    upper: int | None = 0
    listed = 0
    spread: dict[str, int] = {}
    for file, deletes in carried:
        vectors = sum(one.record_count for one in deletes if one.is_vector)
        positions = [one for one in deletes if not one.ids and not one.is_vector]
        own = [one for one in positions if of_one_file(one)]
        least = max(vectors, int(any(one.record_count for one in own)))
        lower += least
        if not deletes:
            continue
        if file.record_count < 0:
            upper = None
        if any(one.ids for one in deletes):
            most = file.record_count
            listed += file.record_count
        else:
            most = min(file.record_count, vectors + sum(one.record_count for one in positions))
            listed += vectors + sum(one.record_count for one in own)
            spread |= {one.path: one.record_count for one in positions if not of_one_file(one)}
        upper = None if upper is None else upper + max(most, least)
    if upper is not None:
        upper = min(upper, listed + sum(spread.values()))
    assert (found.lower, found.upper, found.exact) == (lower, upper, lower == upper)


def of_one_file(delete: DeleteFile) -> bool:
    bounds = delete.statistics.get(PATH, Recorded())
    return delete.referenced is not None or (bounds.lower is not None and bounds.lower == bounds.upper)


def compare_column(table: Table, held: ScanIndex, column: LeafColumn) -> None:
    """Compare a column's statistics with those of the model's files, in the column's current type."""
    found = column_statistics((Question(held, None, is_whole=True),), column)
    recorded = [(file, recorded_of(table, file, column)) for file in table.files]
    bounds = [bounds_of(table, file, one, column) for file, one in recorded]
    for summed, member in ((found.value_count, "values"), (found.null_count, "nulls"), (found.nan_count, "nans")):
        known = [count for _, one in recorded if (count := getattr(one, member)) is not None]
        assert (summed.total, summed.files) == (sum(known), len(known)), (column, member)
    held_bounds = [one for one in bounds if one.holds]
    assert (found.files, found.holding_files) == (len(bounds), len(held_bounds))
    lowers = [one.lower for one in held_bounds if one.lower is not None]
    uppers = [one.upper for one in held_bounds if one.upper is not None]
    assert (found.lower.files, value_of(found.lower.value)) == (len(lowers), min(lowers, default=None))
    assert (found.upper.files, value_of(found.upper.value)) == (len(uppers), max(uppers, default=None))
    assert found.overlap is not None
    depths = {
        "samples": found.overlap.samples,
        "unbounded": found.overlap.unbounded,
        "mean": found.overlap.mean,
        "p99": found.overlap.p99,
        "max": found.overlap.max,
        "max_at": value_of(found.deepest),
    }
    assert depths == figures.overlap(bounds), column
    compare_with_rows(table, column, bounds, found.overlap.mean)


def compare_with_rows(table: Table, column: LeafColumn, bounds: Sequence[figures.Bounds], mean: float | None) -> None:
    """Check that the mean depth counts every file whose rows enclose a lower bound."""
    values = [[plain(row.get(column.field_id)) for row in table.rows_of(file)] for file in table.files]
    known = [[value for value in of_file if value is not None and not is_nan(value)] for of_file in values]
    ranges = [(min(of_file), max(of_file)) for of_file in known if of_file]
    sampled = [one.lower for one in bounds if one.holds and one.lower is not None and not one.is_reversed]
    truth = [sum(low <= value <= high for low, high in ranges) for value in sampled]
    assert mean is None or sum(truth) / len(truth) <= mean


def recorded_of(table: Table, file: DataFile, column: LeafColumn) -> Recorded:
    return file.statistics.get(column.field_id, Recorded())


def bounds_of(table: Table, file: DataFile, recorded: Recorded, column: LeafColumn) -> figures.Bounds:
    """Return a file's usable bounds in the column's current type; NaN is no bound."""
    old = table.schemas[file.version].primitive(column.field_id) or column.type
    lower, upper = (
        None if bound is None or is_nan(bound) else plain(promoted(bound, old, column.type))
        for bound in usable_pair(recorded.lower, recorded.upper, old)
    )
    covers_rows = file.record_count < 0 or recorded.values == file.record_count
    nothing = covers_rows and has_nothing(recorded, column.type)
    return figures.Bounds(lower, upper, file.record_count != 0 and not nothing)


def has_nothing(recorded: Recorded, of: Primitive) -> bool:
    """Return whether all values are known to be null or NaN."""
    if not recorded.values:
        return False
    if recorded.nulls == recorded.values:
        return True
    if of.kind not in (Kind.FLOAT, Kind.DOUBLE) or recorded.nans is None:
        return False
    return recorded.values in (recorded.nans, recorded.nans + recorded.nulls if recorded.nulls is not None else None)


def plain(value: Any) -> Any:
    return value.bytes if isinstance(value, UUID) else value


def value_of(value: pa.Array | None) -> Any:
    """Return the first value of an array in internal form, or None."""
    if value is None:
        return None
    if pa.types.is_temporal(value.type):
        value = value.view(pa.int32() if value.type.bit_width == 32 else pa.int64())
    return value[0].as_py()
