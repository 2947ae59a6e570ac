"""A separate process with pypaimon: writes a lake with its filesystem catalog, and reads one with any catalog."""

import datetime as dt
import decimal

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.common.identifier import Identifier
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange

PLAIN = pa.schema([("id", pa.int64()), ("name", pa.string()), ("day", pa.date32()), ("price", pa.decimal128(9, 2))])
NESTED = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        ("tags", pa.list_(pa.string())),
        ("props", pa.map_(pa.string(), pa.int32())),
        ("at", pa.timestamp("us")),
        ("one", pa.struct([("a", pa.int32()), ("b", pa.string())])),
    ]
)


def rows(start, count):
    day = dt.date(2024, 1, 1)
    return [
        {
            "id": i,
            "name": None if i % 4 == 0 else f"name {i} é",
            "day": None if i % 7 == 0 else day + dt.timedelta(days=i % 3),
            "price": decimal.Decimal(i) / 4,
        }
        for i in range(start, start + count)
    ]


def nested(start, count):
    return [
        {
            "id": i,
            "tags": ["x", None, str(i)],
            "props": [("k", i)],
            "at": dt.datetime(2024, 5, 1, 1, 2, 3, i),  # noqa: DTZ001 - a zone-less column
            "one": {"a": i, "b": None},
        }
        for i in range(start, start + count)
    ]


def append(table, data, schema):
    builder = table.new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(pa.Table.from_pylist(data, schema=schema))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def write(warehouse):
    """Write a lake of two databases."""
    catalog = CatalogFactory.create({"warehouse": warehouse})
    made = {
        "shop.plain": (PLAIN, {"options": {"metadata.stats-mode": "full"}, "comment": "as written"}),
        "shop.parted": (PLAIN, {"partition_keys": ["day", "name"]}),
        "shop.keyed": (PLAIN, {"primary_keys": ["id"], "options": {"bucket": "2"}}),
        "shop.nested": (NESTED, {}),
        "shop.empty": (PLAIN, {}),
        "two words.a b+c": (PLAIN, {}),
    }
    for name, (schema, arguments) in made.items():
        identifier = Identifier.from_string(name)
        catalog.create_database(identifier.get_database_name(), True)
        fields = schema
        if "primary_keys" in arguments:
            fields = pa.schema([schema.field(0).with_nullable(False), *list(schema)[1:]])
        catalog.create_table(identifier, Schema.from_pyarrow_schema(fields, **arguments), False)
        table = catalog.get_table(identifier)
        data = nested if schema is NESTED else rows
        if name != "shop.empty":
            for start in (0, 8, 4):
                append(table, data(start, 10), fields)
    parted = catalog.get_table("shop.parted")
    parted.create_tag("first", 1)
    parted.create_tag("second x+y", 2)
    parted.branch_manager().create_branch("old", "first")
    evolve(catalog, "shop.keyed")
    return sorted(made)


def evolve(catalog, name):
    """Add, rename and widen columns, then write again."""
    changes = [
        SchemaChange.add_column("extra", AtomicType("INT"), comment="added later"),
        SchemaChange.rename_column("name", "label"),
    ]
    catalog.alter_table(name, changes, False)
    later = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            ("label", pa.string()),
            ("day", pa.date32()),
            ("price", pa.decimal128(9, 2)),
            ("extra", pa.int32()),
        ]
    )
    data = [{"id": i, "label": f"later {i}", "day": None, "price": None, "extra": i} for i in range(3, 6)]
    append(catalog.get_table(name), data, later)


def read(options, names):
    """Return schema, newest snapshot, planned files and rows of tables; ``a|b|tag`` reads at a tag."""
    catalog = CatalogFactory.create(options)
    return {name: _read(catalog, *name.split("|")) for name in names}


def both(options, others, names):
    """Return the results of :func:`read` for two catalogs."""
    return [read(options, names), read(others, names)]


def _read(catalog, database, name, tag=None):
    try:
        table = catalog.get_table(Identifier(database, name))
        if tag is not None:
            table = table.copy({"scan.tag-name": tag})
        schema = table.table_schema
        snapshot = table.snapshot_manager().get_latest_snapshot()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        return {"failed": f"{type(error).__name__}: {error}"}
    told = {
        "fields": [field.to_dict() for field in schema.fields],
        "keys": [schema.partition_keys, schema.primary_keys],
        "schema_id": schema.id,
        "comment": schema.comment,
        "options": {
            name: value
            for name, value in schema.options.items()
            if name not in ("path", "owner", "createdAt", "createdBy", "updatedAt", "updatedBy")
        },
        "path": str(table.table_path).removeprefix("file://"),
        "snapshot": None if snapshot is None else {k: str(v) for k, v in vars(snapshot).items()},
        "tags": sorted(table.tag_manager().list_tags()),
        "branches": sorted(table.branch_manager().branches()),
    }
    try:
        builder = table.new_read_builder()
        splits = builder.new_scan().plan().splits()
        told["files"] = sorted(file.file_name for split in splits for file in split.files)
        found = builder.new_read().to_arrow(splits).to_pylist()
        told["rows"] = sorted(repr(sorted(row.items())) for row in found)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        told["unread"] = f"{type(error).__name__}: {error}"
    try:
        told["files of one"] = _files_of_one(table)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        told["files of one"] = type(error).__name__
    return told


def _files_of_one(table):
    """Return the files that a scan for one value of the first column keeps."""
    builder = table.new_read_builder()
    column = table.table_schema.fields[0].name
    builder.with_filter(builder.new_predicate_builder().equal(column, 3))
    return sorted(file.file_name for split in builder.new_scan().plan().splits() for file in split.files)


def ask(options, calls):
    """Return the results or exceptions of catalog calls: [[method, [argument…]]…]."""
    answers = []
    for method, arguments in calls:
        try:
            catalog = CatalogFactory.create(options)
            answers.append({"answer": _plain(getattr(catalog, method)(*arguments))})
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
            answers.append({"raised": type(error).__name__, "said": str(error), "because": str(error.__cause__)})
    return answers


def system(options, names):
    """Return the rows of system tables."""
    catalog = CatalogFactory.create(options)
    answers = {}
    for name in names:
        builder = catalog.get_table(name).new_read_builder()
        found = builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()
        answers[name] = sorted(repr(sorted(row.items())) for row in found)
    return answers


def commit(options, name):
    """Write two more rows; return the exception and its cause, or None."""
    table = CatalogFactory.create(options).get_table(name).copy({"commit.max-retries": "0"})
    try:
        append(table, rows(50, 2), PLAIN)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        return {"raised": type(error).__name__, "said": str(error), "because": str(error.__cause__)}
    return None


def _plain(value):
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return _plain(vars(value)) if hasattr(value, "__dict__") else str(value)


def main(what, **arguments):
    return {"write": write, "read": read, "both": both, "ask": ask, "system": system, "commit": commit}[what](
        **arguments
    )
