"""Schema migrations of the database with Alembic: upgrade and downgrade."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from lakemuster.index.schema_version import scripts_folder
from lakemuster.index.stored_version import SUPPORT_TABLE, stored


def head() -> str:
    """Return the schema version that this code creates."""
    revision = _scripts().get_current_head()
    assert revision is not None
    return revision


def oldest_server_of(revision: str) -> str:
    """Return the oldest schema version whose servers may use a database of the given version, from its migration.

    Most migrations only expand the schema: whatever an older server reads and writes stays. A migration that contracts
    it declares a later version; it is released one version after the last code that used the removed parts.
    """
    script = _scripts().get_revision(revision)
    oldest: str = getattr(script.module, "oldest_server", revision)
    return oldest


def _tell_oldest_server(connection: Connection) -> None:
    found = stored(connection)
    if found is not None and inspect(connection).has_table(SUPPORT_TABLE):
        connection.execute(text(f"DELETE FROM {SUPPORT_TABLE}"))  # noqa: S608
        insert = text(f"INSERT INTO {SUPPORT_TABLE} (id, oldest_server) VALUES (1, :oldest)")  # noqa: S608
        connection.execute(insert, {"oldest": oldest_server_of(found)})


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Upgrade the database to a schema version in the connection's transaction, completely or not at all."""
    command.upgrade(_config(connection), revision)
    _tell_oldest_server(connection)


def downgrade(connection: Connection, revision: str = "base") -> None:
    """Downgrade the database to an older schema version; ``base`` removes every table."""
    command.downgrade(_config(connection), revision)
    _tell_oldest_server(connection)


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts_folder()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())
