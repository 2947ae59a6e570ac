"""The list of tables of the local index, without the packages that open it for other commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lakemuster.catalog.table_documents import table_out
from lakemuster.config import load_settings
from lakemuster.index.sqlite_tables import list_sqlite_tables


def local_tables() -> Sequence[dict[str, Any]] | None:
    """Return all tables, by name; None if the index has to be opened for that.

    Raises:
        ConfigInvalid: a setting is wrong.
    """
    records = list_sqlite_tables(load_settings().database_url)
    return None if records is None else [table_out(record).model_dump(mode="json") for record in records]
