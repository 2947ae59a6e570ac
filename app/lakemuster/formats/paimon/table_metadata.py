"""Parsers of Paimon's small JSON documents, and their assembly to table metadata.

A table's pointer is a folder: ``schema/schema-<n>``, ``snapshot/snapshot-<n>``, ``tag/tag-<name>``, the same below
each ``branch/branch-<name>``, and hint files that may be stale. Each document is parsed separately; :func:`assemble`
combines them. Unknown keys are ignored, null counts as absent, and documents of every version since 0.4 are read.

Source: Paimon ``Snapshot``, ``Tag``, ``TableSchema``, ``Statistics``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.documents import Document
from lakemuster.formats.paimon.types import parse_field
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema, listed_ids, repeated_ids
from lakemuster.metadata.snapshot import MAIN, ManifestListRef, Ref, Role, Snapshot, TableMetadata

SCHEMA_VERSION = SNAPSHOT_VERSION = 3
"""The newest known version of both documents; the snapshot's is the table's ``format_version``."""

Source = Literal["snapshot", "tag", "changelog"]

_SOURCES: tuple[Source, ...] = ("snapshot", "tag", "changelog")

_LISTS: tuple[tuple[Role, str, str | None], ...] = (
    ("base", "baseManifestList", "baseManifestListSize"),
    ("delta", "deltaManifestList", "deltaManifestListSize"),
    ("changelog", "changelogManifestList", "changelogManifestListSize"),
    ("index", "indexManifest", None),
)
_COUNTS = ("totalRecordCount", "deltaRecordCount", "changelogRecordCount")
_NUMBERS = ("commitIdentifier", "watermark", "nextRowId")
_TEXTS = ("commitUser", "commitKind", "statistics", "uuid", "operation", "writerVersion")


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Statistics of one column over a whole snapshot; ``lower`` and ``upper`` as text of the writer."""

    field_id: int
    distinct_count: int | None = None
    lower: str | None = None
    upper: str | None = None
    null_count: int | None = None
    average_length: int | None = None
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """A ``statistics/`` file: count and size (bytes) of merged rows, column statistics by name."""

    snapshot_id: int
    schema_id: int
    merged_record_count: int | None
    merged_record_size: int | None
    columns: Mapping[str, ColumnStatistics]


def parse_schema(data: bytes) -> Schema:
    """Parse a ``schema-<id>`` file.

    Options that old writers left at their defaults are set to *their* defaults.

    Raises:
        MetadataCorrupt: not a Paimon schema.
        FormatUnsupported: a version later than 3.
    """
    doc = Document.of(data, "schema")
    version = doc.integer("version", 1)
    if version > SCHEMA_VERSION:
        raise FormatUnsupported(f"unsupported version {version} of a Paimon schema", version=version)
    members = doc.get("fields")
    if not isinstance(members, list):
        raise doc.corrupt("fields")
    fields = tuple(parse_field(member) for member in members)
    if repeated := repeated_ids(fields, elements=False):
        raise MetadataCorrupt(f"a Paimon schema has several fields of one id: {listed_ids(repeated)}")
    ids = {column.name: column.field_id for column in fields}
    if len(ids) < len(fields):
        raise MetadataCorrupt("two columns of a Paimon schema share a name")
    partition_keys, primary_keys = doc.texts("partitionKeys"), doc.texts("primaryKeys")
    if unknown := {*partition_keys, *primary_keys} - ids.keys():
        raise MetadataCorrupt("a key of a Paimon schema is not one of its columns", columns=sorted(unknown))
    options = doc.text_map("options")
    if version <= 1:
        options.setdefault("bucket", "1")
    if version <= 2:
        options.setdefault("file.format", "orc")
    return Schema(
        schema_id=doc.required_integer("id"),
        fields=fields,
        identifier_field_ids=tuple(ids[name] for name in primary_keys),
        partition_keys=partition_keys,
        primary_keys=primary_keys,
        options=tuple(options.items()),
        comment=doc.text("comment"),
        created_at_ms=doc.optional_integer("timeMillis"),
        highest_field_id=doc.optional_integer("highestFieldId"),
    )


