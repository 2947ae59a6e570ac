"""Map the errors of database drivers to CatalogErrors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from lakemuster.errors import CatalogError, DatabaseVersionMismatch, IndexUnavailable, MetadataCorrupt

_MISSING_TABLE = ("42P01", "42703")
_WRONG_VERSION = "the database lacks a table or column that this version needs; run: lakemuster migrate"


@contextmanager
def map_database_errors() -> Iterator[None]:
    """Map the database errors that the block raises.

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
        raise _our_error(cause) from cause
    except sqlite3.Error as cause:
        if _lacks_table_here(cause):
            raise DatabaseVersionMismatch(_WRONG_VERSION) from cause
        raise IndexUnavailable(f"the database does not answer: {cause}") from cause
    except OverflowError as cause:
        raise MetadataCorrupt("a number does not fit in 64 bits") from cause


def _our_error(cause: DBAPIError) -> CatalogError:
    if _lacks_table(cause):
        return DatabaseVersionMismatch(_WRONG_VERSION)
    if isinstance(cause, DataError):
        return MetadataCorrupt("the metadata has a value that the index cannot store")
    if isinstance(cause, (OperationalError, InterfaceError)):
        return IndexUnavailable(f"the database does not answer ({type(cause.orig).__name__})")
    return IndexUnavailable(f"the database rejected the statement ({type(cause.orig).__name__})")


def _lacks_table(cause: DBAPIError) -> bool:
    if isinstance(cause, ProgrammingError):
        return getattr(cause.orig, "sqlstate", None) in _MISSING_TABLE
    return _lacks_table_here(cause.orig)


def _lacks_table_here(cause: BaseException | None) -> bool:
    return isinstance(cause, sqlite3.OperationalError) and str(cause).startswith(("no such table", "no such column"))
