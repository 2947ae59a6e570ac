"""Columns that files have with another type than the table, or lack."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakemuster.spark.reading.iceberg import check
from lakemuster.spark.reading.model import NotReadable
from tests.unit.spark.reading.iceberg.lake import column, data_file, file_row, rows, table
from tests.unit.spark.reading.iceberg.writers import write

STAMP = datetime(1969, 12, 31, 23, 59, 59, 999000)  # noqa: DTZ001
HELD = {
    "int is long": ("long", pa.array([-1, None], pa.int32()), [-1, None]),
    "small integers": ("int", pa.array([-1, None], pa.int8()), [-1, None]),
    "float is double": ("double", pa.array([0.5, None], pa.float32()), [0.5, None]),
    "a wider decimal": ("decimal(20, 2)", pa.array([Decimal("-1.10")], pa.decimal128(5, 2)), [Decimal("-1.10")]),
    "date is timestamp": ("timestamp", pa.array([date(1969, 12, 31)]), [datetime(1969, 12, 31)]),  # noqa: DTZ001
    "milliseconds": ("timestamp", pa.array([STAMP, None], pa.timestamp("ms")), [STAMP, None]),
    "nanoseconds, floored": ("timestamp", pa.array([-999_001, None], pa.timestamp("ns")), [STAMP, None]),
    "instants as local times": ("timestamp", pa.array([STAMP], pa.timestamp("us", "UTC")), [STAMP]),
    "local times as instants": ("timestamptz", pa.array([STAMP], pa.timestamp("us")), [STAMP.replace(tzinfo=UTC)]),
    "a zone that Arrow adds": (
        "timestamptz",
        pa.array([STAMP], pa.timestamp("us", "America/New_York")),
        [STAMP.replace(tzinfo=UTC)],
    ),
    "bytes as text": ("string", pa.array([b"\xc3\xa9", None]), ["é", None]),
    "large text": ("string", pa.array(["é", None], pa.large_string()), ["é", None]),
    "a dictionary": ("string", pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"]),
    "fixed": ("fixed[2]", pa.array([b"ab", None], pa.binary(2)), [b"ab", None]),
    "fixed in bytes": ("fixed[2]", pa.array([b"ab", None]), [b"ab", None]),
    "uuid": ("uuid", pa.array([bytes(range(16)), None], pa.uuid()), ["00010203-0405-0607-0809-0a0b0c0d0e0f", None]),
    "a large list": (
        {"type": "list", "element-id": 2, "element": "long", "element-required": False},
        pa.array([[1, None], None, []], pa.large_list(pa.int32())),
        [[1, None], None, []],
    ),
    "lists of one length": (
        {"type": "list", "element-id": 2, "element": "long", "element-required": False},
        pa.array([[1, None], [2, 3]], pa.list_(pa.int32(), 2)),
        [[1, None], [2, 3]],
    ),
    "unknown": ("unknown", pa.array([1, 2]), [None, None]),
    "nothing but nulls": ("string", pa.nulls(2), [None, None]),
}


@pytest.mark.parametrize("name", HELD)
def test_values_are_promoted(tmp_path, name):
    of, array, expected = HELD[name]
    file = data_file(tmp_path / "a.parquet", [(1, "a", array)])
    assert [row["a"] for row in rows(table(column(1, "a", of)), file)] == expected


UNLIKE = {
    "long is not int": ("int", pa.array([1], pa.int64())),
    "unsigned goes beyond": ("int", pa.array([1], pa.uint32())),
    "double is not float": ("float", pa.array([1.0])),
    "another scale": ("decimal(20, 3)", pa.array([Decimal("1.10")], pa.decimal128(5, 2))),
    "date is no instant": ("timestamptz", pa.array([date(2020, 1, 1)])),
    "text is not bytes": ("binary", pa.array(["x"])),
    "another length": ("fixed[3]", pa.array([b"ab"], pa.binary(2))),
    "another length of bytes": ("fixed[3]", pa.array([b"ab"])),
    "a short uuid": ("uuid", pa.array([b"ab"])),
    "not UTF-8": ("string", pa.array([b"\xff"])),
    "a struct is not its member": ("long", pa.array([{"x": 1}])),
    "a value is no list": (
        {"type": "list", "element-id": 2, "element": "long", "element-required": False},
        pa.array([1]),
    ),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_values_of_unlike_types_are_refused(tmp_path, name):
    of, array = UNLIKE[name]
    file = data_file(tmp_path / "a.parquet", [(1, "a", array)])
    with pytest.raises(NotReadable, match=r"column a .*a\.parquet"):
        rows(table(column(1, "a", of)), file)


def test_int96_reaches_all_years(tmp_path):
    metadata_columns = [datetime(1, 1, 1), datetime(9999, 12, 31, 23), STAMP]  # noqa: DTZ001
    field = pa.field("a", pa.timestamp("us"), metadata={"PARQUET:field_id": "1"})
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table([metadata_columns], schema=pa.schema([field])), path, use_deprecated_int96_timestamps=True)
    found = [row["a"] for row in rows(table(column(1, "a", "timestamp")), file_row(path, 3))]
    assert found == metadata_columns


DEFAULTS = {
    "boolean": (False, False),
    "long": ("9007199254740993", 9007199254740993),
    "double": (1.5, 1.5),
    "decimal(9, 2)": ("14.20", Decimal("14.20")),
    "date": ("2017-11-16", date(2017, 11, 16)),
    "timestamp": ("2017-11-16T22:31:08.123456", datetime(2017, 11, 16, 22, 31, 8, 123456)),  # noqa: DTZ001
    "timestamptz": ("2017-11-16T22:31:08+00:00", datetime(2017, 11, 16, 22, 31, 8, tzinfo=UTC)),
    "string": ("", ""),
    "uuid": ("f79c3e09-677c-4bbd-a479-3f349cb785e7", "f79c3e09-677c-4bbd-a479-3f349cb785e7"),
    "fixed[2]": ("00ff", b"\0\xff"),
    "binary": ("", b""),
}


@pytest.mark.parametrize("type", DEFAULTS)
def test_missing_columns_have_their_initial_default(tmp_path, type):
    value, expected = DEFAULTS[type]
    file = data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1, 2]))])
    new = column(2, "b", type, required=True, **{"initial-default": value, "write-default": None})
    assert [row["b"] for row in rows(table(column(1, "a", "long"), new), file)] == [expected, expected]


def test_defaults_of_nested_columns(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1]))])
    members = [column(3, "x", "long", **{"initial-default": 5}), column(4, "y", "date")]
    struct = {"type": "struct", "fields": members}
    list_ = {"type": "list", "element-id": 6, "element": "int", "element-required": False}
    map_ = {"type": "map", "key-id": 8, "key": "string", "value-id": 9, "value": "int", "value-required": False}
    of = table(
        column(2, "s", struct, **{"initial-default": {}}),
        column(5, "l", list_, **{"initial-default": [1, None]}),
        column(7, "m", map_, **{"initial-default": {"keys": ["k"], "values": [1]}}),
        column(10, "n", {"type": "struct", "fields": [column(11, "x", "long", **{"initial-default": 5})]}),
    )
    assert rows(of, file) == [{"s": {"x": 5, "y": None}, "l": [1, None], "m": [("k", 1)], "n": None}]


def test_a_default_is_not_for_nulls_of_files_that_hold_the_column(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(1, "a", pa.array([None, 1], pa.int64()))])
    assert [row["a"] for row in rows(table(column(1, "a", "long", **{"initial-default": 7})), file)] == [None, 1]


@pytest.mark.parametrize("default", ["x", True, 2**70])
def test_a_default_that_is_no_value_is_refused(tmp_path, default):
    file = data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1]))])
    with pytest.raises(NotReadable, match=r"column b is not in the file.*default"):
        rows(table(column(2, "b", "long", **{"initial-default": default})), file)


def test_a_required_column_that_is_nowhere_is_refused(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(1, "a", pa.array([1]))])
    with pytest.raises(NotReadable, match=r"column b is not in the file: it is required.*a\.parquet"):
        rows(table(column(2, "b", "long", required=True)), file)


def spec(spec_id, *fields):
    names = ("field_id", "name", "transform", "source_ids")
    return {"spec_id": spec_id, "fields": [dict(zip(names, one, strict=True)) for one in fields]}


SPECS = (
    spec(0, (1000, "b", "identity", [2]), (1001, "c_bucket", "bucket[4]", [3])),
    spec(1, (1002, "c", "identity", [3])),
)
PARTITIONED = table(
    column(1, "a", "long"),
    column(2, "b", "string", **{"initial-default": "default"}),
    column(3, "c", "long"),
    specs=SPECS,
)


def test_identity_partition_values_stand_in_for_missing_columns(tmp_path):
    one = data_file(tmp_path / "1.parquet", [(1, "a", pa.array([1]))], partition={"b": "x", "c_bucket": 3})
    null = data_file(tmp_path / "2.parquet", [(1, "a", pa.array([1]))], partition={"b": None, "c_bucket": 3})
    newer = data_file(tmp_path / "3.parquet", [(1, "a", pa.array([1]))], partition={"c": 5, "b": None}, spec_id=1)
    assert rows(PARTITIONED, one, null, newer) == [
        {"a": 1, "b": "x", "c": None},
        {"a": 1, "b": None, "c": None},
        {"a": 1, "b": "default", "c": 5},
    ]


def test_a_partition_value_in_the_type_of_another_field_of_its_name_is_refused(tmp_path):
    fields = [(1000, "x", "identity", [1]), (1001, "x", "identity", [2])]
    specs = tuple(spec(number, field) for number, field in enumerate(fields))
    for one, of in zip(specs, ("int", "string"), strict=True):
        one["fields"][0]["type"] = of
    both = table(column(1, "a", "int"), column(2, "b", "string"), specs=specs)
    file = data_file(tmp_path / "1.parquet", [(3, "c", pa.array([1]))], partition={"x": 5})
    assert rows(both, file) == [{"a": 5, "b": None}]
    with pytest.raises(NotReadable, match="used for another type"):
        rows(both, {**file, "partition": {"x": None}, "spec_id": 1})


def test_the_file_comes_before_the_partition(tmp_path):
    file = data_file(tmp_path / "1.parquet", [(2, "b", pa.array(["in the file"]))], partition={"b": "x"})
    assert rows(PARTITIONED, file)[0]["b"] == "in the file"


def test_partition_values_of_every_type_and_of_members(tmp_path):
    inner = pa.struct([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "3"})])
    columns = [(2, "s", pa.array([{"x": 1}, None], inner))]
    values = {
        "u": bytes(16),
        "d": date(2020, 1, 2),
        "y": "in",
        "t": datetime(2020, 1, 1, tzinfo=UTC),
        "n": Decimal("1.50"),
    }
    sources = {"u": 5, "d": 6, "y": 4, "t": 7, "n": 8}
    fields = [(1000 + place, name, "identity", [source]) for place, (name, source) in enumerate(sources.items())]
    file = data_file(tmp_path / "a.parquet", columns, partition=values)
    of = table(
        column(2, "s", {"type": "struct", "fields": [column(3, "x", "long"), column(4, "y", "string")]}),
        column(5, "u", "uuid"),
        column(6, "d", "timestamp"),
        column(7, "t", "timestamptz"),
        column(8, "n", "decimal(9, 2)"),
        specs=(spec(0, *fields),),
    )
    assert rows(of, file)[0] == {
        "s": {"x": 1, "y": "in"},
        "u": "00000000-0000-0000-0000-000000000000",
        "d": datetime(2020, 1, 2),  # noqa: DTZ001
        "t": values["t"],
        "n": Decimal("1.50"),
    }
    assert rows(of, file)[1]["s"] is None


def test_a_file_of_a_spec_that_is_not_known_is_refused(tmp_path):
    file = data_file(tmp_path / "1.parquet", [(1, "a", pa.array([1]))], spec_id=9)
    with pytest.raises(NotReadable, match="spec 9 is not known"):
        rows(PARTITIONED, file)


MAPPING = json.dumps(
    [
        {"field-id": 1, "names": ["a", "old a"]},
        {"field-id": 2, "names": ["s"], "fields": [{"field-id": 3, "names": ["x"]}, {"names": ["unknown"]}]},
        {"field-id": 4, "names": ["l"], "fields": [{"field-id": 5, "names": ["element"], "fields": [
            {"field-id": 6, "names": ["y"]}]}]},
        {"field-id": 7, "names": []},
    ]
)  # fmt: skip
STRUCTS = (
    column(1, "now a", "long"),
    column(2, "now s", {"type": "struct", "fields": [column(3, "now x", "long")]}),
    column(
        4,
        "l",
        {
            "type": "list",
            "element-id": 5,
            "element-required": False,
            "element": {"type": "struct", "fields": [column(6, "now y", "string")]},
        },
    ),
    column(7, "x", "long"),
)
UNNAMED = [
    (None, "old a", pa.array([1])),
    (None, "l", pa.array([[{"y": "v"}]])),
    (None, "s", pa.array([{"unknown": 0, "x": 2}])),
    (None, "x", pa.array([9])),
]


def test_files_without_ids_take_those_of_the_name_mapping(tmp_path):
    of = table(*STRUCTS, properties={"schema.name-mapping.default": MAPPING})
    file = data_file(tmp_path / "a.parquet", UNNAMED)
    assert rows(of, file) == [{"now a": 1, "now s": {"now x": 2}, "l": [{"now y": "v"}], "x": None}]


def test_files_with_ids_do_not_take_the_name_mapping(tmp_path):
    of = table(column(1, "b", "long"), column(2, "a", "long"), properties={"schema.name-mapping.default": MAPPING})
    file = data_file(tmp_path / "a.parquet", [(2, "a", pa.array([1])), (None, "old a", pa.array([2]))])
    assert rows(of, file) == [{"b": None, "a": 1}]


def test_two_columns_of_one_field_are_refused(tmp_path):
    of = table(*STRUCTS, properties={"schema.name-mapping.default": MAPPING})
    file = data_file(tmp_path / "a.parquet", [(None, "a", pa.array([1])), (None, "old a", pa.array([1]))])
    with pytest.raises(NotReadable, match="are both field 1"):
        rows(of, file)


def test_without_a_mapping_parquet_columns_are_counted_as_java_does(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(None, "z", pa.array([1])), (None, "a", pa.array(["x"]))])
    of = table(column(2, "text", "string"), column(1, "a", "long"), column(3, "z", "long"))
    assert rows(of, file) == [{"text": "x", "a": 1, "z": None}]


def test_members_that_the_name_mapping_omits_are_not_in_the_table(tmp_path):
    values = pa.array([{"old": 1, "other": 2}, None], pa.struct([("old", pa.int32()), ("other", pa.int32())]))
    file = data_file(tmp_path / "a.parquet", [(None, "s", values)])
    new = column(2, "s", {"type": "struct", "fields": [column(3, "new", "int"), column(4, "other", "int")]})
    members = [{"field-id": 3, "names": ["new"]}, {"field-id": 4, "names": ["other"]}, {"names": ["old"]}]
    for given in (members, members[:2], members[:1]):
        mapping = json.dumps([{"field-id": 2, "names": ["s"], "fields": given}])
        of = table(new, properties={"schema.name-mapping.default": mapping})
        other = 2 if len(given) > 1 else None
        assert rows(of, file) == [{"s": {"new": None, "other": other}}, {"s": None}]


@pytest.mark.parametrize("format", ["avro", "orc"])
def test_members_added_to_an_empty_struct_are_missing(tmp_path, format):
    def of(*members):
        return column(2, "s", {"type": "struct", "fields": list(members)})

    file = write(format, tmp_path / "a", (of(),), [{"s": {}}])
    assert rows(table(of(column(3, "new", "int", **{"initial-default": 7}), column(4, "x", "int"))), file) == [
        {"s": {"new": 7, "x": None}}
    ]


def test_members_without_ids_cannot_be_told(tmp_path):
    file = data_file(tmp_path / "a.parquet", [(None, "a", pa.array([1])), (None, "s", pa.array([{"x": 1}]))])
    with pytest.raises(NotReadable, match="members without field ids"):
        rows(table(*STRUCTS[:2]), file)
    assert rows(table(*STRUCTS[:2], columns=("now a",)), file) == [{"now a": 1}]


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[{"field-id": 1}]'])
def test_a_name_mapping_that_is_none_is_refused(text):
    with pytest.raises(NotReadable, match="name-mapping"):
        check(table(column(1, "a", "long"), properties={"schema.name-mapping.default": text}))
