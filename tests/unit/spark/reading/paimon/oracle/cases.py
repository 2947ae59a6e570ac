"""Small random tables: their files, and the rows by a plain model.

Rows of the model are cells by field id, independent of Arrow, batches and names in files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from lakemuster.spark.reading.model import TableToRead
from tests.unit.spark.reading.paimon.lake import MemoryLake, field_row, file_bytes, planned, schema_row, to_read

Cells = dict[int, Any]
OLD = {0: ("k", "INT"), 1: ("l", "STRING"), 2: ("a", "INT"), 3: ("b", "STRING"), 4: ("s", "INT"), 10: ("t", "DOUBLE")}
NEW = {
    4: ("s", "INT"), 2: ("aa", "BIGINT"), 8: ("b", "BIGINT"), 1: ("l", "STRING"), 0: ("k", "INT"),
    10: ("t", "DOUBLE"), 9: ("d", "TIMESTAMP(3)"),
}  # fmt: skip
INNER = (
    {6: ("x", "INT"), 7: ("y", "INT"), 13: ("w", "STRING")},
    {11: ("z", "INT"), 13: ("w", "STRING"), 6: ("y", "BIGINT")},
)
ROW_ID = 5
PART = 12
TEXTS = ["", "a", "Z", "é", "𝄞", "\uffee"]
SYSTEM = {"_SEQUENCE_NUMBER": "BIGINT", "_VALUE_KIND": "TINYINT"}
ADDS = (0, 2)


@dataclass
class Record:
    """A row in a file of a primary-key table."""

    cells: Cells
    sequence: int
    kind: int


@dataclass
class Case:
    """A table, the files of a split, and the rows that reading must return."""

    lake: MemoryLake
    table: TableToRead
    files: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)


def made_case(random: Random) -> Case:
    """Return a random case of any kind of table."""
    return random.choice([_append, _keyed, _keyed, _keyed, _spread])(random)


def columns_of(version: int) -> dict[int, tuple[str, Any]]:
    """Return a schema's names and types by field id; the type of a ROW is such a mapping too."""
    return {**(NEW if version else OLD), ROW_ID: (("c", "cc")[version], INNER[version])}


def fields_of(version: int, *, keys: Sequence[int] = (), partition: bool = False) -> list[dict[str, Any]]:
    rows = []
    for number, (name, of) in columns_of(version).items():
        kind: Any = of
        if isinstance(of, Mapping):
            members = [field_row(n, inner, text) for n, (inner, text) in of.items()]
            kind = {"type": "struct", "fields": members, "text": f"ROW<{version}>"}
        rows.append(field_row(number, name, kind, required=number in keys))
    return [*rows, *([field_row(PART, "p", "STRING")] if partition else [])]


def random_cells(random: Random, version: int) -> Cells:
    """Return cells of all columns of a version except the keys."""
    values: dict[str, Callable[[], Any]] = {
        "INT": lambda: random.randint(-3, 3),
        "BIGINT": lambda: random.randint(-3, 3) * 10**12,
        "STRING": lambda: random.choice(TEXTS),
        "DOUBLE": lambda: random.choice([-0.0, 0.0, 1.5, -2.0, float("inf")]),
        "TIMESTAMP(3)": lambda: datetime(1970, 1, 1) + timedelta(milliseconds=random.randint(-9, 9)),  # noqa: DTZ001
    }

    def some(of: Any) -> Any:
        if random.random() < 0.2:
            return None
        if isinstance(of, Mapping):
            return {number: some(text) for number, (_, text) in of.items()}
        return values[of]()

    return {number: some(of) for number, (_, of) in columns_of(version).items()}


def as_read(cells: Cells, wanted: Sequence[str], part: str | None = None) -> dict[str, Any]:
    """Return a row of the model in the newest schema."""
    row: dict[str, Any] = {"p": part}
    for number, (name, of) in columns_of(1).items():
        value = cells.get(number)
        if isinstance(of, Mapping) and value is not None:
            value = {inner: value.get(n) for n, (inner, _) in of.items()}
        row[name] = value
    return {name: row[name] for name in wanted}


