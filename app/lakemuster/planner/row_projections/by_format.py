"""The shape of entries in a table's format."""

from __future__ import annotations

from lakemuster.planner.row_projection import Shape, Wanted
from lakemuster.planner.row_projections.iceberg_rows import IcebergShape
from lakemuster.planner.row_projections.paimon_rows import PaimonShape
from lakemuster.planner.view import View


def shape(view: View, wanted: Wanted) -> Shape:
    """The shape of entries in the view's format."""
    return IcebergShape(view, wanted) if view.table.format == "iceberg" else PaimonShape(view, wanted)
