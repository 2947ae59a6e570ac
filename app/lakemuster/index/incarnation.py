"""The incarnation of the database: an identity that changes when an older state may have replaced its contents.

After a restore, or a failover that loses the last commits, sequences give ids again that other rows had before.
Therefore what is cached under the ids of rows also has the incarnation in its key.
"""

from __future__ import annotations

from sqlalchemy import Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class Incarnation(FunctionElement[str]):
    """The start of PostgreSQL's main process, and the path of a table's file, with the oid of the database.

    It is null for SQLite: a file that is replaced fails the check of readiness, and needs a restart.

    Each statement reads it together with the rows that it is about: a pooler may give any statement another server.
    """

    type = Text()
    inherit_cache = True


@compiles(Incarnation, "sqlite")
def _sqlite(_element: Incarnation, _compiler: object, **_: object) -> str:
    return "NULL"


@compiles(Incarnation, "postgresql")
def _postgresql(_element: Incarnation, _compiler: object, **_: object) -> str:
    # A scalar subquery, which is evaluated once for all rows, takes longer for a single one.
    return "concat_ws('.', extract(epoch FROM pg_postmaster_start_time()), pg_relation_filepath('catalog_table'))"
