"""Partition values are listed by the names that partition fields have, or had, in any spec."""

from __future__ import annotations

import pyarrow as pa

from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.planner.columns import partition_struct, partition_type
from lakemuster.planner.rows import conform

SCHEMA = Schema(0, (Field(1, "a", Primitive(Kind.STRING, "string")), Field(2, "b", Primitive(Kind.INT, "int"))))


def specs(*fields: tuple[int, str, int]) -> tuple[PartitionSpec, ...]:
    """Return specs of one identity field each, given by id, name and source."""
    return tuple(
        PartitionSpec(number, (PartitionField(field_id, name, "identity", (source,)),))
        for number, (field_id, name, source) in enumerate(fields)
    )


def test_values_of_a_renamed_field_have_the_name_of_their_spec() -> None:
    renamed = specs((1000, "x", 1), (1000, "y", 1))
    schema = pa.schema([pa.field("partition", partition_type(renamed, [SCHEMA]))])
    entries = pa.record_batch({"partition.1000": ["v"]})
    structs = [partition_struct(entries, spec, {}) for spec in renamed]
    found = [conform(pa.record_batch({"partition": one}), schema).to_pylist() for one in structs]
    assert found == [[{"partition": {"x": "v", "y": None}}], [{"partition": {"x": None, "y": "v"}}]]


def test_a_name_used_again_has_the_type_of_the_oldest_field() -> None:
    assert partition_type(specs((1000, "x", 2), (1001, "x", 1)), [SCHEMA]).field("x").type == pa.int32()


def test_values_of_an_unknown_type_are_texts() -> None:
    dropped = specs((1000, "x", 9))
    schema = pa.schema([pa.field("partition", partition_type(dropped, [SCHEMA]))])
    columns = [pa.array([1, None, -2]), pa.array(["a", "b", None]), pa.array([18262, 0, 1], pa.date32())]
    listed = [partition_struct(pa.record_batch({"partition.1000": values}), dropped[0], {}) for values in columns]
    found = [conform(pa.record_batch({"partition": one}), schema).column(0).field("x").to_pylist() for one in listed]
    assert found == [["1", None, "-2"], ["a", "b", None], ["2020-01-01", "1970-01-01", "1970-01-02"]]
