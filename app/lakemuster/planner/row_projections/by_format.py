"""Choose the row projection of a table's format."""

from __future__ import annotations

from lakemuster.planner.row_projection import RequestedColumns, RowProjection
from lakemuster.planner.row_projections.iceberg_rows import IcebergRows
from lakemuster.planner.row_projections.paimon_rows import PaimonRows
from lakemuster.planner.view import View


def row_projection_of(view: View, wanted: RequestedColumns) -> RowProjection:
    """Return the row projection for the view's table format."""
    return IcebergRows(view, wanted) if view.table.format == "iceberg" else PaimonRows(view, wanted)
