"""The ORM classes of tables' health."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy.orm import Mapped

from lakemuster.index.orm import Base, Document, Int64, RowId, String, TableId


class HealthRow(Base):
    """One component of a table's health, see ``index.health``: the rank of its status, and since when it holds."""

    __tablename__ = "table_health"
    __table_args__ = (
        UniqueConstraint("table_id", "component"),
        Index("ix_table_health_component", "component", "status", "table_id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    component: Mapped[String]
    status: Mapped[Int64]
    since_ms: Mapped[Int64]
    computed_at_ms: Mapped[Int64]
    document: Mapped[Document]


class HealthDayRow(Base):
    """What a table's health was last on one day, given in days since 1970-01-01 UTC."""

    __tablename__ = "table_health_day"
    __table_args__ = (UniqueConstraint("table_id", "day"), Index(None, "day"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    day: Mapped[Int64]
    document: Mapped[Document]
