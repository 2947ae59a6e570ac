"""The rows of an index without values that depend on the time or the order of refreshes, to compare two indexes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from lakemuster.catalog.services import Services
from lakemuster.index.orm import ManifestRow, RefRow, SchemaRow, SegmentRow, SnapshotRow, SpecRow, TableRow

OF_TIME = {
    "id",
    "checked_at_ms",
    "created_at_ms",
    "changed_at_ms",
    "published_at_ms",
    "registered_at_ms",
    "retry_at_ms",
    "manifests",
}


def rows(services: Services) -> dict[str, list[dict[str, Any]]]:
    """Return all rows by SQL table; ids of tables are replaced by their names."""
    found: dict[str, list[dict[str, Any]]] = {}
    with services.index.database.reading() as session:
        tables = {row.id: row.name for row in session.execute(select(TableRow.id, TableRow.name))}
        for kind in (TableRow, SchemaRow, SpecRow, RefRow, SnapshotRow, ManifestRow, SegmentRow):
            columns = [column.name for column in kind.__table__.columns if column.name not in OF_TIME]
            values = [
                {name: tables[row[at]] if name == "table_id" else row[at] for at, name in enumerate(columns)}
                for row in session.execute(select(*(kind.__table__.c[name] for name in columns)))
            ]
            found[kind.__tablename__] = sorted(values, key=repr)
    return found
