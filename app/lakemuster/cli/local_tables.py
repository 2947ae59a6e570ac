"""The list of tables of the local index, without the packages that open it for other commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakemuster.catalog.table_documents import table_out
from lakemuster.cli.sources import Row
from lakemuster.cli.table_choice import chosen_tables
from lakemuster.config import load_settings
from lakemuster.index.sqlite_tables import list_sqlite_tables


def local_tables(choice: Mapping[str, Any]) -> Sequence[Row] | None:
    """Return the chosen tables; None if the index has to be opened for that.

    Raises:
        ConfigInvalid: a setting is wrong.
    """
    tables = list_sqlite_tables(load_settings().database_url)
    if tables is None:
        return None
    return chosen_tables(
        (table_out(one.record, one.figures, one.health).model_dump(mode="json") for one in tables), choice
    )
