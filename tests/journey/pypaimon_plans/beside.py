"""A separate process with pypaimon: writes tables of every kind that it supports, plans filters, and reads files."""

import datetime as dt
import decimal
import os
import random

import pyarrow as pa
from pypaimon import CatalogFactory, Schema

EPOCH = dt.date(1970, 1, 1)
COLUMNS = [
    ("id", pa.int64()),
    ("num", pa.int32()),
    ("name", pa.string()),
    ("score", pa.float64()),
    ("price", pa.decimal128(4, 1)),
    ("day", pa.date32()),
    ("dt", pa.string()),
    ("region", pa.int32()),
]
FULL = {"metadata.stats-mode": "full"}
EVOLVED = {"bucket": "-1", "row-tracking.enabled": "true", "data-evolution.enabled": "true", **FULL}
KEYED = {"bucket": "2", **FULL}
TABLES = {
    "plain": {"options": FULL},
    "nostats": {"options": {}, "partition_keys": ["dt"]},
    "parted": {"options": FULL, "partition_keys": ["dt", "region"]},
    "bucketed": {"options": {"bucket": "4", "bucket-key": "num,name", **FULL}},
    "tracked": {"options": {"bucket": "-1", "row-tracking.enabled": "true", **FULL}},
    "evolved": {"options": EVOLVED},
    "evolved_parted": {"options": EVOLVED, "partition_keys": ["region"]},
    "deleted": {"options": {"deletion-vectors.enabled": "true", **EVOLVED}},
    "keyed": {"options": KEYED, "primary_keys": ["id"]},
    "keyed_parted": {"options": KEYED, "primary_keys": ["dt", "id"], "partition_keys": ["dt"]},
    "keyed_twice": {"options": {**KEYED, "bucket": "3", "bucket-key": "num"}, "primary_keys": ["num", "name"]},
    "dynamic": {"options": {**KEYED, "bucket": "-1"}, "primary_keys": ["id"]},
    "partial": {"options": {**KEYED, "merge-engine": "partial-update"}, "primary_keys": ["id"]},
    "summed": {
        "options": {**KEYED, "merge-engine": "aggregation", "fields.num.aggregate-function": "sum"},
        "primary_keys": ["id"],
    },
    "first": {"options": {**KEYED, "merge-engine": "first-row"}, "primary_keys": ["id"]},
    "postponed": {"options": {**KEYED, "bucket": "-2"}, "primary_keys": ["id"]},
}


def rows(dice, start, count, keys):
    def some(name, value):
        return None if name not in keys and dice.random() < 0.15 else value

    return [
        {
            "id": i,
            "num": some("num", dice.randrange(-3, 12)),
            "name": some("name", dice.choice(["", "a", "ab", "abc", "b", "é", "zz", "a name of many bytes"])),
            "score": some("score", dice.choice([-1.5, 0.0, 0.5, 2.0, 10.25])),
            "price": some("price", decimal.Decimal(dice.randrange(-20, 20)) / 10),
            "day": some("day", EPOCH + dt.timedelta(days=dice.randrange(-3, 400))),
            "dt": dice.choice(["2024-01-01", "2024-01-02"]) if "dt" in keys else some("dt", f"2024-01-0{i % 3 + 1}"),
            "region": some("region", i % 2),
        }
        for i in range(start, start + count)
    ]


def commit(builder, messages):
    done = builder.new_commit()
    done.commit(messages)
    done.close()


def write(table, data):
    builder = table.new_batch_write_builder()
    writer = builder.new_write()
    writer.write_arrow(data)
    commit(builder, writer.prepare_commit())
    writer.close()


def write_tables(warehouse):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    catalog.create_database("db", True)
    for number, (name, arguments) in enumerate(TABLES.items()):
        dice = random.Random(number)
        keys = arguments.get("primary_keys", [])
        schema = pa.schema([pa.field(column, of, nullable=column not in keys) for column, of in COLUMNS])
        catalog.create_table(f"db.{name}", Schema.from_pyarrow_schema(schema, **arguments), False)
        table = catalog.get_table(f"db.{name}")
        for start in (0, 6, 9, 30, 31, 60, 62):
            found = {tuple(row[key] for key in keys) or row["id"]: row for row in rows(dice, start, 8, keys)}
            write(table, pa.Table.from_pylist(list(found.values()), schema=schema))
        if "data-evolution.enabled" in arguments["options"]:
            evolve(table, dice)
        if name == "deleted":
            builder = table.new_batch_write_builder()
            predicates = table.new_read_builder().new_predicate_builder()
            commit(builder, builder.new_update().delete_by_predicate(predicates.is_in("id", [3, 9, 34, 61])))
    return sorted(TABLES)


