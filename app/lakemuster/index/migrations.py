"""Schema migrations of the database with Alembic: check its version, upgrade it, downgrade it."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from lakemuster.errors import DatabaseVersionMismatch
from lakemuster.index.schema_version import scripts_folder

_MIGRATION_LOCK = 0x6C616B65  # any number that nothing else on the server uses as an advisory lock


def head() -> str:
    """The schema version that this code needs."""
    revision = _scripts().get_current_head()
    assert revision is not None
    return revision


def check(connection: Connection) -> None:
    """Check that the database has this code's schema version.

    Raises:
        DatabaseVersionMismatch: it has another; the message says what to do.
    """
    scripts = _scripts()
    found, wanted = MigrationContext.configure(connection).get_current_revision(), scripts.get_current_head()
    if found == wanted:
        return
    if found is None:
        raise DatabaseVersionMismatch("the database has not been initialized; run: lakemuster migrate", wanted=wanted)
    if _is_known(scripts, found):
        raise DatabaseVersionMismatch(
            "the database is older than this program; run: lakemuster migrate", found=found, wanted=wanted
        )
    raise DatabaseVersionMismatch(
        "the database is newer than this program; upgrade lakemuster", found=found, wanted=wanted
    )


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Upgrade the database to a schema version in the connection's transaction: completely or not at all.

    Concurrent upgrades are serialized by a lock; the later ones find nothing left to do.

    Raises:
        DatabaseVersionMismatch: the database is newer than this code.
    """
    _lock(connection)
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and not _is_known(_scripts(), found):
        raise DatabaseVersionMismatch("the database is newer than this program; upgrade lakemuster", found=found)
    command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str = "base") -> None:
    """Downgrade the database to an older schema version; ``base`` removes every table."""
    _lock(connection)
    command.downgrade(_config(connection), revision)


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
