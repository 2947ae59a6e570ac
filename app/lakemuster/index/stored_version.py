"""Read the schema version of a database, and check that this code supports it.

This module does not use Alembic, so that a server need not import it at each start when there is nothing to migrate.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from lakemuster.errors import DatabaseVersionMismatch
from lakemuster.index import schema_version

SUPPORT_TABLE = "schema_support"
"""Has one row: the oldest version whose servers may use the database. Databases before 0015 have no such table."""


def stored(connection: Connection) -> str | None:
    """Return the schema version of a database; None if it has not been initialized."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def is_newer(found: str) -> bool:
    """Tell whether a database's version is newer than, and so unknown to, this code."""
    return found not in schema_version.known()


def check(connection: Connection) -> None:
    """Check that this code supports the schema version of the database, see ``schema_version``.

    Raises:
        DatabaseVersionMismatch: it does not; the message says what to do.
    """
    found, wanted = stored(connection), schema_version.newest()
    if found == wanted:
        return
    if found is None:
        raise DatabaseVersionMismatch("the database has not been initialized; run: lakemuster migrate", wanted=wanted)
    if is_newer(found):
        require_admitted(connection, found)
    elif found < schema_version.OLDEST_DATABASE:
        raise DatabaseVersionMismatch(
            f"the database is older than this program: its version is {found}, and {served()}; run: lakemuster migrate",
            found=found,
            wanted=wanted,
        )


def served() -> str:
    """Return a clause that names the database versions that this code supports, for messages."""
    newest = schema_version.newest()
    oldest = schema_version.OLDEST_DATABASE
    return f"databases of versions {oldest} to {newest}, and newer ones that admit {newest}, are served"


def require_admitted(connection: Connection, found: str) -> None:
    """Check that a database of a newer version, which this code does not know, admits servers of this version.

    Raises:
        DatabaseVersionMismatch: it does not, or does not record the versions that it admits.
    """
    oldest = _oldest_server(connection)
    if oldest is None or oldest > schema_version.newest():
        raise DatabaseVersionMismatch(
            f"the database is newer than this program: its version is {found}"
            + (f" for servers from {oldest} on" if oldest else "")
            + f", and {served()}; upgrade lakemuster",
            found=found,
            wanted=schema_version.newest(),
        )


def _oldest_server(connection: Connection) -> str | None:
    """Return the oldest version of servers that a database admits; None if it does not record one."""
    if not inspect(connection).has_table(SUPPORT_TABLE):
        return None
    oldest: str | None = connection.execute(text(f"SELECT oldest_server FROM {SUPPORT_TABLE}")).scalar()  # noqa: S608
    return oldest
