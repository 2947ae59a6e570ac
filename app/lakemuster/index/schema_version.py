"""The schema versions of the database, named by the migration scripts' file names: ``0008_jobs.py`` is ``0008``.

This module does not import SQLAlchemy and Alembic, which are slow to import.

A server supports a range of database versions, so that replicas can be upgraded one after another: those from
``OLDEST_DATABASE`` to its own version, and newer ones that admit it (``oldest_server`` of the newest migration, which
the database stores).
"""

from __future__ import annotations

from pathlib import Path

OLDEST_DATABASE = "0014"
"""The oldest schema version that this code supports. Raise it with the code that first needs a later one."""

_PACKAGED = Path(__file__).parent / "_migrations"
_IN_SOURCE_TREE = Path(__file__).parents[3] / "migrations"


def scripts_folder() -> Path:
    """Return the folder of the migration scripts."""
    return _PACKAGED if _PACKAGED.is_dir() else _IN_SOURCE_TREE


def newest() -> str:
    """Return the schema version that this code creates."""
    return max(known())


def known() -> set[str]:
    """Return all schema versions that this code has migrations for."""
    return {path.name.partition("_")[0] for path in (scripts_folder() / "versions").glob("[0-9]*_*.py")}
