"""The statistics store: the contents of Paimon's statistics files; many snapshots may name the same file."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lakemuster.index.orm import StatisticsRow
from lakemuster.index.orm_base import can_be_indexed
from lakemuster.index.statements import chunks, insert_new


def find_statistics(session: Session, table_id: int, name: str) -> bytes | None:
    """Return the document of a statistics file; None before it is read, empty if it is missing or unreadable."""
    return session.scalar(
        select(StatisticsRow.document).where(StatisticsRow.table_id == table_id, StatisticsRow.name == name)
    )


def keep_statistics(session: Session, table_id: int, documents: Mapping[str, bytes]) -> None:
    """Store documents by file name; existing ones are left unchanged, since the files never change."""
    rows = [{"table_id": table_id, "name": name, "document": data} for name, data in sorted(documents.items())]
    insert_new(session, StatisticsRow, [row for row in rows if can_be_indexed(str(row["name"]))])


def known_statistics(session: Session, table_id: int) -> set[str]:
    """Return the names of the files whose documents are stored."""
    return set(session.scalars(select(StatisticsRow.name).where(StatisticsRow.table_id == table_id)))


def forget_statistics(session: Session, table_id: int, names: Collection[str]) -> None:
    """Delete documents by file name."""
    for some in chunks(sorted(names)):
        session.execute(
            delete(StatisticsRow)
            .where(StatisticsRow.table_id == table_id, StatisticsRow.name.in_(some))
            .execution_options(synchronize_session=False)
        )
