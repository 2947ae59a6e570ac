"""Columns that cannot hold a null in any file of a table."""

from __future__ import annotations

import pytest

from lakemuster.metadata.schema import Schema, never_null
from lakemuster.metadata.types import Field, Kind, ListType, Primitive, StructType

LONG = Primitive(Kind.LONG, "long")


def field(field_id: int, *, required: bool = True, default: object = None) -> Field:
    return Field(field_id, f"c{field_id}", LONG, required, initial_default=default)


def struct(*fields: Field, required: bool = True, default: object = None) -> Field:
    return Field(9, "s", StructType(fields), required, initial_default=default)


def history(*versions: tuple[Field, ...]) -> list[Schema]:
    return [Schema(number, fields) for number, fields in enumerate(versions)]


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([(field(1),)], True),
        ([(field(1, required=False),)], False),
        ([(field(1, required=False),), (field(1),)], False),
        ([(field(1),), (field(1, required=False),)], False),
        ([(field(2),), (field(2), field(1, default=0))], True),
        ([(field(2),), (field(2), field(1))], False),
        ([(field(1),), (), (field(1),)], False),
        ([(struct(field(1)),)], True),
        ([(struct(field(1), required=False),)], False),
        ([(struct(field(1, required=False)),)], False),
        ([(struct(field(1), required=False),), (struct(field(1)),)], False),
        ([(), (struct(field(1)),)], False),
        ([(struct(),), (struct(field(1, default=0)),)], True),
        ([(struct(required=False),), (struct(field(1, default=0)),)], False),
        ([(Field(9, "l", ListType(field(1)), required=True),)], False),
    ],
)
def test_every_schema_that_files_may_have_must_require_a_column(
    versions: list[tuple[Field, ...]], expected: bool
) -> None:
    schemas = history(*versions)
    assert never_null(1, schemas[-1], schemas) is expected
