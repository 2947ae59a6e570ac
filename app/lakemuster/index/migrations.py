"""Schema migrations of the database with Alembic: check its version, upgrade it, downgrade it."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from lakemuster.errors import DatabaseVersionMismatch
from lakemuster.index.schema_version import OLDEST_DATABASE, scripts_folder

SUPPORT_TABLE = "schema_support"
"""One row: the oldest version of servers that may use the database. Databases before 0015 have no such table."""

_MIGRATION_LOCK = 0x6C616B65  # any number that nothing else on the server uses as an advisory lock


def head() -> str:
    """The schema version that this code makes."""
    revision = _scripts().get_current_head()
    assert revision is not None
    return revision


def check(connection: Connection) -> None:
    """Check that this code serves the database: that its schema version is in the range that the code states.

    Raises:
        DatabaseVersionMismatch: it is not; the message says what to do.
    """
    scripts = _scripts()
    found, wanted = MigrationContext.configure(connection).get_current_revision(), head()
    if found == wanted:
        return
    if found is None:
        raise DatabaseVersionMismatch("the database has not been initialized; run: lakemuster migrate", wanted=wanted)
    if not _is_known(scripts, found):
        _require_admitted(connection, found)
    elif found < OLDEST_DATABASE:
        raise DatabaseVersionMismatch(
            f"the database is older than this program: its version is {found}, and {served()}; run: lakemuster migrate",
            found=found,
            wanted=wanted,
        )


def served() -> str:
    """Say which databases this code serves, as part of a sentence."""
    return f"databases of versions {OLDEST_DATABASE} to {head()}, and newer ones that admit {head()}, are served"


def _require_admitted(connection: Connection, found: str) -> None:
    """Check that a database of a newer version, which this code does not know, admits servers of this one.

    Raises:
        DatabaseVersionMismatch: it does not, or does not say.
    """
    oldest = _oldest_server(connection)
    if oldest is None or oldest > head():
        raise DatabaseVersionMismatch(
            f"the database is newer than this program: its version is {found}"
            + (f" for servers from {oldest} on" if oldest else "")
            + f", and {served()}; upgrade lakemuster",
            found=found,
            wanted=head(),
        )


def _oldest_server(connection: Connection) -> str | None:
    """The oldest version of servers that a database says it is for; None if it says nothing."""
    if not inspect(connection).has_table(SUPPORT_TABLE):
        return None
    oldest: str | None = connection.execute(text(f"SELECT oldest_server FROM {SUPPORT_TABLE}")).scalar()  # noqa: S608
    return oldest


def oldest_server_of(revision: str) -> str:
    """The oldest version of servers that a database of a known version is for, as its migration says.

    Migrations expand: what an older server reads and writes stays. One that contracts says a later version, and comes a
    version after the last code that used what goes.
    """
    script = _scripts().get_revision(revision)
    oldest: str = getattr(script.module, "oldest_server", revision)
    return oldest


def _tell_oldest_server(connection: Connection) -> None:
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and inspect(connection).has_table(SUPPORT_TABLE):
        connection.execute(text(f"DELETE FROM {SUPPORT_TABLE}"))  # noqa: S608
        insert = text(f"INSERT INTO {SUPPORT_TABLE} (id, oldest_server) VALUES (1, :oldest)")  # noqa: S608
        connection.execute(insert, {"oldest": oldest_server_of(found)})


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Upgrade the database to a schema version in the connection's transaction: completely or not at all.

    Concurrent upgrades are serialized by a lock; the later ones find nothing left to do. A newer database that admits
    this code stays as it is.

    Raises:
        DatabaseVersionMismatch: the database is newer than this code, and does not admit it.
    """
    _lock(connection)
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and not _is_known(_scripts(), found):
        _require_admitted(connection, found)
        return
    command.upgrade(_config(connection), revision)
    _tell_oldest_server(connection)


def downgrade(connection: Connection, revision: str = "base") -> None:
    """Downgrade the database to an older schema version; ``base`` removes every table."""
    _lock(connection)
    command.downgrade(_config(connection), revision)
    _tell_oldest_server(connection)


def _lock(connection: Connection) -> None:
    # SQLite needs no lock: its transaction began with BEGIN IMMEDIATE.
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")


def _is_known(scripts: ScriptDirectory, revision: str) -> bool:
    return any(script.revision == revision for script in scripts.walk_revisions())


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts_folder()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())
