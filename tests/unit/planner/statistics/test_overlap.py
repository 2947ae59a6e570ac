"""Overlap by sorting equals counting the files at every lower bound."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.columns import internal_array
from lakemuster.planner.pruning.bounds import comparable
from lakemuster.planner.statistics.overlap import bound_order, overlap
from tests.unit.planner.statistics.figures import Bounds
from tests.unit.planner.statistics.figures import overlap as counted

PREFIXED = ["abcdefg", "abcdefgh", "abcdefgi", "abcdefgh\0", "abcdefgh" * 3, "abcdefgh" * 3 + "z"]
LONG_TEXTS = ["", "a", "a\0", "ab", *PREFIXED, "abcdefg\0", "é", "\U0010ffff"]
VALUES: dict[str, tuple[Primitive, st.SearchStrategy[Any]]] = {
    "boolean": (Primitive(Kind.BOOLEAN, "boolean"), st.booleans()),
    "int": (Primitive(Kind.INT, "int"), st.integers(-3, 3) | st.sampled_from([-(2**31), 2**31 - 1])),
    "long": (Primitive(Kind.LONG, "long"), st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])),
    "double": (
        Primitive(Kind.DOUBLE, "double"),
        st.sampled_from([-float("inf"), -1.5, -0.0, 0.0, 5e-324, 2.0, float("inf")]),
    ),
    "date": (Primitive(Kind.DATE, "date"), st.integers(-3, 3)),
    "decimal": (
        Primitive(Kind.DECIMAL, "decimal(4,1)", 4, 1),
        st.integers(-3, 3).map(lambda n: Decimal(n).scaleb(-1)),
    ),
    "wide decimal": (
        Primitive(Kind.DECIMAL, "decimal(30,1)", 30, 1),
        st.integers(-3, 3).map(lambda n: Decimal(n * 10**25).scaleb(-1)),
    ),
    "short string": (Primitive(Kind.STRING, "string"), st.sampled_from(LONG_TEXTS[:4])),
    "string": (Primitive(Kind.STRING, "string"), st.sampled_from(LONG_TEXTS)),
    "string with a prefix": (
        Primitive(Kind.STRING, "string"),
        st.sampled_from(LONG_TEXTS).map(lambda text: "https://" + text),
    ),
    "binary": (Primitive(Kind.BINARY, "binary"), st.binary(max_size=2) | st.binary(min_size=8, max_size=9)),
    "uuid": (Primitive(Kind.UUID, "uuid"), st.sampled_from([UUID(int=n) for n in (0, 1, 1 << 64, (1 << 128) - 1)])),
}


def of_code(files: list[tuple[Any, Any, bool]], kind: Primitive) -> dict[str, Any]:
    """Return the overlap computed by sorting, with the value of greatest depth."""
    form = arrow_type(kind)
    lower, upper = (comparable(internal_array([file[side] for file in files], form), kind) for side in (0, 1))
    assert lower is not None
    assert upper is not None
    middle = len(files) // 2
    begins, ends = (pa.chunked_array([of[:middle], of[middle:]], of.type) for of in (lower, upper))
    found = overlap(bound_order(begins, ends, kind), np.array([holds for _, _, holds in files], np.bool_))
    return {
        "samples": found.samples,
        "unbounded": found.unbounded,
        "mean": found.mean,
        "p99": found.p99,
        "max": found.max,
        "max_at": None if found.place is None else files[found.place][0],
    }


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
def test_the_depth_is_that_of_asking_every_file(name: str, data: st.DataObject) -> None:
    kind, values = VALUES[name]
    bound = st.none() | values
    files = data.draw(st.lists(st.tuples(bound, bound, st.sampled_from([True, True, False])), max_size=12))
    assert of_code(files, kind) == counted([Bounds(*file) for file in files])


def test_a_nan_bound_is_open() -> None:
    kind, _ = VALUES["double"]
    files = [(float("nan"), 1.0, True), (0.0, float("nan"), True), (2.0, 3.0, True)]
    found = of_code(files, kind)
    assert (found["samples"], found["max"], found["max_at"]) == (2, 2, 0.0)


def test_sorted_files_do_not_overlap_and_one_over_all_of_them_does() -> None:
    kind, _ = VALUES["long"]
    files: list[tuple[Any, Any, bool]] = [(10 * n, 10 * n + 9, True) for n in range(100)]
    assert of_code(files, kind)["max"] == 1
    assert of_code([*files, (0, 1000, True)], kind) | {"mean": 2.0} == {
        "samples": 101, "unbounded": 0, "mean": 2.0, "p99": 2, "max": 2, "max_at": 0,
    }  # fmt: skip
    assert of_code([*files, (None, None, True)], kind)["unbounded"] == 1