def parse_snapshot(data: bytes, branch: str = MAIN, root: str = "", source: Source = "snapshot") -> Snapshot:
    """Parse a ``snapshot-<id>`` or ``changelog-<id>`` file.

    Args:
        data: the file.
        branch: the branch whose folder holds it.
        root: the table's root (never a branch's folder), below which all manifests are.
        source: the kind of file.

    Raises:
        MetadataCorrupt: not a Paimon snapshot.
        FormatUnsupported: a version later than 3.
    """
    return _snapshot(Document.of(data, source), branch, root, source)


def parse_tag(data: bytes, name: str, branch: str = MAIN, root: str = "") -> tuple[Ref, Snapshot]:
    """Parse a ``tag-<name>`` file: the tag and the snapshot that it retains.

    ``extra`` of the ref has ``tag_create_time`` (ISO text, the writer's wall clock) and
    ``tag_time_retained`` (seconds), when the file has them.
    """
    doc = Document.of(data, "tag")
    snapshot = _snapshot(doc, branch, root, "tag")
    extra: dict[str, object] = {}
    if (created := doc.get("tagCreateTime")) is not None:
        extra["tag_create_time"] = _local_time(created)
    if (retained := doc.get("tagTimeRetained")) is not None:
        extra["tag_time_retained"] = retained
    return Ref(name, "tag", snapshot.snapshot_id, branch, extra), snapshot


def parse_statistics(data: bytes) -> TableStatistics:
    """Parse a ``statistics/stat-…`` file."""
    doc = Document.of(data, "statistics")
    columns = {}
    for name, value in doc.members_of("colStats").items():
        column = Document.of_value(value, "column statistics")
        columns[name] = ColumnStatistics(
            field_id=column.required_integer("colId"),
            distinct_count=column.optional_integer("distinctCount"),
            lower=column.text("min"),
            upper=column.text("max"),
            null_count=column.optional_integer("nullCount"),
            average_length=column.optional_integer("avgLen"),
            max_length=column.optional_integer("maxLen"),
        )
    return TableStatistics(
        snapshot_id=doc.required_integer("snapshotId"),
        schema_id=doc.required_integer("schemaId"),
        merged_record_count=doc.optional_integer("mergedRecordCount"),
        merged_record_size=doc.optional_integer("mergedRecordSize"),
        columns=columns,
    )


def parse_consumer(data: bytes) -> int:
    """Parse a ``consumer-<id>`` file: the next snapshot that the consumer will read."""
    return Document.of(data, "consumer").required_integer("nextSnapshot")


def assemble(
    root: str,
    schemas: Mapping[str, Sequence[Schema]],
    snapshots: Iterable[Snapshot],
    tags: Iterable[Ref] = (),
    consumers: Mapping[str, int] | None = None,
) -> TableMetadata:
    """Assemble a table's metadata from its parsed documents.

    Args:
        root: the table's location, without a trailing slash.
        schemas: by branch, in any order; every branch of the table is a key.
        snapshots: of all branches and sources, in any order: from snapshot files, tags and long-lived changelogs.
        tags: of all branches.
        consumers: next snapshot by consumer id.

    Returns:
        The table. Its ``snapshots`` has every (branch, id) once: from the snapshot file if there is one, else from a
        tag, else from a changelog. ``refs`` are main, the other branches that have a snapshot, then the tags of each.

    Raises:
        MetadataCorrupt: main has no schema.
    """
    ordered = {branch: tuple(sorted(some, key=lambda schema: schema.schema_id)) for branch, some in schemas.items()}
    if not ordered.get(MAIN):
        raise MetadataCorrupt("a Paimon table without a schema", location=root)
    latest = ordered[MAIN][-1]
    known = _once(snapshots)
    heads = {s.branch: s for s in known if s.source == "snapshot"}
    refs = [Ref(branch, "branch", heads[branch].snapshot_id, branch) for branch in sorted(heads, key=_main_first)]
    refs += sorted(tags, key=lambda tag: (_main_first(tag.branch), tag.name))
    head = heads.get(MAIN)
    pointer = f"snapshot/snapshot-{head.snapshot_id}" if head else f"schema/schema-{latest.schema_id}"
    return TableMetadata(
        format="paimon",
        format_version=SNAPSHOT_VERSION,
        uuid=None,
        location=root,
        metadata_location=f"{root}/{pointer}",
        schemas=ordered[MAIN],
        current_schema_id=latest.schema_id,
        specs=(_spec(latest),),
        default_spec_id=0,
        properties=dict(latest.options),
        snapshots=tuple(known),
        current_snapshot_id=head.snapshot_id if head else None,
        refs=tuple(refs),
        snapshot_log=tuple(
            (s.committed_at_ms, s.snapshot_id) for s in known if s.branch == MAIN and s.source == "snapshot"
        ),
        last_updated_ms=head.committed_at_ms if head else latest.created_at_ms,
        branch_schemas={branch: some for branch, some in ordered.items() if branch != MAIN},
        extra={
            "partition_keys": list(latest.partition_keys),
            "primary_keys": list(latest.primary_keys),
            "comment": latest.comment,
            "branches": sorted(branch for branch in ordered if branch != MAIN),
            "consumers": dict(consumers or {}),
        },
    )


