"""The parameters of a table's record in Glue and the Hive Metastore: whether it is an Iceberg table, and its pointer.

Values of other types than text are not what the catalogs' protocols say.
Source: Iceberg's ``BaseMetastoreTableOperations``.
"""

from __future__ import annotations

from collections.abc import Mapping


def is_iceberg(parameters: Mapping[str, object]) -> bool:
    """Return whether a record is an Iceberg table's; records of views have another type."""
    return str(parameters.get("table_type")).lower() == "iceberg"


def location_in(parameters: Mapping[str, object]) -> str | None:
    """Return the location of the current metadata; None: the record has none."""
    location = parameters.get("metadata_location")
    return location if isinstance(location, str) and location else None
