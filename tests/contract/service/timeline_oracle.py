"""Expected timelines, computed from the files of each snapshot as Python sets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from lakemuster.catalog.services import Services
from lakemuster.planner.lists import snapshot_lists
from lakemuster.planner.view import Selector
from tests.contract.service.backends import rows

Row = Mapping[str, Any]
Files = Mapping[str, Row]


def files_of(services: Services, name: str, snapshot_id: int, ref: str | None = None) -> Files:
    """Return the live files of a snapshot by identity, without those of a fallback branch."""
    view = services.view(name, Selector(snapshot_id) if ref is None else Selector(ref=ref))
    found = rows(snapshot_lists.files(services.index, view))
    return {_identity(row): row for row in found if row.get("branch") is None}


def _identity(row: Row) -> str:
    parts = ("file_path", "content_offset", "level", "bucket", "partition", "spec_id", "external_path")
    return json.dumps([row.get(part) for part in parts])


def figures(kind: str, files: Iterable[Row]) -> dict[str, int]:
    """Sum the figures over files, with names that start with ``kind``."""
    listed = list(files)
    data = [row for row in listed if row["content"] == "data"]
    return {
        f"{kind}_data_files": len(data),
        f"{kind}_delete_files": len(listed) - len(data),
        f"{kind}_records": sum(int(row["record_count"]) for row in data),
        f"{kind}_bytes": sum(int(row.get("content_size_in_bytes") or row["file_size_in_bytes"]) for row in listed),
    }


def touched(files: Iterable[Row]) -> set[str]:
    """Return the distinct partitions of files."""
    return {json.dumps([row["spec_id"], row["partition"]]) for row in files}


def commit(before: Files, after: Files) -> dict[str, int]:
    """Return the figures of a commit and of the state after it."""
    added = [row for key, row in after.items() if key not in before]
    removed = [row for key, row in before.items() if key not in after]
    return {
        **figures("added", added),
        **figures("removed", removed),
        "partitions": len(touched([*added, *removed])),
        **figures("total", after.values()),
    }


def period(states: Sequence[tuple[Files, Files]]) -> dict[str, int]:
    """Return the figures of a period's commits, each given by the states before and after it."""
    each = [commit(before, after) for before, after in states]
    summed = {name: sum(one[name] for one in each) for name in each[0] if not name.startswith("total")}
    partitions: set[str] = set()
    for before, after in states:
        partitions |= touched(after[key] for key in after.keys() - before.keys())
        partitions |= touched(before[key] for key in before.keys() - after.keys())
    return {**summed, "partitions": len(partitions), **figures("total", states[-1][1].values())}


def start_of(moment: datetime, bucket: str) -> datetime:
    """Return the start of the period that contains a time."""
    moment = moment.astimezone(UTC)
    hour = moment.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    week = day - timedelta(days=day.weekday())
    return {"hour": hour, "day": day, "week": week, "month": day.replace(day=1)}[bucket]
