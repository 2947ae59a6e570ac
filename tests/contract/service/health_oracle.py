"""Table health recomputed in plain Python from the lists of files, manifests and snapshots."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Any

from lakemuster.catalog.lists import Choice, rows_of
from lakemuster.catalog.services import Services
from lakemuster.cli.local_plans import plan_pages
from lakemuster.cli.sources import Query
from tests.contract.service.backends import rows

Row = dict[str, Any]
MIB = 2**20


def files(services: Services, name: str, stats: tuple[str, ...] = ()) -> list[Row]:
    """Return the live data and delete files."""
    return rows(rows_of(services.index, "files", services.view(name), Choice(stats=list(stats) or None)))


def manifests(services: Services, name: str) -> list[Row]:
    """Return the manifests of the current snapshot."""
    return rows(rows_of(services.index, "manifests", services.view(name), Choice()))


def planned(services: Services, name: str) -> list[tuple[Row, list[str]]]:
    """Return the data files of a full plan, each with its delete files."""
    found: list[tuple[Row, list[str]]] = []
    for page in plan_pages(services, name, Query("plan", name)):
        known = [_entry(one) for one in page["deletes"]]
        found += [(dict(file), [known[at] for at in file["deletes"]]) for file in page["files"]]
    return found


def _entry(row: Row) -> str:
    """Return the identity of a delete file, or of a deletion vector in one."""
    return f"{row['file_path']} {row.get('content_offset')}"


def _carries(file: Row, deletes: list[str]) -> bool:
    return bool(deletes) or file.get("deletion_vector") is not None


def counted(services: Services, name: str) -> dict[str, int]:
    """Count the files, the data files that a read must merge, the current snapshot's manifests, and the snapshots."""
    plan = planned(services, name)
    return {
        "files": len(files(services, name)),
        "merges": sum(_carries(file, deletes) or file.get("raw_convertible") is False for file, deletes in plan),
        "manifests": len(manifests(services, name)),
        "snapshots": len(services.snapshots(name)[1]),
    }


def expected(services: Services, name: str, now_ms: int, target: int | None) -> dict[str, float | None]:
    """Return the value of each component of a table whose current snapshot can be read.

    Components without an expected value are absent.

    Args:
        target: the target file size of the settings.
    """
    table, metadata, _ = services.fresh(name)
    live = files(services, name)
    data = [row for row in live if row["content"] == "data"]
    own = [record for record in services.snapshots(name)[1] if record.snapshot.branch == "main"]
    found: dict[str, float | None] = {
        "quarantine": sum(record.state == "quarantined" for record in services.snapshots(name)[1])
    }
    current = [one.snapshot for one in own if one.snapshot.snapshot_id == metadata.current_snapshot_id]
    at_ms = current[0].committed_at_ms if current else metadata.last_updated_ms
    found["staleness"] = None if at_ms is None else max(0, now_ms - at_ms) / 1000
    plan = planned(services, name)
    carrying = [file for file, deletes in plan if _carries(file, deletes)]
    found["delete_debt"] = 100 * len(carrying) / len(data) if data else 0
    if table.format == "iceberg":
        entries = [_entry(row) for row in live if row["content"] != "data"]
        used = {entry for _, deletes in plan for entry in deletes}
        found["dangling_deletes"] = 100 * sum(one not in used for one in entries) / len(entries) if entries else 0
    of_format = iceberg if table.format == "iceberg" else paimon
    found |= of_format(services, name, data, target)
    return found


def skew(data: list[Row], target: int) -> float:
    """Return the ratio of the largest partition's size to the median, each at least one target file."""
    sizes = Counter[str]()
    for row in data:
        sizes[f"{row.get('spec_id')} {row['partition']}"] += int(row["file_size_in_bytes"])
    if len(sizes) < 2:
        return 1.0
    ordered = sorted(sizes.values())
    middle = ordered[max(math.ceil(len(ordered) / 2) - 1, 0)]
    return max(ordered[-1], target) / max(middle, target)


