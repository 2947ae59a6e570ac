"""Build the response of ``loadTable``: a table's metadata file unchanged, or with rewritten locations. Pure.

The metadata of a moved lake records the old locations. Clients receive the present ones: the table's root, manifest
lists (in format version 1 also manifests), statistics files and earlier metadata files. Properties are not changed:
they tell writers where to put new files. Locations inside manifest lists and manifests cannot be rewritten,
so clients of a moved table must let this server plan.

A bare path becomes a URL (``/lake/t`` is ``file:///lake/t``): some clients, ClickHouse and iceberg-rust among them,
refuse locations without a scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import orjson

from lakemuster.errors import MetadataCorrupt

_STATISTICS = ("statistics", "partition-statistics")


def load_table_result(
    file: bytes,
    location: str,
    config: Mapping[str, str],
    *,
    refs_only: bool = False,
    rewrite: Callable[[str], str],
) -> bytes:
    """Return the response as JSON.

    Args:
        file: the metadata file, decompressed.
        location: the file's location, with its scheme.
        config: properties of the client for this table.
        refs_only: include only the current snapshot, those that a branch or tag names, and their statistics.
        rewrite: maps a recorded location to the present one, with its scheme.

    Raises:
        MetadataCorrupt: the file is not a JSON object, or its members have types that the specification forbids.
    """
    try:
        # Even an unchanged file must be one JSON value: trailing text would become part of our response.
        metadata = orjson.loads(file)
        if not isinstance(metadata, dict):
            raise MetadataCorrupt("the table metadata is not a JSON object")
        if refs_only:
            _keep_refs(metadata)
        rewritten = _rewrite(metadata, rewrite)
    except orjson.JSONDecodeError as cause:
        if cause.msg.startswith("Not enough memory"):
            raise MemoryError from cause
        raise MetadataCorrupt(f"the table metadata is not JSON: {cause}") from cause
    except (TypeError, KeyError, AttributeError) as cause:
        raise MetadataCorrupt("the table metadata has members of the wrong type") from cause
    body = orjson.dumps(metadata) if refs_only or rewritten else file
    return b'{"metadata-location":%s,"metadata":%s,"config":%s}' % (
        orjson.dumps(location),
        body,
        orjson.dumps(dict(config)),
    )


def _keep_refs(metadata: dict[str, Any]) -> None:
    named = {ref["snapshot-id"] for ref in _all(metadata, "refs", dict).values()}
    named.add(metadata.get("current-snapshot-id"))
    for part in ("snapshots", *_STATISTICS):
        if metadata.get(part) is not None:
            metadata[part] = [item for item in _all(metadata, part, list) if item["snapshot-id"] in named]


def _rewrite(metadata: dict[str, Any], rewrite: Callable[[str], str]) -> bool:
    """Rewrite the locations in place; return whether any changed."""
    owners: list[tuple[dict[str, Any], str]] = [(metadata, "location")]
    owners += [(snapshot, "manifest-list") for snapshot in _all(metadata, "snapshots", list)]
    owners += [(item, "metadata-file") for item in _all(metadata, "metadata-log", list)]
    owners += [(item, "statistics-path") for part in _STATISTICS for item in _all(metadata, part, list)]
    changed = [_move(owner, key, rewrite) for owner, key in owners]
    for snapshot in _all(metadata, "snapshots", list):
        if snapshot.get("manifests") is not None:
            now = [rewrite(manifest) for manifest in snapshot["manifests"]]
            changed.append(now != snapshot["manifests"])
            snapshot["manifests"] = now
    return any(changed)


def _move(owner: dict[str, Any], key: str, rewrite: Callable[[str], str]) -> bool:
    before = owner.get(key)
    if before is not None:
        owner[key] = rewrite(before)
    return bool(owner.get(key) != before)


def _all(metadata: dict[str, Any], part: str, kind: type) -> Any:
    """Return a member; empty if it is absent or null."""
    found = metadata.get(part)
    if found is None:
        return kind()
    if not isinstance(found, kind):
        raise TypeError(part)
    return cast("Any", found)
