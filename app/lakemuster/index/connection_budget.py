"""The number of connections that a server may open to PostgreSQL, compared with the number that the database allows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from lakemuster.config import LEAST_CONNECTIONS
from lakemuster.errors import ConfigInvalid
from lakemuster.index.database import Database
from lakemuster.index.postgres import BoundedConnection

PROBES = 1
"""Additional connections of a process, to probe whether a server that does not answer is alive."""

_ALLOWED = text("""
SELECT least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),  -- PostgreSQL 16 and newer
    nullif(of_database.datconnlimit, -1),
    nullif(of_role.rolconnlimit, -1)
)
FROM pg_database AS of_database, pg_roles AS of_role
WHERE of_database.datname = current_database() AND of_role.rolname = current_user
""")


@dataclass(frozen=True, slots=True)
class ConnectionBudget:
    """Connections of all processes of a server together.

    Attributes:
        processes: number of processes that serve requests or run jobs.
        most: maximum number of connections that they have open at a time.
        allowed: number that the database allows this user, for all servers; None behind a connection pooler.
    """

    processes: int
    most: int
    allowed: int | None

    @classmethod
    def of(cls, database: Database, processes: int) -> ConnectionBudget:
        """Query the limits of the database.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        most = processes * (database.max_connections + PROBES)
        with database.reading() as session:
            bounded = session.connection().connection.driver_connection
            if isinstance(bounded, BoundedConnection) and bounded.is_pooled:
                return cls(processes, most, None)
            return cls(processes, most, session.execute(_ALLOWED).scalar_one())

    def check(self) -> None:
        """Check that the database allows the minimum of connections that the processes need.

        Raises:
            ConfigInvalid: it allows fewer.
        """
        least = self.processes * LEAST_CONNECTIONS
        if self.allowed is not None and self.allowed < least:
            raise ConfigInvalid(
                f"the database allows {self.allowed} connections, and WORKERS={self.processes} needs {least}: "
                "allow more, start fewer workers, or put PgBouncer between"
            )

    def summary(self) -> str:
        """Return one line about the limits, for the operator."""
        opened = f"up to {self.most} connections to the database"
        if self.allowed is None:
            return f"{opened}, through a pooler"
        warning = "" if self.most <= self.allowed else ": set DATABASE_CONNECTIONS, or put PgBouncer between"
        return f"{opened}, which allows {self.allowed} to all servers{warning}"
