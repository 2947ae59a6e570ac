"""The fast encoding of a ``/health`` row equals that of its model."""

from __future__ import annotations

import pytest

from lakemuster.catalog.health_documents import table_health_document
from lakemuster.index.health import HealthSummary
from lakemuster.index.table_record import UNKNOWN_FIGURES, ListedTable, TableFigures, TableRecord
from lakemuster.wire.native.health import TableHealthOut

RECORD = TableRecord(
    *(2, "prod.a.b", "iceberg", "catalog://prod/a/b", (), (), 0, 0, None, "gone", None, None, None, None),
    *(None, None, None, None, None),
)
FOUND = HealthSummary({"skew": "critical", "overlap": "warning", "small_files": "critical", "manifests": "ok"}, 5, 7)


@pytest.mark.parametrize("figures", [UNKNOWN_FIGURES, TableFigures(0, 1, 2**53 + 1, 0, 1, 1_714_521_600_000)])
@pytest.mark.parametrize("found", [None, FOUND], ids=["nothing", "something"])
def test_a_document_is_that_of_the_model(figures: TableFigures, found: HealthSummary | None) -> None:
    document = table_health_document(ListedTable(RECORD, figures), found)
    model = TableHealthOut.model_validate(document)
    assert list(document) == list(TableHealthOut.model_fields)
    assert document == model.model_dump(mode="json")
    assert document["critical"] == ([] if found is None else ["small_files", "skew"])
    assert document["health"] == (None if found is None else "critical")
