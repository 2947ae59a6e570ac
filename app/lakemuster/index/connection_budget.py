"""How many connections a server opens to PostgreSQL, and how many its database allows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from lakemuster.config import LEAST_CONNECTIONS
from lakemuster.errors import ConfigInvalid
from lakemuster.index.database import Database
from lakemuster.index.postgres import BoundedConnection

PROBES = 1
"""A process asks a silent server over one more connection whether it is alive."""

_ALLOWED = text("""
SELECT least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
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
        processes: that answer requests or run jobs.
        most: that they may open at a time.
        allowed: that the database allows this user, for all servers; None: it is behind a pooler.
    """

    processes: int
    most: int
    allowed: int | None

    @classmethod
    def of(cls, database: Database, processes: int) -> ConnectionBudget:
        """Ask the database.

        Raises:
            IndexUnavailable: it does not answer.
        """
        most = processes * (database.max_connections + PROBES)
        with database.reading() as session:
            bounded = session.connection().connection.driver_connection
            if isinstance(bounded, BoundedConnection) and bounded.is_pooled:
                return cls(processes, most, None)
            return cls(processes, most, session.execute(_ALLOWED).scalar_one())

    def check(self) -> None:
        """Check that the database allows what the processes cannot do without.

        Raises:
            ConfigInvalid: it does not.
        """
        least = self.processes * LEAST_CONNECTIONS
        if self.allowed is not None and self.allowed < least:
            raise ConfigInvalid(
                f"the database allows {self.allowed} connections, and WORKERS={self.processes} needs {least}: "
                "allow more, start fewer workers, or put PgBouncer between"
            )

    def summary(self) -> str:
        """One line about the limits, for the operator."""
        opened = f"up to {self.most} connections to the database"
        if self.allowed is None:
            return f"{opened}, through a pooler"
        warning = "" if self.most <= self.allowed else ": set DATABASE_CONNECTIONS, or put PgBouncer between"
        return f"{opened}, which allows {self.allowed} to all servers{warning}"
