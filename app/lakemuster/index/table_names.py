"""The names of a format's tables, and their namespaces, without reading the tables' records.

They are of registered tables, and of companions except those known to be unreadable.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from lakemuster.index.orm import TableRow
from lakemuster.metadata.snapshot import Format


def namespaces_of_format(session: Session, format: Format, without: str | None = None) -> list[str]:
    """Return the namespaces that directly contain tables, in no order; the empty one is that of names of one level.

    Args:
        without: a character; tables whose last level has it do not count.
    """
    shown = _of(format)
    if without is not None:
        at = func.strpos if session.get_bind().dialect.name == "postgresql" else func.instr
        shown = and_(shown, at(func.substr(TableRow.name, func.length(TableRow.namespace) + 1), without) == 0)
    return list(session.scalars(select(TableRow.namespace).where(shown).distinct()))


def names_of_format(session: Session, format: Format, namespace: str | None = None) -> list[str]:
    """Return the names of all tables, or of those directly in a namespace, in no order."""
    shown = _of(format) if namespace is None else and_(TableRow.namespace == namespace, _of(format))
    return list(session.scalars(select(TableRow.name).where(shown)))


def _of(format: Format) -> ColumnElement[bool]:
    return and_(
        TableRow.format == format,
        or_(
            TableRow.companion_of.is_(None),
            TableRow.metadata_location.is_not(None),
            TableRow.stale_reason.is_(None),
        ),
    )
