"""Convert snapshots and tags to the protocol's JSON: the members of their files, absent ones left out. Pure.

Source: Paimon ``Snapshot``, ``GetTagResponse``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal

from lakemuster.metadata.snapshot import Ref, Snapshot

Json = dict[str, object]

_MEMBERS = (
    "version",
    "uuid",
    "baseManifestList",
    "baseManifestListSize",
    "deltaManifestList",
    "deltaManifestListSize",
    "changelogManifestList",
    "changelogManifestListSize",
    "indexManifest",
    "commitUser",
    "writerVersion",
    "commitIdentifier",
    "commitKind",
    "logOffsets",
    "totalRecordCount",
    "deltaRecordCount",
    "changelogRecordCount",
    "watermark",
    "statistics",
    "properties",
    "nextRowId",
    "operation",
)
_KEYS = {member: re.sub(r"(?<!^)([A-Z])", r"_\1", member).lower() for member in _MEMBERS}


def snapshot_json(snapshot: Snapshot) -> Json:
    """Convert a snapshot: the members of its own file, or those that its tag retains."""
    document: Json = {"id": snapshot.snapshot_id, "schemaId": snapshot.schema_id}
    for member, key in _KEYS.items():
        value = snapshot.extra.get(key)
        if value is not None:
            document[member] = value
    document["timeMillis"] = snapshot.committed_at_ms
    return document


def tag_json(tag: Ref, snapshot: Snapshot) -> Json:
    """Convert a tag. Its file has the writer's wall clock without a zone, which is interpreted as UTC."""
    created = tag.extra.get("tag_create_time")
    retained = tag.extra.get("tag_time_retained")
    return {
        "tagName": tag.name,
        "snapshot": snapshot_json(snapshot),
        "tagCreateTime": _milliseconds(created) if isinstance(created, str) else None,
        "tagTimeRetained": None if retained is None else _duration(retained),
    }


def _milliseconds(local: str) -> int | None:
    try:
        return int(datetime.fromisoformat(local[:26]).replace(tzinfo=UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _duration(seconds: object) -> str:
    """Format seconds like Java: ``PT72H``, ``PT1M0.5S``; other text is returned unchanged."""
    try:
        exact = Decimal(str(seconds))
    except ArithmeticError:
        return str(seconds)
    if not exact.is_finite() or exact < 0:
        return str(seconds)
    whole, rest = divmod(exact, 1)
    minutes, second = divmod(int(whole), 60)
    hours, minute = divmod(minutes, 60)
    text = f"{hours}H" if hours else ""
    text += f"{minute}M" if minute else ""
    if second or rest:
        text += f"{(second + rest).normalize():f}S"
    return f"PT{text or '0S'}"
