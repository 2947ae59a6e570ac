"""The types of events: one list for the log, its filters, webhooks and clients. A new type is one line here."""

from __future__ import annotations

from typing import Literal, get_args

EventType = Literal[
    "table.registered",
    "table.removed",
    "table.renamed",
    "table.committed",
    "table.ref_changed",
    "table.altered",
    "table.quarantined",
    "table.recovered",
    "health.changed",
    "partition.ready",
]
TYPES: tuple[str, ...] = get_args(EventType)
LOST = "events.lost"
"""Tells one client that events which it has not received are deleted; it is never in the log."""
