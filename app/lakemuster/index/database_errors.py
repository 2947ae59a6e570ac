"""Map the errors of database drivers to CatalogErrors.

The driver's message and the database's address become a note of the error, which operators see and responses omit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from lakemuster.errors import CatalogError, DatabaseVersionMismatch, IndexUnavailable, MetadataCorrupt

_MISSING_TABLE = ("42P01", "42703")
_LOCK_NOT_AVAILABLE = "55P03"
_NOT_WRITABLE = {
    "25006": "the database is read-only",
    "53100": "the database's disk is full",
    sqlite3.SQLITE_READONLY: "the database is read-only",
    sqlite3.SQLITE_FULL: "the database's disk is full",
}
"""What is said of a database that can be read but not written, by PostgreSQL's SQLSTATE or SQLite's error code."""
_WRONG_VERSION = "the database lacks a table or column that this version needs; run: lakemuster migrate"
_RESTORE = "restore a backup (docs/operations/backup.md), or remove the file and register the tables again"
_REMEDIES = {
    "not a database": _RESTORE,
    "malformed": _RESTORE,
    "readonly database": "SQLite must be able to write to the file and to its folder",
    "unable to open database file": "SQLite must be able to write to the file and to its folder",
}
"""Remedies by a part of SQLite's message."""
_KIND_OF_ERROR = 0xFF
"""The lowest byte of SQLite's extended error code is the kind of the error."""
_LONGEST = 300


def place_of(url: URL) -> str:
    """Return a database's file, or its host and name, without user, password and options."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    host = url.host or url.query.get("host") or "the local socket"
    return f"{host if isinstance(host, str) else host[0]}{f':{url.port}' if url.port else ''}/{url.database or ''}"


@contextmanager
def map_database_errors(place: str) -> Iterator[None]:
    """Map the database errors that the block raises.

    Args:
        place: see :func:`place_of`.

    Raises:
        IndexUnavailable: the database does not answer, or not in time.
        DatabaseVersionMismatch: the database lacks a table or column.
        MetadataCorrupt: the database cannot hold a given value.
    """
    try:
        yield
    except PoolTimeout as cause:
        raise IndexUnavailable("the database is too busy") from cause
    except DBAPIError as cause:
        raise _our_error(cause, place) from cause
    except sqlite3.Error as cause:
        if _lacks_table_here(cause):
            raise DatabaseVersionMismatch(_WRONG_VERSION) from cause
        raise _unavailable(_not_writable(cause) or "the database does not answer", cause, place) from cause
    except OverflowError as cause:
        raise MetadataCorrupt("a number does not fit in 64 bits") from cause


def is_lock_timeout(error: IndexUnavailable) -> bool:
    """Return whether PostgreSQL ended a statement that waited for another session's lock."""
    cause = error.__cause__
    return isinstance(cause, DBAPIError) and getattr(cause.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE


def _our_error(cause: DBAPIError, place: str) -> CatalogError:
    if _lacks_table(cause):
        return DatabaseVersionMismatch(_WRONG_VERSION)
    if isinstance(cause, DataError):
        return MetadataCorrupt("the metadata has a value that the index cannot store")
    if (reason := _not_writable(cause.orig)) is not None:
        return _unavailable(reason, cause.orig, place)
    is_silent = isinstance(cause, (OperationalError, InterfaceError))
    said = "the database does not answer" if is_silent else "the database rejected the statement"
    return _unavailable(said, cause.orig, place)


def _not_writable(cause: BaseException | None) -> str | None:
    """Return what is said of a database that can only be read; None for other errors."""
    code: str | None = getattr(cause, "sqlstate", None)
    extended: int | None = getattr(cause, "sqlite_errorcode", None)
    return _NOT_WRITABLE.get(code or 0) if extended is None else _NOT_WRITABLE.get(extended & _KIND_OF_ERROR)


def _unavailable(message: str, cause: BaseException | None, place: str) -> IndexUnavailable:
    """Return the error with the first line of the driver's message: further ones hold statements and values."""
    lines = str(cause).split("\n")
    # psycopg lists the attempts of a connection to several addresses.
    said = " ".join(lines[: 2 if lines[0].endswith(":") else 1])[:_LONGEST] or type(cause).__name__
    remedy = next((f"; {remedy}" for part, remedy in _REMEDIES.items() if part in said), "")
    error = IndexUnavailable(message)
    error.add_note(f"{place}: {said}{_extended_name(cause)}{remedy}")
    return error


def _extended_name(cause: BaseException | None) -> str:
    """Return SQLite's name of an error that its message does not tell from others, such as those of reads and locks."""
    code: int = getattr(cause, "sqlite_errorcode", 0)
    return f" ({getattr(cause, 'sqlite_errorname', code)})" if code > _KIND_OF_ERROR else ""


def _lacks_table(cause: DBAPIError) -> bool:
    if isinstance(cause, ProgrammingError):
        return getattr(cause.orig, "sqlstate", None) in _MISSING_TABLE
    return _lacks_table_here(cause.orig)


def _lacks_table_here(cause: BaseException | None) -> bool:
    return isinstance(cause, sqlite3.OperationalError) and str(cause).startswith(("no such table", "no such column"))
