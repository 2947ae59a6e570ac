"""A simplified LSM tree: flushes to level 0, compactions, upgrades, and lookups that write deletion vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random

from tests.unit.planner.paimon.oracle.model import DataFile, Entry, Partition, Record, Table, merge
from tests.unit.planner.paimon.oracle.values import chance, place

LAST_LEVEL = 5
Make = Callable[[Partition, int, int, list[Record]], DataFile]
"""Writes records to a file of a partition, bucket and level."""


@dataclass
class Tree:
    """The LSM tree of one bucket."""

    rng: Random
    table: Table
    group: tuple[Partition, int]
    make: Make

    @property
    def files(self) -> list[DataFile]:
        return [file for file in self.table.live if file.group == self.group]

    def key(self, record: Record) -> tuple[object, ...]:
        return tuple(place(record.values[field_id]) for field_id in self.table.keys)

    def merged(self, records: Iterable[Record]) -> list[Record]:
        """Return the merged record of each key, in key order."""
        by_key: dict[tuple[object, ...], list[Record]] = {}
        for record in records:
            by_key.setdefault(self.key(record), []).append(record)
        return [merge(self.table, sorted(by_key[key], key=lambda one: one.sequence)) for key in sorted(by_key)]

    def flush(self, records: list[Record]) -> list[Entry]:
        return [(True, self.make(*self.group, 0, self.merged(records)))]

    def compact(self, level: int) -> list[Entry]:
        """Rewrite all files of the levels up to ``level`` as files of that level."""
        taken = [file for file in self.files if file.level <= level]
        above = [file for file in self.files if file.level > level]
        if not taken:
            return []
        records = [r for file in taken for r in self.table.stored(file, self.table.vector(file))]
        looks_up = self.table.has_vectors or self.table.engine == "first-row"
        if looks_up:
            records = self.looked_up(records, above)
        output = self.merged(records)
        if self.table.engine == "first-row":
            older = {self.key(r) for file in above for r in self.table.stored(file, frozenset())}
            output = [record for record in output if self.key(record) not in older]
        elif not above or self.table.has_vectors:
            output = [record for record in output if not record.gone]
        for file in taken:
            self.table.vectors.get(self.group, {}).pop(file.name, None)
        entries: list[Entry] = [(False, file) for file in taken]
        return entries + [(True, self.make(*self.group, level, part)) for part in self.cut(output)]

    def looked_up(self, records: list[Record], above: list[DataFile]) -> list[Record]:
        """Return records with their older versions from higher levels, which deletion vectors now delete there."""
        if not self.table.has_vectors:
            return records
        wanted = {self.key(record) for record in records}
        older = []
        for file in above:
            vector = self.table.vector(file)
            for position, record in enumerate(self.table.stored(file, frozenset())):
                if position not in vector and self.key(record) in wanted:
                    older.append(record)
                    vector = vector | {position}
            if vector:
                self.table.vectors.setdefault(self.group, {})[file.name] = vector
        return records + older

    def cut(self, records: list[Record]) -> list[list[Record]]:
        parts, rest = [], records
        while rest:
            count = self.rng.randrange(1, len(rest) + 1)
            parts.append(rest[:count])
            rest = rest[count:]
        return parts

    def upgrade(self) -> list[Entry]:
        """Move a file that overlaps no other to a higher level, under its name and unchanged."""
        files = self.files
        for file in files:
            others = [other for other in files if other is not file]
            keys = [self.key(r) for r in self.table.stored(file, frozenset())]
            low, high = min(keys), max(keys)
            free = all(
                max(self.key(r) for r in self.table.stored(o, frozenset())) < low
                or min(self.key(r) for r in self.table.stored(o, frozenset())) > high
                for o in others
            )
            gone = any(record.gone for record in file.records)
            if free and not gone and file.level < LAST_LEVEL and chance(self.rng, 60):
                level = LAST_LEVEL if file.level else self.rng.choice([1, LAST_LEVEL])
                return [(False, file), (True, replace(file, level=level))]
        return []
