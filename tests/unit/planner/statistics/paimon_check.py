"""Check statistics of the oracle's Paimon tables against counting the model's files one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from random import Random
from typing import Any

from lakemuster.planner.scan.branches import scan_indexes_of
from lakemuster.planner.statistics.column_statistics import LeafColumn, column_statistics, leaf_columns
from lakemuster.planner.statistics.delete_files import DeleteKind
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.statistics.merging import Merging
from lakemuster.planner.statistics.table_statistics import TableStatistics, table_statistics
from lakemuster.planner.view import View
from tests.unit.planner.paimon.oracle.held import Lake, files_of
from tests.unit.planner.paimon.oracle.model import EVOLVED, KEYED, DataFile, Statistics, Table
from tests.unit.planner.paimon.oracle.tables import some_table
from tests.unit.planner.paimon.oracle.values import chance
from tests.unit.planner.statistics import figures


def check(lake: Lake, rng: Random, theme: str | None = None) -> None:
    """Write a random table and compare its statistics; some tables have vectors of deleted files."""
    table = some_table(rng, theme)
    if table.has_vectors and table.live and chance(rng, 40):
        table.vectors.setdefault(rng.choice(table.live).group, {})["gone.parquet"] = frozenset({0, 2})
    view = lake.add(rng, table)
    scan, _ = scan_indexes_of(lake.services.index, view)
    question = (Question(scan, None, is_whole=True),)
    compare(lake, table, view, table_statistics(question))
    for column in leaf_columns(view.schemas[0]):
        compare_counts(table, question, column)


def compare(lake: Lake, table: Table, view: View, found: TableStatistics) -> None:
    live = table.live
    sizes = [file.size for file in live]
    assert asdict(found.totals) == {
        "data_files": len(live),
        "records": sum(len(file.records) for file in live),
        "bytes": sum(sizes),
        "files_without_records": 0,
        "files_without_size": 0,
    }
    assert {of.from_bytes: (of.to_bytes, of.files, of.bytes) for of in found.file_size_histogram if of.files} == (
        figures.histogram(sizes)
    )
    files, whole = Counter(file.partition for file in live), Counter[Any]()
    for file in live:
        whole[file.partition] += file.size
    assert asdict(found.partitions) == {
        "count": len(files),
        "files": figures.quantiles(files.values()),
        "bytes": figures.quantiles(whole.values()),
    }
    compare_vectors(table, found)
    assert found.merging is not None
    compare_merging(lake, table, view, found.merging)


def compare_vectors(table: Table, found: TableStatistics) -> None:
    """Check that each vector is counted with its live data file or as dangling."""
    vectors = {(group, name): rows for group, own in table.vectors.items() for name, rows in own.items()}
    live = {(file.group, file.name) for file in table.live}
    attached = {key: rows for key, rows in vectors.items() if key in live}
    assert found.deletes.data_files == len(attached)
    rows = sum(map(len, attached.values()))
    kinds, dangling = found.deletes.files, found.deletes.dangling
    assert dangling is not None
    assert kinds.position_deletes == kinds.equality_deletes == DeleteKind()
    for kind, own in ((kinds.deletion_vectors, vectors), (dangling.deletion_vectors, vectors.keys() - attached.keys())):
        assert kind.count == len(own)
        assert kind.records in (None, sum(len(vectors[key]) for key in own))
    known = found.deletes.rows
    assert known.upper is not None
    assert known.lower <= rows <= known.upper
    assert known.exact or kinds.deletion_vectors.records is None


def compare_merging(lake: Lake, table: Table, view: View, found: Merging) -> None:
    live = table.live
    assert {of.key: (of.files, of.bytes) for of in found.levels} == {
        level: (len(own), sum(file.size for file in own))
        for level in {file.level for file in live}
        if (own := [file for file in live if file.level == level])
    }
    groups = {file.group for file in live}
    assert found.buckets == len(groups)
    runs = [sorted_runs([file for file in live if file.group == group]) for group in groups]
    quantiles = None if found.sorted_runs is None else asdict(found.sorted_runs)
    assert quantiles == (figures.quantiles(runs) if table.kind == KEYED else None)
    planned = files_of(lake.plan(view))
    merged = [file for file in planned if not file["raw_convertible"]]
    assert (found.merged_files, found.merged_records, found.merged_bytes) == (
        len(merged),
        sum(file["record_count"] for file in merged),
        sum(file["file_size_in_bytes"] for file in merged),
    )
    assert found.sections == len({file["section"] for file in merged})
    assert found.unread_files == len(live) - len(table.readable)
    if found.delete_rows is not None:
        assert found.delete_rows == sum(file.gone for file in live)


def sorted_runs(files: list[DataFile]) -> int:
    return sum(file.level == 0 for file in files) + len({file.level for file in files if file.level})


def compare_counts(table: Table, question: tuple[Question, ...], column: LeafColumn) -> None:
    """Check a column's null count and the numbers of files with bounds against rows and recorded statistics."""
    found = column_statistics(question, column)
    live = table.live
    assert found.files == len(live)
    rows = [[table.converted(file, record.values)[column.field_id] for record in file.records] for file in live]
    if found.null_count.files == len(live):
        assert found.null_count.total == sum(value is None for of_file in rows for value in of_file)
    assert found.holding_files >= sum(any(value is not None for value in of_file) for of_file in rows)
    assert found.overlap is not None
    assert found.overlap.samples == found.lower.files
    if table.kind != EVOLVED and column.name not in filled(table):
        same = [file for file in live if file.version == table.current.number]
        recorded = [one for file in same if (one := recorded_of(file, column.field_id)) is not None]
        assert found.lower.files >= sum(one.lower is not None for one in recorded)
        assert found.null_count.files >= sum(one.nulls is not None for one in recorded)


def recorded_of(file: DataFile, field_id: int) -> Statistics | None:
    """Return a file's recorded statistics of a column, or None."""
    return file.statistics.get(field_id) if file.dense is None or field_id in file.dense else None


def filled(table: Table) -> set[str]:
    """Return the names of columns with a default value, which replaces nulls."""
    return {name.split(".")[1] for name in table.options if name.endswith(".default-value")}
