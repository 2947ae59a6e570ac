"""Projections of comparisons of decimals that truncation takes beyond the digits of their type."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.metadata.partition import PartitionField
from lakemuster.predicates import BoundLeaf, Op
from lakemuster.predicates.projection import project, project_strict

OF = parse_primitive("decimal(9,2)")
FIELD = PartitionField(1000, "e_trunc", "truncate[7]", (1,))
LEAST, OTHER = Decimal("-9999999.99"), Decimal("12.34")


@pytest.mark.parametrize(("op", "values"), [(Op.EQ, (LEAST,)), (Op.IN, (LEAST, OTHER))])
def test_no_partition_is_asked_for_a_decimal_truncated_beyond_its_type(op, values):
    assert project(BoundLeaf(op, 1, "e", OF, values), FIELD, OF) is None


@pytest.mark.parametrize(("op", "values"), [(Op.NOT_EQ, (LEAST,)), (Op.NOT_IN, (LEAST, OTHER))])
def test_no_partition_proves_inequality_to_a_decimal_truncated_beyond_its_type(op, values):
    assert project_strict(BoundLeaf(op, 1, "e", OF, values), FIELD, OF) is None


def test_other_decimals_are_projected():
    found = project(BoundLeaf(Op.EQ, 1, "e", OF, (OTHER,)), FIELD, OF)
    assert isinstance(found, BoundLeaf)
    assert found.values == (Decimal("12.32"),)
