"""Parse Iceberg table metadata files of format versions 1, 2 and 3.

Members without a field of their own are stored as JSON in ``extra``, with names in snake_case.
A member of the wrong type is an error that names its path.

Source: Iceberg spec, "Table Metadata", appendices C and E.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from lakemuster.errors import FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg.document import (
    Object,
    as_int,
    as_list,
    as_object,
    as_text,
    optional_int,
    optional_int32,
    optional_list,
    optional_text,
    stored_unread,
    texts,
    wrong,
)
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip
from lakemuster.formats.iceberg.json_text import parse_json
from lakemuster.formats.iceberg.schemas import parse_schema
from lakemuster.formats.iceberg.specs import parse_spec, parse_spec_fields
from lakemuster.metadata.partition import PartitionSpec, with_distinct_names
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, ManifestListRef, Ref, Snapshot, TableMetadata

METADATA_LIMIT = 512 * 2**20
"""Maximum bytes of a metadata file."""
LATEST_VERSION = 3
MAX_SNAPSHOTS = 200_000
_NO_SNAPSHOT = -1

_TABLE_MEMBERS = frozenset(
    {
        "format-version",
        "table-uuid",
        "location",
        "last-updated-ms",
        "schema",
        "schemas",
        "current-schema-id",
        "partition-spec",
        "partition-specs",
        "default-spec-id",
        "properties",
        "current-snapshot-id",
        "snapshots",
        "snapshot-log",
        "refs",
    }
)
_SNAPSHOT_MEMBERS = frozenset(
    {
        "snapshot-id",
        "parent-snapshot-id",
        "sequence-number",
        "timestamp-ms",
        "manifest-list",
        "manifests",
        "summary",
        "schema-id",
    }
)
_REF_MEMBERS = frozenset({"snapshot-id", "type"})
_VERBATIM = frozenset({"properties"})
"""Members whose keys the writer chooses: these keys stay unchanged."""

_T = TypeVar("_T")


def parse_table_metadata(data: bytes, location: str) -> TableMetadata:
    """Parse a metadata file, compressed or not.

    Args:
        data: the file.
        location: where it was read; becomes ``metadata_location``.

    Raises:
        FormatUnsupported: its format version is not supported.
        MetadataCorrupt: not JSON, or against the specification; the message names the path.
        LimitExceeded: too large when inflated, or nested too deep.
    """
    root = as_object(parse_json(inflate(data) if is_gzip(data) else data, "the table metadata"), "metadata")
    version = as_int(root.get("format-version"), "format-version")
    if version > LATEST_VERSION:
        raise FormatUnsupported(
            f"Iceberg format version {version} is not supported; the latest one supported is {LATEST_VERSION}",
            format_version=version,
        )
    if version < 1:
        raise wrong("format-version", "a format version", version)
    schemas, current_schema_id = _schemas(root)
    specs, default_spec_id = _specs(root)
    snapshots = _snapshots(root)
    refs, current_snapshot_id = _refs(root, {snapshot.snapshot_id for snapshot in snapshots})
    return TableMetadata(
        format="iceberg",
        format_version=version,
        uuid=optional_text(root, "table-uuid", ""),
        location=as_text(root.get("location"), "location"),
        metadata_location=location,
        schemas=schemas,
        current_schema_id=current_schema_id,
        specs=with_distinct_names(specs, schemas[::-1]),
        default_spec_id=default_spec_id,
        properties=texts(root.get("properties"), "properties"),
        snapshots=snapshots,
        current_snapshot_id=current_snapshot_id,
        refs=refs,
        snapshot_log=_snapshot_log(root),
        last_updated_ms=optional_int(root, "last-updated-ms", ""),
        extra=_extra(root, _TABLE_MEMBERS, ""),
        metadata_bytes=len(data),
    )


def _schemas(root: Object) -> tuple[tuple[Schema, ...], int]:
    listed = optional_list(root, "schemas", "")
    single = None if root.get("schema") is None else parse_schema(root["schema"], "schema")
    current = optional_int32(root, "current-schema-id", "")
    if not listed:
        if single is None:
            raise wrong("schemas", "a list of schemas", root.get("schemas"))
        return (single,), single.schema_id
    schemas = _by_id(
        (parse_schema(node, f"schemas[{i}]") for i, node in enumerate(listed)), lambda s: s.schema_id, "schemas"
    )
    if current is None:
        if single is None:
            raise wrong("current-schema-id", "an integer", None)
        current = single.schema_id
    if all(schema.schema_id != current for schema in schemas):
        raise MetadataCorrupt(f"current-schema-id {current} is not among schemas", path="current-schema-id")
    return schemas, current


def _specs(root: Object) -> tuple[tuple[PartitionSpec, ...], int]:
    listed = optional_list(root, "partition-specs", "")
    default = optional_int32(root, "default-spec-id", "")
    if not listed:
        spec_id = 0 if default is None else default
        return (PartitionSpec(spec_id, parse_spec_fields(root.get("partition-spec"), "partition-spec")),), spec_id
    specs = _by_id(
        (parse_spec(node, f"partition-specs[{i}]") for i, node in enumerate(listed)),
        lambda s: s.spec_id,
        "partition-specs",
    )
    if default is None:
        default = specs[-1].spec_id
    if all(spec.spec_id != default for spec in specs):
        raise MetadataCorrupt(f"default-spec-id {default} is not among partition-specs", path="default-spec-id")
    return specs, default


def _by_id(items: Iterable[_T], id_of: Callable[[_T], int], path: str) -> tuple[_T, ...]:
    found: dict[int, _T] = {}
    for item in items:
        if found.setdefault(id_of(item), item) != item:
            raise MetadataCorrupt(f"{path} has two different members of id {id_of(item)}", path=path)
    return tuple(found[key] for key in sorted(found))


def _snapshots(root: Object) -> tuple[Snapshot, ...]:
    listed = optional_list(root, "snapshots", "")
    if len(listed) > MAX_SNAPSHOTS:
        raise LimitExceeded(f"a table has at most {MAX_SNAPSHOTS} snapshots, not {len(listed)}", limit=MAX_SNAPSHOTS)
    snapshots = tuple(
        _snapshot(as_object(node, f"snapshots[{i}]"), f"snapshots[{i}].") for i, node in enumerate(listed)
    )
    if len({snapshot.snapshot_id for snapshot in snapshots}) < len(snapshots):
        raise MetadataCorrupt("snapshots has two members of one snapshot-id", path="snapshots")
    return snapshots


def _snapshot(node: Object, path: str) -> Snapshot:
    summary = texts(node.get("summary"), path + "summary")
    operation = summary.pop("operation", None)
    manifest_list = optional_text(node, "manifest-list", path)
    inline: tuple[str, ...] = ()
    if manifest_list is None:
        paths = as_list(node.get("manifests"), path + "manifests")
        inline = tuple(as_text(item, path + "manifests") for item in paths)
    parent = optional_int(node, "parent-snapshot-id", path)
    return Snapshot(
        snapshot_id=as_int(node.get("snapshot-id"), path + "snapshot-id"),
        committed_at_ms=as_int(node.get("timestamp-ms"), path + "timestamp-ms"),
        manifest_lists=() if manifest_list is None else (ManifestListRef("manifests", manifest_list),),
        parent_id=None if parent == _NO_SNAPSHOT else parent,
        sequence_number=optional_int(node, "sequence-number", path) or 0,
        operation=operation,
        schema_id=optional_int32(node, "schema-id", path),
        inline_manifests=inline,
        summary=summary,
        extra=_extra(node, _SNAPSHOT_MEMBERS, path),
    )


def _refs(root: Object, snapshot_ids: set[int]) -> tuple[tuple[Ref, ...], int | None]:
    """Return the refs, including main, and main's snapshot: ``refs`` and ``current-snapshot-id`` must agree on it."""
    current = optional_int(root, "current-snapshot-id", "")
    current = None if current == _NO_SNAPSHOT else current
    named = root.get("refs")
    refs = [
        _ref(name, as_object(node, f"refs.{name}"), f"refs.{name}.")
        for name, node in (as_object(named, "refs") if named is not None else {}).items()
    ]
    # ClickHouse writes this for a table without snapshots.
    refs = [ref for ref in refs if (ref.name, ref.snapshot_id) != (MAIN, _NO_SNAPSHOT)]
    main = next((ref.snapshot_id for ref in refs if ref.name == MAIN), None)
    if main is None and current is not None:
        refs.insert(0, Ref(MAIN, "branch", current))
    elif current is None:
        current = main
    elif main != current:
        raise MetadataCorrupt(f"refs.main is at {main}, and current-snapshot-id is {current}", path="refs.main")
    if current is not None and current not in snapshot_ids:
        raise MetadataCorrupt(f"current-snapshot-id {current} is not among snapshots", path="current-snapshot-id")
    return tuple(refs), current