def iceberg(services: Services, name: str, data: list[Row], target: int | None) -> dict[str, float | None]:
    """Return the components that Iceberg's own rules determine."""
    table, metadata, _ = services.fresh(name)
    properties = metadata.properties
    aim = target or int(properties.get("write.target-file-size-bytes", 512 * MIB))
    groups: dict[str, list[int]] = defaultdict(list)
    for row in data:
        key = str(row["partition"]) if row["spec_id"] == metadata.default_spec_id else "others"
        groups[key].append(int(row["file_size_in_bytes"]))
    small = 0
    for sizes in groups.values():
        tiny = [size for size in sizes if size < 0.75 * aim]
        huge = [size for size in sizes if size > aim * 180 // 100]
        both = tiny + huge
        if tiny and (len(both) >= 5 or (len(both) > 1 and sum(both) > aim) or sum(both) > aim * 180 // 100):
            small += len(tiny)
    saved = 0
    listed = manifests(services, name)
    for content in ("data", "deletes"):
        lengths = [
            int(row["manifest_length"])
            for row in listed
            if row["content"] == content and row["partition_spec_id"] == metadata.default_spec_id
        ]
        size = int(properties.get("commit.manifest.target-size-bytes", 8 * MIB))
        saved += max(0, len(lengths) - max(1, math.ceil(sum(lengths) / size)))
    found: dict[str, float | None] = {
        "small_files": 100 * small / len(data) if data else 0,
        "skew": skew(data, aim),
        "manifests": saved,
        "metadata_size": os.path.getsize(_path(metadata.metadata_location, table.rewrites)),
    }
    spec = next(one for one in metadata.specs if one.spec_id == metadata.default_spec_id)
    if any(field.transform != "void" for field in spec.fields):
        found["unclustered_writes"] = _writes(services, name, aim if target is None else 0)
    return found


def _path(location: str, rewrites: Iterable[tuple[str, str]]) -> str:
    for old, new in rewrites:
        if location.startswith(old):
            location = new + location[len(old) :]
    return location.removeprefix("file://").removeprefix("file:")


def _writes(services: Services, name: str, aim: int) -> float | None:
    _, metadata, _ = services.fresh(name)
    least = (aim or int(metadata.properties.get("write.target-file-size-bytes", 512 * MIB))) * 75 // 100
    ratios = []
    for record in sorted(services.snapshots(name)[1], key=lambda one: -one.snapshot.committed_at_ms):
        snapshot = record.snapshot
        summary = snapshot.summary
        if snapshot.operation in ("append", "overwrite") and summary.get("added-data-files", "0") != "0":
            if summary.get("changed-partition-count", "0") == "0":
                continue
            count, parts = int(summary["added-data-files"]), int(summary["changed-partition-count"])
            large = "added-files-size" in summary and int(summary["added-files-size"]) >= count * least
            ratios.append(1.0 if large else count / parts)
    return float(median(ratios[:5])) if ratios else None


def paimon(services: Services, name: str, data: list[Row], target: int | None) -> dict[str, float | None]:
    """Return the components that Paimon's own rules determine."""
    _, metadata, _ = services.fresh(name)
    schema = next(one for one in metadata.schemas if one.schema_id == metadata.current_schema_id)
    options = dict(schema.options)
    keyed = bool(schema.primary_keys)
    aim = target or _size(options.get("target-file-size", "128 mb" if keyed else "256 mb"))
    listed = [row for row in manifests(services, name) if row["list"] in ("base", "delta")]
    total = sum(int(row["manifest_length"]) for row in listed)
    size = _size(options.get("manifest.target-file-size", "8 mb"))
    found: dict[str, float | None] = {
        "skew": skew(data, aim),
        "manifests": max(0, len(listed) - max(1, math.ceil(total / size))),
    }
    buckets: dict[str, list[Row]] = defaultdict(list)
    for row in data:
        buckets[f"{row['partition']} {row['bucket']}"].append(row)
    if keyed:
        runs = [
            sum(row["level"] == 0 for row in some) + len({row["level"] for row in some if row["level"] > 0})
            for some in buckets.values()
        ]
        plan = planned(services, name)
        merged = sum(file.get("raw_convertible") is False for file, _ in plan)
        if data:
            found["sorted_runs"] = max(runs)
            found["merge_reads"] = 100 * merged / len(data)
    else:
        small = 0
        for some in buckets.values():
            tiny = [int(row["file_size_in_bytes"]) for row in some if int(row["file_size_in_bytes"]) < 0.7 * aim]
            least = int(options.get("compaction.min.file-num", "5"))
            if len(tiny) >= max(2, least) or (len(tiny) > 1 and sum(tiny) >= 2 * aim):
                small += len(tiny)
        found["small_files"] = 100 * small / len(data) if data else 0
    return found


def _size(text: str) -> int:
    number = "".join(letter for letter in text if letter.isdigit())
    unit = text.replace(number, "").strip().lower()[:1]
    return int(number) * {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30}[unit]
