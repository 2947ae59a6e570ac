"""A model of Paimon tables: files, versions of keys, deletion vectors, and the rows that a reader gets from files.

Nothing here comes from the code under test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.unit.planner.paimon.oracle.values import cast

Row = dict[int, Any]
"""Values by field id."""
Partition = tuple[Any, ...]

APPEND, KEYED, EVOLVED = "append", "keyed", "data-evolution"


@dataclass(frozen=True)
class Column:
    """A column of a schema; ``type`` is a key of ``values.POOLS``, or ``BLOB``."""

    field_id: int
    name: str
    type: str


@dataclass(frozen=True)
class Version:
    """A schema."""

    number: int
    columns: tuple[Column, ...]

    def by_id(self, field_id: int) -> Column | None:
        return next((column for column in self.columns if column.field_id == field_id), None)


@dataclass(frozen=True)
class Record:
    """A stored row: version ``sequence`` of its key, a DELETE if ``gone``."""

    values: Row
    sequence: int = 0
    gone: bool = False


@dataclass(frozen=True)
class Statistics:
    """A file's statistics of one column; None where unknown.

    ``inverted``: bounds as a writer recorded them the wrong way around, which are unknown.
    """

    lower: Any = None
    upper: Any = None
    nulls: int | None = None
    inverted: tuple[Any, Any] = (None, None)


@dataclass(frozen=True, eq=False)
class DataFile:
    """A data file.

    Attributes:
        version: the number of the schema that the file was written with.
        columns: the field ids of its columns.
        statistics: statistics of value columns by field id; ``key_statistics`` of key columns.
        dense: the field ids in ``_VALUE_STATS_COLS``; None without this list.
        written: the names in ``_WRITE_COLS``; None without this list.
    """

    name: str
    partition: Partition
    bucket: int
    total_buckets: int
    level: int
    version: int
    records: tuple[Record, ...]
    columns: tuple[int, ...]
    statistics: dict[int, Statistics]
    key_statistics: dict[int, Statistics]
    dense: tuple[int, ...] | None = None
    written: tuple[str, ...] | None = None
    size: int = 100
    first_row_id: int | None = None
    deleted_known: bool = True
    extra_files: tuple[str, ...] = ()
    sequence: int = 0

    @property
    def group(self) -> tuple[Partition, int]:
        return self.partition, self.bucket

    @property
    def identity(self) -> tuple[object, ...]:
        return self.partition, self.bucket, self.level, self.name, self.extra_files

    @property
    def row_ids(self) -> range:
        assert self.first_row_id is not None
        return range(self.first_row_id, self.first_row_id + len(self.records))

    @property
    def gone(self) -> int:
        return sum(record.gone for record in self.records)


Entry = tuple[bool, DataFile]
"""True for ADD, False for DELETE."""


@dataclass
class Table:
    """A table and its history.

    Attributes:
        partition, keys: field ids; ``keys`` excludes partition fields.
        engine: the merge engine.
        sums: the columns that the aggregation engine sums up.
        skips_level_0: whether reads see compacted files only.
        manifests: those of the base list, then those of the delta list.
        vectors: deleted positions by (partition, bucket) and file name.
    """

    kind: str
    versions: list[Version]
    partition: tuple[int, ...]
    keys: tuple[int, ...]
    options: dict[str, str]
    engine: str = ""
    sums: frozenset[int] = frozenset()
    has_vectors: bool = False
    skips_level_0: bool = False
    dynamic: bool = False
    bucket_key: tuple[int, ...] = ()
    commits: list[list[Entry]] = field(default_factory=list)
    vectors: dict[tuple[Partition, int], dict[str, frozenset[int]]] = field(default_factory=dict)

    @property
    def current(self) -> Version:
        return self.versions[-1]

    @property
    def live(self) -> list[DataFile]:
        """The files that were added and not deleted."""
        entries = [entry for commit in self.commits for entry in commit]
        dead = {file.identity for added, file in entries if not added}
        return [file for added, file in entries if added and file.identity not in dead]

    @property
    def readable(self) -> list[DataFile]:
        """The live files that a batch reader reads."""
        return [f for f in self.live if f.bucket >= 0 and not (self.skips_level_0 and f.level == 0)]

    def vector(self, file: DataFile) -> frozenset[int]:
        return self.vectors.get(file.group, {}).get(file.name, frozenset())

    def converted(self, file: DataFile, values: Row) -> Row:
        """Return a row in the current schema."""
        written, found = self.versions[file.version], {}
        for column in self.current.columns:
            old = written.by_id(column.field_id)
            has = old is not None and column.field_id in file.columns
            found[column.field_id] = cast(values[column.field_id], old.type, column.type) if has and old else None
        return found

    def stored(self, file: DataFile, vector: frozenset[int]) -> list[Record]:
        """Return the records that a deletion vector leaves, in the current schema."""
        return [
            Record(self.converted(file, record.values), record.sequence, record.gone)
            for position, record in enumerate(file.records)
            if position not in vector
        ]


def plain_rows(table: Table, files: Iterable[DataFile]) -> list[Row]:
    """Return the rows of files in order, without merging and including DELETEs."""
    return [record.values for file in files for record in table.stored(file, table.vector(file))]


def read(table: Table, files: Iterable[DataFile]) -> list[Row]:
    """Return the rows that a reader gets from some of the table's files."""
    if table.kind == APPEND:
        return plain_rows(table, files)
    if table.kind == EVOLVED:
        return assembled(table, list(files))
    versions: dict[tuple[object, ...], list[Record]] = {}
    for file in files:
        for record in table.stored(file, table.vector(file)):
            key = tuple(record.values[field_id] for field_id in table.keys)
            versions.setdefault((*file.group, *key), []).append(record)
    merged = [merge(table, sorted(some, key=lambda one: one.sequence)) for some in versions.values()]
    return [record.values for record in merged if not record.gone]


def merge(table: Table, versions: list[Record]) -> Record:
    """Merge all versions of one key, oldest first, into one."""
    match table.engine:
        case "first-row":
            return versions[0]
        case "deduplicate":
            return versions[-1]
    found = dict(versions[0].values)
    for record in versions[1:]:
        for field_id, value in record.values.items():
            if value is None:
                continue
            old = found[field_id]
            found[field_id] = old + value if field_id in table.sums and old is not None else value
    return Record(found, versions[-1].sequence)


def assembled(table: Table, files: list[DataFile]) -> list[Row]:
    """Return rows in the order of row ids, each column from the newest file that has it."""
    rows: dict[int, Row] = {}
    for file in sorted(files, key=lambda one: one.sequence):
        for row_id, record in zip(file.row_ids, file.records, strict=True):
            row = rows.setdefault(row_id, {column.field_id: None for column in table.current.columns})
            converted = table.converted(file, record.values)
            row.update({i: converted[i] for i in file.columns if i in converted})
    return [rows[row_id] for row_id in sorted(rows)]
