"""The typed HTTP client, for Spark drivers, scripts and notebooks. Needs httpx; pyarrow only for Arrow results."""

from __future__ import annotations

from lakemuster.client.aggregates import Aggregate, Aggregates
from lakemuster.client.catalog import Client, Table
from lakemuster.client.errors import AnswerIncomplete, ClientError, NotFoundError, ServerUnreachable
from lakemuster.client.model import RefInfo, RefreshReport, SnapshotInfo, TableInfo
from lakemuster.client.plans import Plan, PlanTask
from lakemuster.client.rows import Rows
from lakemuster.client.tokens import TokenFile

__all__ = [
    "Aggregate",
    "Aggregates",
    "AnswerIncomplete",
    "Client",
    "ClientError",
    "NotFoundError",
    "Plan",
    "PlanTask",
    "RefInfo",
    "RefreshReport",
    "Rows",
    "ServerUnreachable",
    "SnapshotInfo",
    "Table",
    "TableInfo",
    "TokenFile",
]
