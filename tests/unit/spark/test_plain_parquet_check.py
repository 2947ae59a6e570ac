"""The conditions for reading a table's files by column name; unknown facts forbid it."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.spark import NotPlainParquet
from lakemuster.spark.plain_parquet_check import check_files, file_requirements
from lakemuster.spark.plain_parquet_formats import NAME_MAPPING, FileRequirements, columns_of

NO_SPEC: list[dict[str, Any]] = [{"spec_id": 0, "fields": []}]


def column(id: int, name: str, type: Any = "long") -> dict[str, Any]:
    return {"id": id, "name": name, "required": False, "type": type}


def schema(id: int, *columns: dict[str, Any]) -> dict[str, Any]:
    return {"schema_id": id, "fields": list(columns)}


PLAIN = schema(0, column(1, "id"), column(2, "name", "string"))
MORE = schema(1, column(1, "id"), column(2, "name", "string"), column(3, "more"))
BY_NAME = [{"spec_id": 0, "fields": [{"transform": "identity", "source_ids": [2]}]}]
BY_BUCKET = [{"spec_id": 0, "fields": [{"transform": "bucket[4]", "source_ids": [2]}]}]


def read(
    *schemas: dict[str, Any],
    format: str = "iceberg",
    specs: list[dict[str, Any]] = NO_SPEC,
    properties: dict[str, str] | None = None,
    **rest: Any,
) -> FileRequirements:
    return file_requirements("shop.orders", format, schemas[-1], schemas, specs, properties or {}, **rest)


def refusal(*schemas: dict[str, Any], **rest: Any) -> str:
    with pytest.raises(NotPlainParquet) as refused:
        read(*schemas, **rest)
    assert refused.value.file_path is None
    return refused.value.reason


def file(**changes: Any) -> dict[str, Any]:
    whole = {"file_path": "s3://b/t/f.parquet", "content": "data", "file_format": "parquet", "deletes": []}
    return whole | changes


def problem(requirements: FileRequirements, **changes: Any) -> str | None:
    try:
        check_files(requirements, pa.Table.from_pylist([file(**changes)]))
    except NotPlainParquet as refused:
        return refused.reason if refused.file_path == file(**changes)["file_path"] else "of another file"
    return None


def test_a_table_of_one_schema_is_plain():
    assert read(PLAIN).shown == ()
    assert problem(read(PLAIN)) is None
    assert problem(read(PLAIN, PLAIN | {"schema_id": 1})) is None
    assert read(PLAIN, specs=BY_BUCKET).shown == ()


@pytest.mark.parametrize(
    ("earlier", "reason"),
    [
        (schema(0, column(1, "id"), column(2, "title", "string")), "renamed or dropped"),
        (schema(0, column(1, "id"), column(2, "name", "string"), column(4, "gone")), "renamed or dropped"),
        (schema(0, column(1, "id"), column(4, "name", "string")), "another column of that name"),
        (schema(0, column(1, "id", "int"), column(2, "name", "string")), "its id is int, not long"),
        (schema(0, column(2, "id"), column(1, "name", "string")), "another column of that name"),
    ],
)
def test_an_earlier_schema_that_differs_stands_against_it(earlier, reason):
    now = PLAIN | {"schema_id": 1}
    assert reason in refusal(earlier, now)
    assert reason in refusal(now | {"schema_id": 0}, earlier | {"schema_id": 2}, PLAIN | {"schema_id": 1})


def test_nested_columns_count():
    def place(*members: dict[str, Any]) -> dict[str, Any]:
        return column(1, "place", {"type": "struct", "fields": list(members)})

    many = {
        "type": "list",
        "element-id": 5,
        "element": {"type": "map", "key-id": 6, "key": "string", "value-id": 7, "value": "int"},
    }
    assert list(columns_of([place(column(2, "lat")), column(4, "m", many)])) == [
        "place", "place.lat", "m", "m.element", "m.element.key", "m.element.value",
    ]  # fmt: skip
    assert "place.lat" in refusal(schema(0, place(column(2, "lat"))), schema(1, place(column(2, "lon"))))
    added = read(schema(0, place(column(2, "lat"))), schema(1, place(column(2, "lat"), column(3, "zip"))))
    assert added.shown == ("place.zip",)


def test_an_added_column_must_be_seen_in_each_file():
    requirements = read(PLAIN, MORE)
    assert requirements.shown == ("more",)
    assert problem(requirements, column_sizes={"more": 7}) is None
    assert problem(requirements, column_sizes={"more": None}) == "it is not known to hold column more"
    assert problem(requirements) == "it is not known to hold column more"


def test_a_column_of_identity_partitions_must_be_seen_in_each_file():
    iceberg = read(PLAIN, specs=BY_NAME)
    assert problem(iceberg, column_sizes={"name": 7}) is None
    assert problem(iceberg) == "it is not known to hold column name"
    paimon = read(PLAIN, specs=BY_NAME, format="paimon")
    assert problem(paimon, schema_id=0, null_value_counts={"name": 0}) is None
    assert problem(paimon, schema_id=0, null_value_counts={"name": None}) == "it is not known to hold column name"


def test_a_forgotten_schema_stands_against_it():
    assert (
        refusal(PLAIN, MORE | {"schema_id": 2})
        == "schema 1 is no longer recorded, and files may have been written with it"
    )
    assert refusal(MORE) == "schema 0 is no longer recorded, and files may have been written with it"


@pytest.mark.parametrize("name", ["odd name", "a.b", "é", "1st", "x-y"])
def test_a_name_that_icebergs_writers_spell_otherwise(name):
    assert "another name in the files" in refusal(schema(0, column(1, name)))
    assert problem(read(schema(0, column(1, name)), format="paimon"), schema_id=0) is None


def test_names_that_differ_by_case_alone():
    twice = schema(0, column(1, "id"), column(2, "ID"))
    assert "only in case" in refusal(twice)
    assert problem(read(twice, is_case_sensitive=True)) is None


@pytest.mark.parametrize(
    ("format", "type", "is_read"),
    [
        ("iceberg", "uuid", False),
        ("iceberg", "time", False),
        ("iceberg", "timestamp_ns", False),
        ("iceberg", "variant", False),
        ("iceberg", "timestamp", True),
        ("iceberg", "decimal(9, 2)", True),
        ("paimon", "TIME(3)", False),
        ("paimon", "TIMESTAMP(9)", False),
        ("paimon", "TIMESTAMP(9) WITH LOCAL TIME ZONE", False),
        ("paimon", "TIMESTAMP(6)", True),
        ("paimon", "TIMESTAMP(6) WITH LOCAL TIME ZONE", True),
        ("paimon", "VARCHAR(9)", True),
        ("paimon", "BLOB", False),
    ],
)
def test_types_that_spark_reads_otherwise(format, type, is_read):
    of = schema(0, column(1, "c", type))
    if is_read:
        read(of, format=format)
    else:
        assert refusal(of, format=format).startswith(f"column c is {type}")


def test_a_name_mapping_that_names_a_column_otherwise():
    def mapping(*names: str) -> dict[str, str]:
        return {NAME_MAPPING: json.dumps([{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": names}])}

    assert "may have another name for column name" in refusal(PLAIN, properties=mapping("name", "title"))
    assert "cannot be read" in refusal(PLAIN, properties={NAME_MAPPING: "{"})
    assert read(PLAIN, properties=mapping("name")).shown == ("id", "name")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"deletes": [0, 3]}, "2 delete files apply"),
        ({"deletion_vector": {"file_path": "v"}}, "a deletion vector applies"),
        ({"raw_convertible": False}, "it must be merged with others"),
        ({"file_format": "orc"}, "its format is orc"),
        ({"key_metadata": b"k"}, "it is encrypted"),
        ({"content": "changelog"}, "it holds changelog"),
        ({"file_path": "/t/d=a*/f.parquet"}, "Spark would read its path as a pattern"),
        ({"file_path": "/t/_f.parquet"}, "Spark skips files with such names"),
        ({"file_path": "/t/.f.parquet"}, "Spark skips files with such names"),
    ],
)
def test_what_stands_against_a_file(changes, reason):
    assert problem(read(PLAIN), **changes) == reason


def test_a_file_that_is_there_twice():
    with pytest.raises(NotPlainParquet, match="twice"):
        check_files(read(PLAIN), pa.Table.from_pylist([file(), file()]))


def test_paimons_files_say_their_schema():
    requirements = read(PLAIN, MORE, format="paimon")
    assert problem(requirements, schema_id=1, raw_convertible=True) is None
    assert problem(requirements, schema_id=0) == "its schema 0 differs: it has no column more"
    assert problem(requirements, schema_id=7) == "its schema 7 is not known"
    assert problem(requirements, schema_id=1, write_cols=["id", "name"]) == "it was written without column more"
    assert problem(requirements, schema_id=1, write_cols=["id", "name", "more"]) is None


def test_paimons_defaults_that_are_filled_in_on_reading():
    assert "filled in" in refusal(PLAIN, format="paimon", properties={"fields.name.default-value": "x"})


def test_the_refusal_says_all_and_survives_pickling():
    refused = NotPlainParquet("shop.orders", "2 delete files apply", "s3://b/f")
    assert str(refused) == "shop.orders cannot be read as plain Parquet files: 2 delete files apply (s3://b/f)"
    again = pickle.loads(pickle.dumps(refused))
    assert (str(again), again.table, again.reason, again.file_path) == (
        str(refused), "shop.orders", "2 delete files apply", "s3://b/f",
    )  # fmt: skip
