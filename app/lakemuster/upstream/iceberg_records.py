"""The parameters of a table's record in Glue and in the Hive Metastore: whether it is an Iceberg table, its pointer.

Source: Iceberg's ``BaseMetastoreTableOperations``.
"""

from __future__ import annotations

from collections.abc import Mapping


def is_iceberg(parameters: Mapping[str, str]) -> bool:
    """Whether a record is that of an Iceberg table; those of views have another type."""
    return parameters.get("table_type", "").lower() == "iceberg"


def location_in(parameters: Mapping[str, str]) -> str | None:
    """The location of the current metadata; None: the record names none."""
    return parameters.get("metadata_location") or None
