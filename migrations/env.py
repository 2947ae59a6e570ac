"""Run migrations on the connection that ``lakemuster.index.migrations`` passes.

Without one, a developer's ``alembic -c migrations/alembic.ini revision --autogenerate -m "…"`` connects to the
database of ``LAKEMUSTER_DATABASE_URL``.
"""

from __future__ import annotations

import os

from alembic import context
from sqlalchemy import Connection

from lakemuster.index.database import Database
from lakemuster.index.orm_base import AnyText
from lakemuster.index.sql_tables import METADATA


def _rendered(kind: str, item: object, _: object) -> str | bool:
    # Migrations import nothing of Lakemuster, so that later changes to its code do not change them.
    return "sa.Text()" if kind == "type" and isinstance(item, AnyText) else False


def run(connection: Connection) -> None:
    """Run the requested migrations in the connection's transaction."""
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        render_as_batch=True,
        compare_type=True,
        render_item=_rendered,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with Database(os.environ["LAKEMUSTER_DATABASE_URL"]).migrating() as own:
        run(own)