def _ref(name: str, node: Object, path: str) -> Ref:
    snapshot_id = as_int(node.get("snapshot-id"), path + "snapshot-id")
    match as_text(node.get("type"), path + "type").lower():  # Java reads it in any case
        case "branch":
            return Ref(name, "branch", snapshot_id, extra=_extra(node, _REF_MEMBERS, path))
        case "tag":
            return Ref(name, "tag", snapshot_id, extra=_extra(node, _REF_MEMBERS, path))
    raise wrong(path + "type", "branch or tag", node["type"])


def _snapshot_log(root: Object) -> tuple[tuple[int, int], ...]:
    found = []
    for position, value in enumerate(optional_list(root, "snapshot-log", "")):
        path = f"snapshot-log[{position}]"
        entry = as_object(value, path)
        found.append(
            (
                as_int(entry.get("timestamp-ms"), path + ".timestamp-ms"),
                as_int(entry.get("snapshot-id"), path + ".snapshot-id"),
            )
        )
    return tuple(found)


def _extra(node: Object, known: frozenset[str], path: str) -> Mapping[str, object]:
    if node.keys() <= known:
        return {}
    return {
        _snake(key): _snake_members(stored_unread(value, path + key))
        for key, value in node.items()
        if key not in known and value is not None
    }


def _snake_members(value: object) -> object:
    if isinstance(value, dict):
        return {_snake(key): item if key in _VERBATIM else _snake_members(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_snake_members(item) for item in value]
    return value


def _snake(key: str) -> str:
    return key.replace("-", "_")
