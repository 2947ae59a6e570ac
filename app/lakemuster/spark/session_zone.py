"""Find conditions whose times without a zone Spark reads in another zone than the server, which takes them for UTC."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from lakemuster.client import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ZONE = "spark.sql.session.timeZone"
_UTC = frozenset({"utc", "etc/utc", "gmt", "etc/gmt", "z", "zulu", "+00:00", "utc+00:00", "gmt+00:00"})
_INSTANTS = re.compile("timestamptz|timestamp_ltz|local time zone")
"""Types of timestamps with a zone, in the schemas of either format, in lower case."""


def reads_times_otherwise(spark: SparkSession, table: Table, where: str) -> bool:
    """Return whether the session's zone is not UTC, and a condition may name a timestamp with a zone."""
    zone: str = spark.conf.get(_ZONE, "UTC")
    return zone.lower() not in _UTC and _names_instants(table, where)


def _names_instants(table: Table, where: str) -> bool:
    text = where.casefold()
    return any(
        _INSTANTS.search(json.dumps(field).lower())
        and (field["name"].casefold() in text or set(field["name"]) & set('"`'))
        for schema in table.schemas()
        for field in schema["fields"]
    )