def _spec(schema: Schema) -> PartitionSpec:
    ids = {column.name: column.field_id for column in schema.fields}
    return PartitionSpec(
        0, tuple(PartitionField(ids[name], name, "identity", (ids[name],)) for name in schema.partition_keys)
    )


def _once(snapshots: Iterable[Snapshot]) -> list[Snapshot]:
    """Return each (branch, id) once, from its best source; main first, then by branch and id."""
    best: dict[tuple[str, int], Snapshot] = {}
    for snapshot in sorted(snapshots, key=lambda s: _SOURCES.index(s.source)):
        best.setdefault((snapshot.branch, snapshot.snapshot_id), snapshot)
    return sorted(best.values(), key=lambda s: (_main_first(s.branch), s.snapshot_id))


def _main_first(branch: str) -> tuple[bool, str]:
    return branch != MAIN, branch


def _snapshot(doc: Document, branch: str, root: str, source: Source) -> Snapshot:
    version = doc.integer("version", 1)
    if version > SNAPSHOT_VERSION:
        raise FormatUnsupported(f"unsupported version {version} of a Paimon {source}", version=version)
    number = doc.required_integer("id")
    lists = []
    extra: dict[str, object] = {"version": version}
    for role, key, size_key in _LISTS:
        name = doc.name(key)
        length = doc.optional_count(size_key) if size_key else None
        extra[_snake(key)] = name
        if size_key:
            extra[_snake(size_key)] = length
        if name is not None:
            lists.append(ManifestListRef(role, f"{root}/manifest/{name}", length))
        elif role in ("base", "delta"):
            raise doc.corrupt(key)
    extra |= {_snake(key): doc.optional_integer(key) for key in (*_COUNTS, *_NUMBERS)}
    extra |= {_snake(key): doc.text(key) for key in _TEXTS}
    extra["properties"] = doc.text_map("properties") if doc.get("properties") is not None else None
    extra["log_offsets"] = doc.get("logOffsets")
    kind = doc.text("commitKind")
    return Snapshot(
        snapshot_id=number,
        committed_at_ms=doc.required_integer("timeMillis"),
        manifest_lists=tuple(lists),
        branch=branch,
        source=source,
        parent_id=number - 1 if number > 1 else None,
        operation=doc.text("operation") or (kind.lower() if kind else None),
        schema_id=doc.required_integer("schemaId"),
        extra=extra,
    )


def _snake(key: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower()


def _local_time(value: object) -> str:
    """Convert Jackson's local date-time, ``[y, M, d, h, m, s, nanos]`` without trailing zeros, to ISO text."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else []
    numbers = [part for part in parts if isinstance(part, int) and not isinstance(part, bool)]
    if len(numbers) < len(parts) or not 3 <= len(numbers) <= 7:
        raise MetadataCorrupt("tagCreateTime of a Paimon tag is not a local date-time")
    year, month, day, hour, minute, second, nanos = (*numbers, 0, 0, 0, 0)[:7]
    if not 0 <= nanos < 10**9:
        raise MetadataCorrupt("tagCreateTime of a Paimon tag is not a local date-time")
    try:
        text = datetime(year, month, day, hour, minute, second).isoformat()  # noqa: DTZ001 - it has no zone
    except (ValueError, OverflowError) as error:
        raise MetadataCorrupt("tagCreateTime of a Paimon tag is not a local date-time") from error
    return f"{text}.{nanos:09d}".rstrip("0") if nanos else text
