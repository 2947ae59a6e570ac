"""Rows of the table list equal the encoding of its model."""

from __future__ import annotations

import pytest

from lakemuster.catalog.table_documents import table_document, table_out
from lakemuster.index.table_record import UNKNOWN_FIGURES, TableFigures, TableRecord

OWN = TableRecord(
    *(
        1,
        "a.b",
        "iceberg",
        "s3://lake/t",
        (("a", "b"), ("c", "d")),
        (),
        0,
        0,
        5,
        None,
        "token",
        "m.json",
        "s3://lake/t",
    ),
    *("uuid", 2, 7, 1, -(2**63), 2**40),
)
ATTACHED = TableRecord(
    *(2, "prod.a.b", "iceberg", "catalog://prod/a/b", (), (), 0, 0, None, "gone", None, None, None, None),
    *(None, None, None, None, None),
)


@pytest.mark.parametrize("record", [OWN, ATTACHED])
@pytest.mark.parametrize(
    "figures", [UNKNOWN_FIGURES, TableFigures(0, 1, 2**53, 2**53 + 1, 2**63 - 1, 1_714_521_600_000)]
)
@pytest.mark.parametrize("health", [None, 0, 3])
def test_a_document_is_that_of_the_model(record: TableRecord, figures: TableFigures, health: int | None) -> None:
    found, model = table_document(record, figures, health), table_out(record, figures, health)
    assert found == model.model_dump(mode="json")
    assert list(found) == list(model.model_dump())
