"""Names of partition fields: one name, values of one type."""

from __future__ import annotations

from lakemuster.metadata.partition import PartitionField, PartitionSpec, with_distinct_names
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive

SCHEMAS = (
    Schema(
        0,
        (
            Field(1, "a", Primitive(Kind.STRING, "string")),
            Field(2, "b", Primitive(Kind.INT, "int")),
            Field(3, "c", Primitive(Kind.INT, "int")),
        ),
    ),
)


def names(*specs: list[tuple[int, str, str, int]]) -> list[list[str]]:
    """Return the names of the fields of specs whose fields are given by id, name, transform and source."""
    made = [
        PartitionSpec(number, tuple(PartitionField(i, name, how, (source,)) for i, name, how, source in spec))
        for number, spec in enumerate(specs)
    ]
    return [[field.name for field in spec.fields] for spec in with_distinct_names(made, SCHEMAS)]


def test_the_newest_field_keeps_a_name_that_had_values_of_another_type() -> None:
    assert names([(1000, "x", "identity", 1)], [(1001, "x", "identity", 2)]) == [["x_1000"], ["x"]]
    assert names([(1000, "x", "bucket[4]", 2)], [(1001, "x", "truncate[4]", 1)], [(1002, "x", "bucket[8]", 2)]) == [
        ["x"],
        ["x_1001"],
        ["x"],
    ]


def test_fields_of_one_type_share_a_name() -> None:
    assert names([(1000, "x", "identity", 2)], [(1001, "x", "bucket[4]", 3)]) == [["x"], ["x"]]


def test_a_void_field_has_the_name_of_the_field_that_it_replaces() -> None:
    """Iceberg Java, format 1: the dropped field stays in later specs, and its name is changed if it is used again."""
    specs = [[(1000, "x", "bucket[4]", 1)], [(1000, "x", "void", 1)]]
    assert names(*specs) == [["x"], ["x"]]
    assert names(*specs, [(1000, "x_1000", "void", 1), (1001, "x", "identity", 1)]) == [
        ["x_1000"],
        ["x_1000"],
        ["x_1000", "x"],
    ]


def test_a_name_that_another_field_has_is_not_given_twice() -> None:
    assert names([(1000, "x", "identity", 1)], [(1001, "x", "identity", 2), (1002, "x_1000", "identity", 2)]) == [
        ["x_1000_1000"],
        ["x", "x_1000"],
    ]
