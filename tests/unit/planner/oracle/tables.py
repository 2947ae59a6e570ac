"""Random tables with a history: schemas and specs evolve, data files and delete files are written."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from lakemuster.metadata.files import ADDED, DELETED, EXISTING
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive, StructType
from lakemuster.metadata.values import json_value
from tests.unit.planner.oracle.deletes import delete_files
from tests.unit.planner.oracle.metrics import Writer
from tests.unit.planner.oracle.model import DataFile, DeleteFile, Manifest, Row, Table, bits, leaves
from tests.unit.planner.oracle.values import (
    PROMOTIONS,
    TYPES,
    chance,
    some_value,
    transformed,
    transforms_of,
)

UNKNOWN_TRANSFORM = "zorder[2]"
_STRUCT = 90
THEMES = {
    "everything": sorted(TYPES),
    "numbers": ["int", "long", "decimal(4,1)"],
    "floats": ["float", "double"],
    "times": ["date", "timestamp", "timestamp_ns"],
    "texts": ["string", "string", "binary"],
}
"""Column types by theme: all, or types with special rules: promotions, NaN, partitions by time, prefixes."""


class History:
    """A builder of one table, snapshot by snapshot."""

    def __init__(self, rng: Random, theme: str | None) -> None:
        self.rng = rng
        self.format_version = rng.choice([1, 2, 2, 3])
        self.theme = THEMES[theme or rng.choice(sorted(THEMES))]
        self.schemas: list[Schema] = []
        self.specs: list[tuple[PartitionSpec, int, bool]] = []
        self.defaults: dict[int, Any] = {}
        self._next_id = 0
        self._next_partition = 1000

    def build(self) -> Table:
        rng = self.rng
        fields = [self._column(required=chance(rng, 25)) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
        if chance(rng, 20):
            members = tuple(self._column(required=chance(rng, 30), name=name) for name in ("x", "y"))
            fields.append(Field(_STRUCT, "s", StructType(members)))
        self.schemas.append(Schema(0, tuple(fields)))
        self._add_spec()
        for version in range(1, rng.choice([1, 2, 2, 3, 4])):
            self.schemas.append(Schema(version, self._evolved(self.schemas[-1].fields)))
            if chance(rng, 60):
                self._add_spec()
        return self._table()

    def _column(self, *, required: bool, name: str | None = None, default: bool = False) -> Field:
        self._next_id += 1
        of = TYPES[self.rng.choice(self.theme)]
        made = Field(self._next_id, name or f"c{self._next_id}", of, required)
        if default:
            value = some_value(self.rng, of, nulls=False)
            self.defaults[made.field_id] = value
            made = replace(made, initial_default=json_value(of, value))
        return made

    def _evolved(self, fields: tuple[Field, ...]) -> tuple[Field, ...]:
        rng, found = self.rng, list(fields)
        for at, column in enumerate(found):
            if isinstance(column.type, Primitive):
                found[at] = self._changed(column)
        step = rng.randrange(5)
        if step == 0 and len(found) > 1:
            dropped = found.pop(rng.randrange(len(found)))
            if chance(rng, 50):
                found.append(replace(self._column(required=False), name=dropped.name))
        elif step in (1, 2):
            found.append(self._column(required=False, default=chance(rng, 40)))
        elif step == 3 and len(found) > 1:
            first, second = rng.sample(range(len(found)), 2)
            one, other = found[first], found[second]
            found[first], found[second] = replace(one, name=other.name), replace(other, name=one.name)
        return tuple(found)

    def _changed(self, column: Field) -> Field:
        assert isinstance(column.type, Primitive)
        wider = PROMOTIONS.get(column.type.text)
        if chance(self.rng, 10):
            column = replace(column, required=False)
        if wider is None or chance(self.rng, 20):
            return column
        if wider == "timestamp" and (self._is_source(column.field_id) or column.field_id in self.defaults):
            return column
        return replace(column, type=TYPES[wider])

    def _is_source(self, field_id: int) -> bool:
        return any(
            own.transform != "void" and field_id in own.source_ids for spec, _, _ in self.specs for own in spec.fields
        )

    def _add_spec(self) -> None:
        rng = self.rng
        own = list(leaves(self.schemas[-1].fields))
        first = 1000 if self.format_version == 1 else self._next_partition
        fields = []
        for number in range(rng.choice([0, 1, 1, 1, 2, 2])):
            field_id, path, of = rng.choice(own)
            transform, sources = rng.choice(transforms_of(of)), [field_id]
            if chance(rng, 5):
                transform, sources = UNKNOWN_TRANSFORM, sorted({field_id, rng.choice(own)[0]})
            fields.append(PartitionField(first + number, f"{path}_{number}", transform, tuple(sources)))
        self._next_partition = first + len(fields)
        self.specs.append((PartitionSpec(len(self.specs), tuple(fields)), len(self.schemas) - 1, chance(rng, 35)))

    def _table(self) -> Table:
        rng = self.rng
        files = [self._file(number) for number in range(rng.randrange(1, 9))]
        snapshot_version = rng.randrange(max(file.version for file in files), len(self.schemas))
        deletes = (
            [] if self.format_version == 1 else delete_files(rng, files, self.schemas, [s for s, *_ in self.specs])
        )
        return Table(
            self.format_version,
            tuple(self.schemas),
            snapshot_version,
            tuple(spec for spec, *_ in self.specs),
            self._manifests(files),
            self._manifests(deletes),
            self.defaults,
            1 + len(files) % 4,
        )

    def _file(self, number: int) -> DataFile:
        rng = self.rng
        spec, since, late = rng.choice(self.specs)
        sources = {i for own in spec.fields for i in own.source_ids}
        versions = [v for v in range(since, len(self.schemas)) if sources <= self.schemas[v].by_id.keys()]
        version = rng.choice(versions)
        schema = self.schemas[version]
        candidates = self._rows(schema, rng.choice([0, 1, 2, 3, 5]))
        constant = rng.randrange(2)
        partition = self._partition(spec, schema, candidates[0] if candidates else self._row(schema), constant, late)
        key = [bits(value) for value in partition.values()]
        rows = [
            row
            for row in candidates
            if [bits(value) for value in self._partition(spec, schema, row, constant, late).values()] == key
        ]
        self._mix_zeros(spec, partition, rows)
        return DataFile(
            path=f"s3://table/{number % 10}{rng.choice('ab')}/{number}",
            version=version,
            spec=spec,
            partition=partition,
            rows=rows,
            sequence=0 if self.format_version == 1 else rng.randrange(4),
            record_count=-1 if chance(rng, 4) else len(rows),
            statistics=Writer(rng).statistics(schema, rows),
            late=late,
        )

    def _rows(self, schema: Schema, count: int) -> list[Row]:
        """Return rows, some of which share most values with the first."""
        rows = [self._row(schema) for _ in range(count)]
        return rows[:1] + [
            {i: rows[0][i] if chance(self.rng, 70) else value for i, value in row.items()}
            if chance(self.rng, 60)
            else row
            for row in rows[1:]
        ]

    def _row(self, schema: Schema) -> Row:
        row: Row = {}
        for column in schema.fields:
            if isinstance(column.type, StructType):
                missing = chance(self.rng, 20)
                for member in column.type.fields:
                    assert isinstance(member.type, Primitive)
                    value = some_value(self.rng, member.type, nulls=not member.required)
                    row[member.field_id] = None if missing else value
            elif isinstance(column.type, Primitive):
                row[column.field_id] = some_value(self.rng, column.type, nulls=not column.required)
        return row

    def _partition(self, spec: PartitionSpec, schema: Schema, row: Row, constant: int, late: bool) -> dict[int, Any]:
        """Return partition values; ``late`` writers round times before 1970 up to the next partition."""
        found: dict[int, Any] = {}
        for own in spec.fields:
            if own.transform == UNKNOWN_TRANSFORM:
                found[own.field_id] = constant
                continue
            of = schema.primitive(own.source_ids[0])
            assert of is not None
            value = row[own.source_ids[0]]
            found[own.field_id] = transformed(own.transform, of, value)
            if late and value is not None and is_time(own, of) and value < 0:
                found[own.field_id] += found[own.field_id] == transformed(own.transform, of, value - 1)
        return found

    def _mix_zeros(self, spec: PartitionSpec, partition: dict[int, Any], rows: list[Row]) -> None:
        """Mix -0.0 and 0.0 in one file, as engines do that treat them as equal."""
        for own in spec.fields:
            if own.transform == "identity" and partition[own.field_id] == 0.0:
                for row in rows:
                    if isinstance(row[own.source_ids[0]], float) and chance(self.rng, 30):
                        row[own.source_ids[0]] = -row[own.source_ids[0]]

    def _manifests(self, files: list[Any]) -> list[Manifest]:
        rng = self.rng
        found = []
        for spec, _, _ in self.specs:
            own = [file for file in files if file.spec is spec]
            while own:
                count = rng.choice([len(own), rng.randrange(1, len(own) + 1)])
                found.append(self._manifest(spec, own[:count]))
                own = own[count:]
        rng.shuffle(found)
        return found

    def _manifest(self, spec: PartitionSpec, files: list[DataFile | DeleteFile]) -> Manifest:
        rng = self.rng
        summaries = tuple(not chance(rng, 15) for _ in spec.fields)
        return Manifest(
            spec=spec,
            version=rng.randrange(max(file.version for file in files), len(self.schemas)),
            entries=[(file, DELETED if chance(rng, 15) else rng.choice([EXISTING, ADDED])) for file in files],
            sequence=max(file.sequence for file in files),
            inherits=chance(rng, 50),
            summaries=None if chance(rng, 10) else summaries,
            knows_nan=(odd := rng.randrange(100)) >= 30,
            inverted=odd >= 92,
        )


def is_time(field: PartitionField, of: Primitive) -> bool:
    """Return whether partition values are computed from times; days of dates are the dates themselves."""
    return field.transform in ("year", "month", "hour") or (field.transform == "day" and of.kind is not Kind.DATE)


def some_table(rng: Random, theme: str | None = None) -> Table:
    """Return a small random table with a history, with columns of the theme's types."""
    return History(rng, theme).build()
