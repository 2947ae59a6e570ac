from __future__ import annotations

import pytest

from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.planner.pruning.partition_predicates import PartitionPredicates
from lakemuster.predicates import BoundLeaf, bind
from lakemuster.predicates.sql import parse_sql

DATE, TIMESTAMP = Primitive(Kind.DATE, "date"), Primitive(Kind.TIMESTAMP, "timestamp")
INT, LONG = Primitive(Kind.INT, "int"), Primitive(Kind.LONG, "long")


def schemas(*types: Primitive) -> tuple[Schema, ...]:
    return tuple(Schema(number, (Field(1, "x", of),)) for number, of in enumerate(types))


def is_projected(transform: str, text: str, known: tuple[Schema, ...]) -> tuple[bool, bool]:
    """Return whether a leaf has an inclusive and a strict projection on one partition field."""
    projection = PartitionPredicates(PartitionSpec(0, (PartitionField(1000, "p", transform, (1,)),)), known)
    leaf = bind(parse_sql(text), known[0])
    assert isinstance(leaf, BoundLeaf)
    return projection.inclusive(leaf) is not None, projection.strict(leaf) is not None


@pytest.mark.parametrize(
    ("transform", "now", "before", "constant", "expected"),
    [
        ("bucket[7]", TIMESTAMP, DATE, "TIMESTAMP '2020-01-01 00:00:00'", False),
        ("bucket[7]", TIMESTAMP, TIMESTAMP, "TIMESTAMP '2020-01-01 00:00:00'", True),
        ("bucket[7]", LONG, INT, "1", True),
        ("day", TIMESTAMP, DATE, "TIMESTAMP '2020-01-01 00:00:00'", True),
    ],
)
def test_buckets_of_dates_prove_nothing_of_the_timestamps_that_they_became(
    transform: str, now: Primitive, before: Primitive, constant: str, expected: bool
) -> None:
    known = schemas(now, before)
    assert is_projected(transform, f"x = {constant}", known)[0] is expected
    assert is_projected(transform, f"x <> {constant}", known)[1] is expected
