"""Tables of attached catalogs: commits that pass mark them as changed."""

from __future__ import annotations

from sqlalchemy import update
from sqlalchemy.orm import Session

from lakemuster.index.database import NowMs
from lakemuster.index.orm import TableRow


def mark_changed(session: Session, location: str, *, is_prefix: bool = False) -> None:
    """Record that a table may have changed now: requests look at its pointer before they are answered.

    Args:
        location: of the table.
        is_prefix: mark all tables whose locations begin so.
    """
    chosen = TableRow.location.startswith(location, autoescape=True) if is_prefix else TableRow.location == location
    session.execute(
        update(TableRow).where(chosen).values(changed_at_ms=NowMs()).execution_options(synchronize_session=False)
    )