def written(random: Random, lake: MemoryLake, version: int, rows: Sequence[Cells], **more: Any) -> dict[str, Any]:
    """Write a file of a version; ``systems`` are values of system columns, ``only`` the ids of the columns to write."""
    columns, systems, only = columns_of(version), more.pop("systems", None), more.pop("only", None)
    if only is not None:
        columns = {number: column for number, column in columns.items() if number in only}
    types: dict[str, Any] = {
        name: dict(of.values()) if isinstance(of, Mapping) else of for name, of in columns.values()
    }
    lines = [_line(cells, columns) for cells in rows]
    if systems is not None:
        types = {**SYSTEM, **types}
        lines = [{**line, **system} for line, system in zip(lines, systems, strict=True)]
    form = random.choice(["parquet", "parquet", "orc", "avro"])
    data = file_bytes(form, types, lines, random.choice([1, 3, 50]))
    path = lake.write(f"data-{len(lake.objects)}.{form}", data)
    return planned(path, data, len(rows), schema_id=version, **more)


def _line(cells: Cells, columns: Mapping[int, tuple[str, Any]]) -> dict[str, Any]:
    line = {}
    for number, (name, of) in columns.items():
        value = cells[number]
        if isinstance(of, Mapping) and value is not None:
            value = {inner: value[n] for n, (inner, _) in of.items()}
        line[name] = value
    return line


def _wanted(random: Random, names: Sequence[str]) -> list[str]:
    return random.sample(list(names), random.randint(0 if random.random() < 0.1 else 1, len(names)))


def _deleted(random: Random, lake: MemoryLake, count: int) -> tuple[set[int], dict[str, Any] | None]:
    if random.random() < 0.6 or not count:
        return set(), None
    gone = set(random.sample(range(count), random.randint(0, count)))
    return gone, lake.vector(sorted(gone), wide=random.random() < 0.5, cardinality=random.random() < 0.5)


def _append(random: Random) -> Case:
    lake = MemoryLake()
    schemas = [schema_row(v, fields_of(v, partition=True), partition=["p"]) for v in (0, 1)]
    wanted = _wanted(random, [row["name"] for row in schemas[1]["fields"]])
    case = Case(lake, to_read(schemas, wanted))
    for _ in range(random.randint(1, 4)):
        version, part = random.choice([0, 1]), random.choice([None, "eu"])
        rows = [random_cells(random, version) for _ in range(random.randint(0, 9))]
        gone, vector = _deleted(random, lake, len(rows))
        case.files.append(written(random, lake, version, rows, partition={"p": part}, deletion_vector=vector))
        case.rows += [as_read(cells, wanted, part) for place, cells in enumerate(rows) if place not in gone]
    return case


def _spread(random: Random) -> Case:
    lake = MemoryLake()
    schemas = [schema_row(v, fields_of(v), options={"data-evolution.enabled": "true"}) for v in (0, 1)]
    wanted = _wanted(random, [row["name"] for row in schemas[1]["fields"]])
    case = Case(lake, to_read(schemas, wanted))
    count = random.randint(1, 9)
    merged: list[Cells] = [{} for _ in range(count)]
    for number in range(random.randint(2, 4)):
        version = random.choice([0, 1])
        only = set(columns_of(version)) if not number else set(random.sample(sorted(columns_of(version)), 3))
        rows = [random_cells(random, version) for _ in range(count)]
        names = [columns_of(version)[field_id][0] for field_id in only]
        more = {"write_cols": names if number else None, "max_sequence_number": number, "first_row_id": 7}
        case.files.append(written(random, lake, version, rows, only=only, raw_convertible=False, section=1, **more))
        for cells, new in zip(merged, rows, strict=True):
            cells |= {field_id: new[field_id] for field_id in only}
    gone, vector = _deleted(random, lake, count)
    case.files[0]["deletion_vector"] = vector
    random.shuffle(case.files)
    case.rows = [as_read(cells, wanted) for place, cells in enumerate(merged) if place not in gone]
    return case