def evolve(table, dice):
    """Rewrite columns of some rows into separate files."""
    for columns in (["num"], ["name", "score"], ["num", "day"]):
        ids = sorted(dice.sample(range(56), 5))
        values = rows(dice, 100, 5, [])
        types = dict(COLUMNS)
        data = {"_ROW_ID": pa.array(ids, pa.int64())}
        data |= {name: pa.array([row[name] for row in values], types[name]) for name in columns}
        builder = table.new_batch_write_builder()
        commit(builder, builder.new_update().with_update_type(columns).update_by_arrow_with_row_id(pa.table(data)))


METHODS = {
    "=": "equal",
    "!=": "not_equal",
    "<": "less_than",
    "<=": "less_or_equal",
    ">": "greater_than",
    ">=": "greater_or_equal",
    "LIKE": "startswith",
}


def predicate(builder, node):
    """Build a predicate from JSON: ``["AND", […]]``, or an operator, a column and values."""
    word, first, *rest = node
    if word in ("AND", "OR"):
        join = builder.and_predicates if word == "AND" else builder.or_predicates
        return join([predicate(builder, part) for part in first])
    values = [value(one) for one in rest[0]]
    match word:
        case "IS NULL":
            return builder.is_null(first)
        case "IS NOT NULL":
            return builder.is_not_null(first)
        case "IN":
            return builder.is_in(first, values)
        case "NOT IN":
            return builder.is_not_in(first, values)
    return getattr(builder, METHODS[word])(first, values[0])


def value(given):
    if isinstance(given, dict):
        ((kind, held),) = given.items()
        return EPOCH + dt.timedelta(days=held) if kind == "date" else decimal.Decimal(held)
    return given


def sent(given):
    if isinstance(given, dt.datetime):
        return None
    if isinstance(given, dt.date):
        return (given - EPOCH).days
    return str(given) if isinstance(given, decimal.Decimal) else given


class Planned:
    """A table: its complete plan, and parts of it."""

    def __init__(self, table):
        self.table, self.builder = table, table.new_read_builder()
        self.splits = self.builder.new_scan().plan().splits()
        self.read_before = {}

    def files(self, node):
        builder = self.table.new_read_builder()
        builder = builder.with_filter(predicate(builder.new_predicate_builder(), node))
        return sorted(f.file_name for split in builder.new_scan().plan().splits() for f in split.files)

    def rows(self, names):
        """Return the rows of some of the files; each set of files is read once."""
        chosen = frozenset(names)
        if chosen not in self.read_before:
            some = [split.filter_file(lambda file: file.file_name in chosen) for split in self.splits]
            table = self.builder.new_read().to_arrow([split for split in some if split is not None])
            found = table.to_pylist() if table is not None else []
            self.read_before[chosen] = [{name: sent(cell) for name, cell in row.items()} for row in found]
        return self.read_before[chosen]


def table_of(warehouse, name):
    return CatalogFactory.create({"warehouse": warehouse}).get_table(name)


def look(warehouse, names):
    """Return the files and rows of each table, or the error of pypaimon."""
    found = {}
    for name in names:
        try:
            planned = Planned(table_of(warehouse, name))
            files = sorted(file.file_name for split in planned.splits for file in split.files)
            found[name] = {"files": files, "rows": planned.rows(files)}
        except Exception as error:  # noqa: BLE001 - the test knows which tables fail
            found[name] = {"error": f"{type(error).__name__}: {error}"}
    return found


def plan(warehouse, questions):
    """Return, for each table and filter, the files of pypaimon's plan, and the rows of Lakemuster's."""
    found = {}
    for name, asked in questions.items():
        planned = Planned(table_of(warehouse, name))
        answers = found[name] = []
        places, read = {}, []
        for node, ours in asked:
            key = tuple(sorted(ours))
            if key not in places:
                places[key] = len(read)
                read.append(planned.rows(key))
            answers.append({"files": planned.files(node), "rows": places[key]})
        found[name] = {"answers": answers, "read": read}
    return found


def main(action, **arguments):
    os.environ["TZ"] = "UTC"
    return {"write": write_tables, "look": look, "plan": plan}[action](**arguments)
