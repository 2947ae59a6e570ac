"""Recognize clients by their headers, and refuse plans that a client would misread.

Iceberg Java 1.11 and 1.12 reads no sequence numbers from scan tasks. So ``_last_updated_sequence_number`` is null for
every row whose data file leaves it to be inherited. The library names the columns that it reads, metadata columns
included, in ``select``. In partition tuples it reads floating-point values only as JSON numbers, which NaN and
infinities are not. PyIceberg 0.12 has no such column. It refuses a plan with a null in a partition tuple, and reads
the other values of a tuple without types.

Source: Iceberg Java, ``ContentFileParser``, ``RESTTableScan``, ``PartitionUtil``, ``SingleValueParser``,
``HTTPClient``; PyIceberg, ``catalog/rest/scan_planning.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakemuster.catalog.iceberg_rest.scans import PlannedScan
from lakemuster.errors import ClientMustPlan
from lakemuster.wire.iceberg_rest.plans import PlanTableScanRequest

VERSION_HEADER = "x-client-version"
UPDATED = "_last_updated_sequence_number"
ROW_LINEAGE = 3
"""The first format version whose rows have ids and sequence numbers."""

MOVED = (
    "this table was moved, and its metadata refers to files at their old locations: clients cannot read it until its "
    "paths are rewritten"
)


@dataclass(frozen=True, slots=True)
class IcebergClient:
    """A client, as identified by its headers.

    Attributes:
        is_java: Iceberg's Java library, in any engine.
        is_pyiceberg: PyIceberg 0.
    """

    is_java: bool = False
    is_pyiceberg: bool = False

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> IcebergClient:
        """Identify the client from its request headers."""
        return cls(
            headers.get(VERSION_HEADER, "").startswith("Apache Iceberg "),
            headers.get("user-agent", "").startswith("PyIceberg/0."),
        )

    def require_columns(self, planned: PlannedScan, asked: PlanTableScanRequest) -> None:
        """Refuse to plan a scan of columns that the client would misread.

        Raises:
            ClientMustPlan: the scan selects such a column.
        """
        metadata = planned.view.metadata
        if not self.is_java or metadata.format_version < ROW_LINEAGE or not asked.select:
            return
        if UPDATED in (asked.select if asked.case_sensitive else map(str.casefold, asked.select)):
            raise client_must_plan(planned, f"Iceberg's Java library reads {UPDATED} as null from plans of a server")


def client_must_plan(planned: PlannedScan, reason: str) -> ClientMustPlan:
    """Return the error that refuses a plan and says what to do."""
    if planned.view.table.rewrites:
        return ClientMustPlan(f"{reason}; {MOVED}")
    return ClientMustPlan(
        f"{reason}: let the client plan this scan, with scan-planning-mode=client among the catalog's properties"
    )
