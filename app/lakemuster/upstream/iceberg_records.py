"""The parameters of a table's record in Glue and the Hive Metastore: whether it is an Iceberg table, and its pointer.

Source: Iceberg's ``BaseMetastoreTableOperations``.
"""

from __future__ import annotations

from collections.abc import Mapping


def is_iceberg(parameters: Mapping[str, str]) -> bool:
    """Return whether a record is an Iceberg table's; records of views have another type."""
    return parameters.get("table_type", "").lower() == "iceberg"


def location_in(parameters: Mapping[str, str]) -> str | None:
    """Return the location of the current metadata; None: the record has none."""
    return parameters.get("metadata_location") or None
