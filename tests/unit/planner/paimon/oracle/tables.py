"""Small random tables with a history: of every kind and bucket mode, with changing schemas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from tests.unit.planner.paimon.oracle.hashing import bucket_of
from tests.unit.planner.paimon.oracle.lsm import LAST_LEVEL, Tree
from tests.unit.planner.paimon.oracle.model import (
    APPEND,
    EVOLVED,
    KEYED,
    Column,
    DataFile,
    Entry,
    Partition,
    Record,
    Row,
    Statistics,
    Table,
    Version,
)
from tests.unit.planner.paimon.oracle.recorded import MODES, recorded
from tests.unit.planner.paimon.oracle.values import CASTS, INTEGERS, KEYS, POOLS, chance, some_value

ENGINES = ("deduplicate", "deduplicate", "partial-update", "aggregation", "first-row")
VALUES = ("INT", "BIGINT", "SMALLINT", "STRING", "STRING", "NUMERAL", "DOUBLE", "DECIMAL(4, 1)", "DATE", "BOOLEAN")
THEMES = ("append", "keyed", "evolved", "vectors", "first-row", "merging", "postpone", "partial", "casts", "buckets")


NARROW = ("vectors", "first-row", "merging", "partial")
"""Themes whose tables have few buckets, so that versions of one key share a bucket."""


class History:
    """A builder of one table, commit by commit.

    ``theme`` restricts the kind of table, for bugs that show in few tables.
    """

    def __init__(self, rng: Random, theme: str | None = None) -> None:
        self.rng, self.theme = rng, theme
        self.names = self.sequence = self.next_row_id = self.next_id = 0
        self.cast: set[int] = set()
        self.totals: dict[Partition, int] = {}
        self.total = 3
        self.buckets: dict[tuple[object, ...], int] = {}
        self.table = self._table()
        self.modes: dict[int, str] = {}

    # ------------------------------------------------------------------ the table

    def _table(self) -> Table:
        rng = self.rng
        kind = rng.choice([APPEND, APPEND, KEYED, KEYED, KEYED, EVOLVED])
        if self.theme in ("append", "casts"):
            kind = APPEND
        elif self.theme == "evolved":
            kind = EVOLVED
        elif self.theme in ("keyed", "vectors", "first-row", "merging", "postpone", "partial"):
            kind = KEYED
        elif self.theme == "buckets":
            kind = rng.choice([APPEND, KEYED])
        narrow = kind == KEYED and (self.theme in NARROW or chance(rng, 30))
        self.total = 1 if narrow and chance(rng, 75) else 3
        columns = [
            self._column(rng.choice(KEYS))
            for _ in range(0 if narrow or self.theme == "casts" else rng.choice([0, 0, 1, 1, 2]))
        ]
        partition = tuple(column.field_id for column in columns)
        own = [self._column(rng.choice(KEYS)) for _ in range(rng.choice([1, 1, 2]))]
        if self.theme == "buckets" and chance(rng, 40):
            own = [replace(own[0], type="INT"), *own[1:]]
        columns += own + [self._column(rng.choice(VALUES)) for _ in range(rng.choice([1, 2, 3]))]
        if self.theme == "casts":
            columns += [self._column(of) for of in ("NUMERAL", "INT")]
        if kind == EVOLVED and chance(rng, 40):
            columns.append(self._column("BLOB"))
        rng.shuffle(columns)
        table = Table(kind, [Version(0, tuple(columns))], partition, (), {})
        if kind == KEYED:
            self._make_keyed(table, own)
        elif kind == APPEND:
            self._make_append(table, own)
        else:
            table.options |= {"bucket": "-1", "row-tracking.enabled": "true", "data-evolution.enabled": "true"}
        return table

    def _column(self, of: str) -> Column:
        self.next_id += 1
        return Column(self.next_id - 1, f"c{self.next_id}", of)

    def _make_append(self, table: Table, own: list[Column]) -> None:
        rng = self.rng
        bucketed = self.theme == "buckets" or (self.theme != "casts" and chance(rng, 45))
        table.options["bucket"] = "3" if bucketed else "-1"
        if bucketed:
            self._bucket_by(table, own)
        elif chance(rng, 30):
            table.options["row-tracking.enabled"] = "true"
        elif chance(rng, 40):
            table.has_vectors = True
            table.options["deletion-vectors.enabled"] = "true"

    def _bucket_by(self, table: Table, own: list[Column]) -> None:
        chosen = own[: self.rng.choice([1, len(own)])]
        table.bucket_key = tuple(column.field_id for column in chosen)
        if table.kind == APPEND or len(chosen) < len(own):
            table.options["bucket-key"] = ",".join(column.name for column in chosen)
        functions = ["default", "default", "hive"]
        if len(chosen) == 1 and chosen[0].type in INTEGERS:
            functions += ["mod", "mod"]
        if (function := self.rng.choice(functions)) != "default" or chance(self.rng, 20):
            table.options["bucket-function.type"] = function

    def _make_keyed(self, table: Table, own: list[Column]) -> None:
        rng, options = self.rng, table.options
        table.keys = tuple(column.field_id for column in own)
        table.engine = rng.choice(ENGINES)
        if self.theme in ("first-row", "partial"):
            table.engine = {"first-row": "first-row", "partial": "partial-update"}[self.theme]
        if self.theme in ("merging", "vectors"):
            table.engine = "deduplicate"
        if table.engine != "deduplicate" or chance(rng, 30):
            options["merge-engine"] = table.engine
        if table.engine == "aggregation":
            for column in table.current.columns:
                if column.field_id not in (*table.keys, *table.partition):
                    adds = column.type in INTEGERS and chance(rng, 70)
                    table.sums |= {column.field_id} if adds else set()
                    function = "sum" if adds else "last_non_null_value"
                    options[f"fields.{column.name}.aggregate-function"] = function
        if table.engine != "first-row" and self.theme != "merging" and (self.theme == "vectors" or chance(rng, 35)):
            table.has_vectors = True
            options["deletion-vectors.enabled"] = "true"
            if chance(rng, 25):
                options["deletion-vectors.merge-on-read"] = "true"
        table.skips_level_0 = table.engine == "first-row" or (
            table.has_vectors and "deletion-vectors.merge-on-read" not in options
        )
        if self.theme == "postpone" or (self.theme is None and chance(rng, 12)):
            options["bucket"] = "-2"
            self._bucket_by(table, own)
        elif self.theme != "buckets" and chance(rng, 20):
            options["bucket"] = "-1"
            table.dynamic = True
        else:
            options["bucket"] = str(self.total)
            self._bucket_by(table, own)

    # ------------------------------------------------------------------ its past

    def build(self) -> Table:
        rng, table = self.rng, self.table
        for number in range(rng.choice([2, 3, 4, 5, 6])):
            if number and chance(rng, 80 if self.theme == "casts" else 30):
                self._change_schema()
            entries: list[Entry] = []
            table.commits.append(entries)
            for _ in range(rng.choice([2, 3, 4] if self.total == 1 else [1, 1, 2, 3])):
                # Extend in place, so that later steps see the entries.
                entries.extend(self._step())
            if not entries:
                table.commits.pop()
        return table

    def _step(self) -> list[Entry]:
        table, rng = self.table, self.rng
        if table.live and chance(rng, 6) and table.kind != EVOLVED:
            return self._indexed_anew()
        match table.kind:
            case "append":
                return self._append()
            case "keyed":
                return self._keyed()
        return self._evolved()

    def _change_schema(self) -> None:
        rng, table = self.rng, self.table
        columns = list(table.current.columns)
        fixed = {*table.partition, *table.keys, *table.bucket_key}
        free = [c for c in columns if c.field_id not in fixed and c.type != "BLOB"]
        bucketed = [c for c in columns if c.field_id in table.bucket_key and c.type == "INT"]
        if table.kind == APPEND and bucketed and chance(rng, 60 if self.theme == "buckets" else 25):
            # New rows are hashed by another type.
            columns[columns.index(bucketed[0])] = replace(bucketed[0], type="BIGINT")
            table.versions.append(Version(len(table.versions), tuple(columns)))
            return
        change = rng.choice(["add", "drop", "rename", "type", "type", "type", "move"])
        if change == "type" and (castable := [c for c in free if self._types(c)]):
            chosen = rng.choice(castable)
            columns[columns.index(chosen)] = replace(chosen, type=rng.choice(self._types(chosen)))
            self.cast.add(chosen.field_id)
        elif change == "drop" and len(free) > 1 and table.engine != "aggregation":
            columns.remove(rng.choice(free))
        elif change == "rename" and free and table.engine != "aggregation":
            chosen = rng.choice(free)
            self.names += 1
            # Sometimes reuse the name of a dropped or renamed column.
            taken = {c.name for c in columns}
            old = sorted({c.name for v in table.versions for c in v.columns} - taken)
            name = rng.choice(old) if old and chance(rng, 50) else f"r{self.names}"
            columns[columns.index(chosen)] = replace(chosen, name=name)
        elif change == "move":
            rng.shuffle(columns)
        else:
            columns.insert(rng.randrange(len(columns) + 1), self._column(rng.choice(VALUES)))
            if table.engine == "aggregation":
                added = next(c for c in columns if c.field_id == self.next_id - 1)
                table.options[f"fields.{added.name}.aggregate-function"] = "last_non_null_value"
        table.versions.append(Version(len(table.versions), tuple(columns)))

    def _types(self, column: Column) -> list[str]:
        wider = [of for of in CASTS.get(column.type, []) if of in INTEGERS and column.type in INTEGERS]
        if column.field_id in self.table.sums or column.field_id in self.cast:
            return wider if column.field_id in self.table.sums else []
        return CASTS.get(column.type, [])

    def _partition(self) -> Partition:
        known = sorted({file.partition for file in self.table.live}, key=repr)
        if known and chance(self.rng, 70):
            return self.rng.choice(known)
        of = [self.table.current.by_id(field_id) for field_id in self.table.partition]
        return tuple(some_value(self.rng, column.type) for column in of if column)

    def _row(self, partition: Partition) -> Row:
        row: Row = {}
        for column in self.table.current.columns:
            keyed = column.field_id in self.table.keys
            if column.type == "BLOB":
                row[column.field_id] = None if chance(self.rng, 30) else b"blob"
            else:
                row[column.field_id] = some_value(self.rng, column.type, nulls=not keyed)
            if not keyed and self.table.engine in ("partial-update", "aggregation") and chance(self.rng, 40):
                row[column.field_id] = None
        return row | dict(zip(self.table.partition, partition, strict=True))

    def _rows(self, count: int) -> tuple[Partition, list[Row]]:
        """Return a partition and rows of it, some of which share most values."""
        partition = self._partition()
        rows = [self._row(partition) for _ in range(count)]
        likeness = self.rng.choice([0, 50, 95])
        for row in rows[1:]:
            row.update({i: v for i, v in rows[0].items() if chance(self.rng, likeness)})
        return partition, rows

    def _bucket(self, partition: Partition, row: Row) -> tuple[int, int]:
        """Return a row's bucket and the number of buckets, which is -1 without fixed buckets."""
        table = self.table
        if not table.bucket_key:
            if table.dynamic:
                key = (partition, *(row[i] for i in table.keys))
                return self.buckets.setdefault(key, self.rng.randrange(3)), -1
            return 0, -1
        total = self.totals.setdefault(partition, self.rng.choice([1, 2, 3, 4]) if chance(self.rng, 30) else self.total)
        columns = [column for i in table.bucket_key if (column := table.current.by_id(i))]
        function = table.options.get("bucket-function.type", "default")
        values = [row[column.field_id] for column in columns]
        if function == "mod" and values[0] is None:
            return 0, total
        return bucket_of(function, [column.type for column in columns], values, total), total

    def _by_bucket(self, partition: Partition, rows: Sequence[Row]) -> dict[tuple[int, int], list[Row]]:
        found: dict[tuple[int, int], list[Row]] = {}
        for row in rows:
            found.setdefault(self._bucket(partition, row), []).append(row)
        return found

    # ------------------------------------------------------------------ append

    def _append(self) -> list[Entry]:
        rng, table = self.rng, self.table
        files = table.live
        step = rng.choice(["insert", "insert", "insert", "delete", "compact", "mark", "rescale"])
        if files and step == "delete":
            return [(False, rng.choice(files))]
        if files and step == "mark" and table.has_vectors:
            file = rng.choice(files)
            dead = {n for n in range(len(file.records)) if chance(rng, 40)} | table.vector(file)
            if dead and len(dead) < len(file.records):
                table.vectors.setdefault(file.group, {})[file.name] = frozenset(dead)
            return []
        if files and step == "compact":
            return self._compact_append(rng.choice(files))
        if files and step == "rescale" and table.bucket_key:
            return self._rescale(rng.choice(files).partition)
        partition, rows = self._rows(rng.choice([1, 1, 2, 3, 5]))
        return [
            (True, self._file(partition, bucket, 0, [Record(row) for row in some], total))
            for (bucket, total), some in self._by_bucket(partition, rows).items()
        ]

    def _compact_append(self, chosen: DataFile) -> list[Entry]:
        table = self.table
        files = [file for file in table.live if file.group == chosen.group]
        records = [record for file in files for record in table.stored(file, table.vector(file))]
        table.vectors.pop(chosen.group, None)
        entries: list[Entry] = [(False, file) for file in files]
        if records:
            entries.append((True, self._file(*chosen.group, 0, records, chosen.total_buckets)))
        return entries

    def _rescale(self, partition: Partition) -> list[Entry]:
        """Overwrite a partition with another number of buckets."""
        table = self.table
        files = [file for file in table.live if file.partition == partition and file.bucket >= 0]
        records = [r for file in files for r in table.stored(file, table.vector(file))]
        self.totals[partition] = self.rng.choice([1, 2, 3, 4, 5])
        entries: list[Entry] = [(False, file) for file in files]
        for group in [group for group in table.vectors if group[0] == partition]:
            del table.vectors[group]
        for (bucket, total), rows in self._by_bucket(partition, [r.values for r in records]).items():
            entries.append((True, self._file(partition, bucket, 0, [Record(row) for row in rows], total)))
        return entries

    def _indexed_anew(self) -> list[Entry]:
        """Replace a file's entry by one with a new index file."""
        file = self.rng.choice(self.table.live)
        return [(False, file), (True, replace(file, extra_files=(*file.extra_files, f"{file.name}.index")))]

    # ------------------------------------------------------------------ keys

    def _keyed(self) -> list[Entry]:
        rng, table = self.rng, self.table
        groups = sorted({file.group for file in table.live if file.bucket >= 0}, key=repr)
        step = rng.choice(["write", "write", "write", "compact", "compact", "upgrade"])
        if step == "write" or not groups:
            return self._write()
        tree = self._tree(rng.choice(groups))
        if step == "upgrade":
            return tree.upgrade()
        return tree.compact(rng.choice([1, 1, 3, LAST_LEVEL] if self.total == 1 else [1, 3, LAST_LEVEL, LAST_LEVEL]))

    def _tree(self, group: tuple[Partition, int]) -> Tree:
        total = -1 if self.table.dynamic else self.totals.get(group[0], self.total)

        def make(partition: Partition, bucket: int, level: int, records: list[Record]) -> DataFile:
            return self._file(partition, bucket, level, records, total if bucket >= 0 else -2)

        return Tree(self.rng, self.table, group, make)

    def _write(self) -> list[Entry]:
        rng, table = self.rng, self.table
        partition, rows = self._rows(rng.choice([1, 1, 2, 3, 5]))
        known = [r for f in table.live if f.partition == partition for r in table.stored(f, frozenset())]
        for row in rows:
            if known and chance(rng, 80 if self.total == 1 else 60):
                row.update({i: rng.choice(known).values[i] for i in table.keys})
        postponed = table.options["bucket"] == "-2" and chance(rng, 30)
        entries: list[Entry] = []
        for (bucket, _), some in self._by_bucket(partition, rows).items():
            records = [self._version(row) for row in some]
            entries += self._tree((partition, -2 if postponed else bucket)).flush(records)
        return entries

    def _version(self, row: Row) -> Record:
        self.sequence += 1
        return Record(row, self.sequence, self.table.engine == "deduplicate" and chance(self.rng, 20))

    # ------------------------------------------------------------------ data evolution

    def _evolved(self) -> list[Entry]:
        rng, table = self.rng, self.table
        groups = sorted({(f.partition, f.row_ids) for f in table.live if not f.name.endswith(".blob")}, key=repr)
        if groups and chance(rng, 45):
            partition, ids = rng.choice(groups)
            free = [c for c in table.current.columns if c.field_id not in table.partition and c.type != "BLOB"]
            chosen = [c for c in free if chance(rng, 50)] or free[:1]
            rows = [self._row(partition) for _ in ids]
            return [self._columns(partition, ids.start, rows, chosen)]
        partition, rows = self._rows(rng.choice([1, 2, 3, 5]))
        start, self.next_row_id = self.next_row_id, self.next_row_id + len(rows)
        columns = [column for column in table.current.columns if column.type != "BLOB"]
        entries: list[Entry] = []
        if chance(rng, 35) and len(columns) > 1:
            cut = rng.randrange(1, len(columns))
            entries.append(self._columns(partition, start, rows, columns[:cut]))
            columns = columns[cut:]
        entries.append(self._columns(partition, start, rows, columns, whole=not entries))
        for blob in [column for column in table.current.columns if column.type == "BLOB"]:
            at = 0
            while at < len(rows):
                count = rng.randrange(1, len(rows) - at + 1)
                entries.append(self._columns(partition, start + at, rows[at : at + count], [blob]))
                at += count
        return entries

    def _columns(
        self, partition: Partition, start: int, rows: list[Row], columns: list[Column], *, whole: bool = False
    ) -> Entry:
        self.sequence += 1
        records = [Record({column.field_id: row[column.field_id] for column in columns}) for row in rows]
        every = whole and chance(self.rng, 50) and len(columns) == len(self.table.current.columns)
        names = None if every else tuple(column.name for column in columns)
        return True, self._file(partition, 0, 0, records, -1, columns, names, start)

    # ------------------------------------------------------------------ files

    def _file(
        self,
        partition: Partition,
        bucket: int,
        level: int,
        records: list[Record],
        total: int,
        columns: Sequence[Column] | None = None,
        written: tuple[str, ...] | None = None,
        first_row_id: int | None = None,
    ) -> DataFile:
        rng, table = self.rng, self.table
        self.names += 1
        own = list(table.current.columns if columns is None else columns)
        if first_row_id is None and "row-tracking.enabled" in table.options:
            first_row_id, self.next_row_id = self.next_row_id, self.next_row_id + len(records)
            if chance(rng, 30):
                written = (*(column.name for column in own), "_ROW_ID", "_SEQUENCE_NUMBER")
        statistics = {c.field_id: self._statistics(c, records) for c in own}
        dense: tuple[int, ...] | None = None
        if (draw := rng.randrange(10)) < 3 or any(column.type == "BLOB" for column in own):
            dense = tuple(i for i, s in statistics.items() if s != Statistics())
        elif draw == 3:
            dense = ()
        if dense is not None:
            statistics = {i: statistics[i] for i in dense}
        blob = [column.type for column in own] == ["BLOB"]
        return DataFile(
            name=f"data-{self.names}" + (".blob" if blob else ".parquet"),
            partition=partition,
            bucket=bucket,
            total_buckets=total,
            level=level,
            version=table.current.number,
            records=tuple(records),
            columns=tuple(column.field_id for column in own),
            statistics=statistics,
            key_statistics={i: self._key_statistics(i, records) for i in table.keys},
            dense=dense,
            written=written,
            size=rng.choice([1, 40, 100, 300]),
            first_row_id=first_row_id,
            deleted_known=any(record.gone for record in records) or chance(rng, 90),
            sequence=self.sequence,
        )

    def _statistics(self, column: Column, records: list[Record]) -> Statistics:
        mode = self.modes.setdefault(column.field_id, "full" if self.theme == "casts" else self.rng.choice(MODES))
        return recorded(self.rng, mode, column.type, [record.values[column.field_id] for record in records])

    def _key_statistics(self, field_id: int, records: list[Record]) -> Statistics:
        column = self.table.current.by_id(field_id)
        assert column is not None
        mode = self.rng.choice(["full", "full", "full", "truncate(1)", "none"])
        return recorded(self.rng, mode, column.type, [record.values[field_id] for record in records])


def some_table(rng: Random, theme: str | None = None) -> Table:
    """Return a small random table with a history."""
    return History(rng, theme).build()


def kinds_of(table: Table) -> Any:
    """Return a table's kind, merge engine, deletion vectors and bucket mode, for counting."""
    return table.kind, table.engine, table.has_vectors, table.options["bucket"]


__all__ = ["POOLS", "THEMES", "History", "kinds_of", "some_table"]
