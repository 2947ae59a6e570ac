"""Two readings of one filter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.predicates import FALSE, TRUE, Bound, BoundLeaf, BoundOr, Op, Opaque, all_of, either
from lakemuster.predicates.complement import complement

LONG = Primitive(Kind.LONG, "long")
ONE, OTHER = (BoundLeaf(Op.EQ, field_id, "a", LONG, (5,)) for field_id in (1, 2))


@pytest.mark.parametrize("bound", [TRUE, FALSE, ONE, all_of([ONE, OTHER])])
def test_equal_readings_are_one(bound: Bound) -> None:
    assert either(bound, bound) is bound


def test_two_readings_select_what_either_does_and_prove_nothing() -> None:
    maybe = [replace(leaf, maybe=True) for leaf in (ONE, OTHER)]
    assert either(ONE, OTHER) == BoundOr(tuple(maybe))
    assert either(all_of([ONE, OTHER]), FALSE) == all_of(maybe)
    assert complement(either(ONE, OTHER)) == TRUE


def test_a_reading_that_selects_every_row_proves_nothing_either() -> None:
    found = either(TRUE, ONE)
    assert isinstance(found, Opaque)
    assert complement(found) == TRUE