def _keyed(random: Random) -> Case:
    lake = MemoryLake()
    keys = random.choice([(0,), (1,), (0, 1), (1, 0)])
    options = {"merge-engine": random.choice(["deduplicate", "deduplicate", "first-row"])}
    sequence = random.choice([(), (), (4,), (10,), (4, 10)])
    options["sequence.field"] = ",".join(NEW[number][0] for number in sequence)
    descending = random.random() < 0.4
    options["sequence.field.sort-order"] = "descending" if descending else "ascending"
    ignores = random.random() < 0.3
    options[random.choice(["ignore-delete", "deduplicate.ignore-delete"])] = str(ignores).lower()
    names = [NEW[number][0] for number in keys]
    schemas = [schema_row(v, fields_of(v, keys=keys), primary=names, options=options) for v in (0, 1)]
    wanted = _wanted(random, [row["name"] for row in schemas[1]["fields"]])
    case = Case(lake, to_read(schemas, wanted))
    deletes = options["merge-engine"] == "deduplicate" or ignores
    model = Model(keys, sequence, descending, options["merge-engine"] == "first-row", ignores)
    live: list[Record] = []
    number = 0
    for _ in range(random.randint(1, 5)):
        version = random.choice([0, 1])
        held: dict[tuple[Any, ...], Record] = {}
        for _ in range(random.randint(1, 12)):
            number += 1
            cells = random_cells(random, version) | {0: random.randint(0, 4), 1: random.choice(TEXTS)}
            kind = random.choice([0, 0, 0, 2, 1, 3]) if deletes else 0
            held[model.key(cells)] = Record(cells, number, kind)
        records = [held[key] for key in sorted(held)]
        cut = random.randint(0, len(records)) if random.random() < 0.4 else len(records)
        for part in (records[:cut], records[cut:]):
            if part:
                live += _add(random, case, part, version, names, keys)
    random.shuffle(case.files)
    case.rows = [as_read(record.cells, wanted) for record in model.merged(live)]
    if random.random() < 0.5:
        case.rows += _alone(random, case, wanted)
    return case


def _add(
    random: Random, case: Case, records: Sequence[Record], version: int, names: Sequence[str], keys: Sequence[int]
) -> list[Record]:
    """Write a file of a section; return the records that its deletion vector leaves."""
    systems = [{"_SEQUENCE_NUMBER": record.sequence, "_VALUE_KIND": record.kind} for record in records]
    gone, vector = _deleted(random, case.lake, len(records))
    least: dict[str, Any] | None = {name: records[0].cells[key] for name, key in zip(names, keys, strict=True)}
    if random.random() < 0.2:
        least = None
    rows = [record.cells for record in records]
    level = random.choice([0, 0, 1, 5])
    more = {"raw_convertible": False, "section": 3, "deletion_vector": vector, "min_key": least, "level": level}
    case.files.append(written(random, case.lake, version, rows, systems=systems, delete_row_count=1, **more))
    return [record for place, record in enumerate(records) if place not in gone]


def _alone(random: Random, case: Case, wanted: Sequence[str]) -> list[dict[str, Any]]:
    """Write a file with keys of its own, which needs no merging; return its rows."""
    counted = random.random() < 0.5
    cells = [random_cells(random, 1) | {0: 100 + place, 1: "~"} for place in range(random.randint(1, 5))]
    kinds = [0 if counted else random.choice([0, 2, 3]) for _ in cells]
    systems = [{"_SEQUENCE_NUMBER": place, "_VALUE_KIND": kind} for place, kind in enumerate(kinds)]
    gone, vector = _deleted(random, case.lake, len(cells))
    more = {"deletion_vector": vector, "delete_row_count": 0 if counted else None, "level": 5}
    case.files.append(written(random, case.lake, 1, cells, systems=systems, **more))
    left = [(one, kind) for place, (one, kind) in enumerate(zip(cells, kinds, strict=True)) if place not in gone]
    return [as_read(one, wanted) for one, kind in left if kind in ADDS]


@dataclass(frozen=True)
class Model:
    """The merging of the rows of a key."""

    keys: tuple[int, ...]
    sequence: tuple[int, ...]
    descending: bool
    keeps_first: bool
    ignores_deletes: bool

    def key(self, cells: Cells) -> tuple[Any, ...]:
        """Return a sort key in the order of keys: text by UTF-8 bytes."""
        return tuple(cells[n].encode() if isinstance(cells[n], str) else cells[n] for n in self.keys)

    def age(self, record: Record) -> tuple[Any, ...]:
        """Return a sort key that is largest for the newest record."""
        parts: list[Any] = []
        for number in self.sequence:
            value = record.cells[number]
            parts.append((0, 0) if value is None else (1, -value if self.descending else value))
        return (*parts, record.sequence)

    def merged(self, records: Sequence[Record]) -> list[Record]:
        """Return at most one record of each key."""
        by_key: dict[tuple[Any, ...], list[Record]] = {}
        for record in records:
            if record.kind in ADDS or not self.ignores_deletes:
                by_key.setdefault(self.key(record.cells), []).append(record)
        choose = min if self.keeps_first else max
        found = [choose(same, key=self.age) for _, same in sorted(by_key.items())]
        return [record for record in found if record.kind in ADDS]
