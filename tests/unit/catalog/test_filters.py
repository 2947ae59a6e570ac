"""A request's filter is bound once per schema, and never to another schema's columns."""

from __future__ import annotations

import pytest

from lakemuster.catalog.filters import Filter
from lakemuster.errors import FilterInvalid
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.predicates import bind
from lakemuster.predicates.sql import parse_sql
from tests.caches import memory_limit

LONG, TEXT = Primitive(Kind.LONG, "long"), Primitive(Kind.STRING, "string")


def test_a_filter_asked_again_is_bound_to_the_schema_that_is_asked() -> None:
    of_numbers = Schema(0, (Field(1, "a", LONG), Field(2, "b", LONG)))
    of_texts = Schema(1, (Field(1, "b", TEXT), Field(2, "a", TEXT)))
    text = "a > 3"
    for _ in range(2):
        assert Filter(text).bound(of_numbers) == bind(parse_sql(text), of_numbers)
        with pytest.raises(FilterInvalid):
            Filter(text).bound(of_texts)
        with pytest.raises(FilterInvalid):
            Filter("A > 3").bound(of_numbers)
        assert Filter("A > 3").bound(of_numbers, case_sensitive=False) == bind(
            parse_sql("A > 3"), of_numbers, case_sensitive=False
        )


def test_filters_are_bound_once_as_long_as_they_fit_in_memory() -> None:
    schema = Schema(0, (Field(1, "a", LONG),))
    short, long = "a = 1", f"a in ({', '.join(map(str, range(5000)))})"
    with memory_limit(1_000_000):
        assert Filter(short).bound(schema) is Filter(short).bound(schema)
        assert Filter(long).bound(schema) is not Filter(long).bound(schema)
